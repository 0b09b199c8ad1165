import type { Place } from "../core/discovery/describe-device.ts";
import { discoveryFilters, type FoundMessages, readFoundMessages } from "../core/discovery/found-messages.ts";
import type { ReceivedMessage } from "./connection.ts";
import type { BrokerLink } from "./connection-users.ts";
import { untilQuiet } from "./until-quiet.ts";

/** Learns what the broker holds of an instance. */
export interface Reader {
  /** Has to hear whatever arrives over the connection. */
  hear: (message: ReceivedMessage) => void;
  read: (link: BrokerLink) => Promise<FoundMessages>;
}

export function createReader(place: Place): Reader {
  const heard = new Map<string, string>();
  let retained = 0;
  return {
    hear: ({ topic, payload, retain }) => {
      if (!topic.startsWith(`${place.prefix}/`)) return;
      if (retain) retained += 1;
      heard.set(topic, payload);
    },
    read: async (link) => {
      heard.clear();
      await Promise.all(discoveryFilters(place).map((filter) => link.subscribe(filter)));
      await untilQuiet(link.echo, () => retained);
      return readFoundMessages(heard, place);
    },
  };
}
