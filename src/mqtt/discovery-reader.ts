import type { Place } from "../core/discovery/describe-device.ts";
import { discoveryFilters, type FoundMessages, readFoundMessages } from "../core/discovery/found-messages.ts";
import type { BrokerLink } from "./connection-users.ts";

/** What the broker holds of an instance. */
export async function readDiscovery(link: BrokerLink, place: Place): Promise<FoundMessages> {
  return readFoundMessages(await link.readRetained(discoveryFilters(place)), place);
}
