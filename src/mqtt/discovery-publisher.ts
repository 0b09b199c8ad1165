import type { DeviceDescription } from "../core/discovery/describe-device.ts";
import { writeMessages } from "../core/discovery/discovery-messages.ts";
import { type FoundMessages, NO_MESSAGES } from "../core/discovery/found-messages.ts";
import { migrateDiscovery } from "../core/discovery/migrate-discovery.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { aborted } from "../runtime/wait.ts";
import { isBrokerError } from "./broker-errors.ts";
import type { BrokerLink, ConnectionUser } from "./connection-users.ts";
import { deliver } from "./deliver-discovery.ts";
import { readDiscovery } from "./discovery-reader.ts";
import { awaitBirth } from "./homeassistant-start.ts";
import type { Publisher } from "./publisher.ts";

export interface DiscoveryOptions {
  description: DeviceDescription;
  status_topic: string;
  publisher: Pick<Publisher, "pauseClearing" | "republishAll" | "allAcknowledged">;
  /** This process has told Home Assistant of other settings before. */
  renewed: boolean;
  random: () => number;
  problemLog: ProblemLog;
}

/** Tells Home Assistant of the entities, over the publisher's connection. */
export interface Discovery extends ConnectionUser {
  /** When the broker holds what Home Assistant should know. */
  settled: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Topics of an entity that goes stay until Home Assistant has dropped it: cleared first, they would be wrong values to it. */
export function startDiscovery(options: DiscoveryOptions): Discovery {
  const { description, publisher } = options;
  const stopping = new AbortController();
  const release = publisher.pauseClearing();
  let link: BrokerLink | undefined;
  const birth = awaitBirth({
    ...options,
    tell: async () => {
      publisher.republishAll();
      if (link)
        await deliver([writeMessages(description)], {
          link,
          signal: stopping.signal,
          before: false,
          after: false,
        });
    },
  });
  let speaking = Promise.resolve();
  let { renewed } = options;
  const { settled, settle } = createSettling();
  const open = async (standing: BrokerLink) => {
    const signal = lifeOf(standing, stopping.signal);
    await speaking;
    link = standing;
    // A broker that froze answers nothing: who is told to stop does not wait for it.
    speaking = Promise.race([speak(standing, signal, { ...options, renewed }), aborted(signal)]);
    renewed = true;
    await speaking;
    if (signal.aborted) return;
    release();
    settle();
    birth.attend(signal);
  };
  return {
    onConnection: (standing) => void open(standing),
    onMessage: birth.hear,
    settled: () => settled,
    stop: async () => {
      stopping.abort();
      await speaking;
      settle();
    },
  };
}

function createSettling(): { settled: Promise<void>; settle: () => void } {
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { settled, settle };
}

/** Once a connection: what the broker holds becomes what it should hold. Ends early with the signal. */
async function speak(link: BrokerLink, signal: AbortSignal, options: DiscoveryOptions): Promise<void> {
  const { description, publisher, renewed, problemLog } = options;
  try {
    const found = await look(link, signal, options);
    // An entity that appears has its state by then.
    await Promise.race([publisher.allAcknowledged(), aborted(signal)]);
    const isKnown = renewed || found.device !== null || found.singles.length > 0;
    const steps = migrateDiscovery(found, description, link.version === 5);
    await deliver(steps, { link, signal, before: isKnown, after: isKnown });
    problemLog.isOver("discovery", "Home Assistant is told of every entity again");
  } catch (error) {
    if (signal.aborted) return;
    if (!isBrokerError(error)) throw error;
    problemLog.starts("discovery", `Home Assistant is not told of every entity: ${error.message}`);
  }
}

/** A broker that lets nothing be read holds nothing, as far as is known. */
async function look(
  link: BrokerLink,
  signal: AbortSignal,
  options: DiscoveryOptions,
): Promise<FoundMessages> {
  const { description, status_topic, problemLog } = options;
  try {
    if (description.mode !== "off") await link.subscribe(status_topic);
    const found = await readDiscovery(link, description.place);
    problemLog.isOver("discovery look", "The broker lets vigie read discovery messages again");
    return found;
  } catch (error) {
    if (signal.aborted || !isBrokerError(error)) throw error;
    problemLog.starts(
      "discovery look",
      `vigie cannot see what Home Assistant was told before, and an entity that is no longer wanted may stay: ${error.message}`,
    );
    return NO_MESSAGES;
  }
}

/** Ends with the connection, or with the whole. */
function lifeOf(link: BrokerLink, whole: AbortSignal): AbortSignal {
  const connection = new AbortController();
  void link.closed.then(() => connection.abort());
  return AbortSignal.any([connection.signal, whole]);
}
