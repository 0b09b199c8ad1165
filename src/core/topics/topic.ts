import type { Instant } from "../calendar/tariff.ts";

/**
 * One retained topic as it should be on the broker. The key beside it is the topic below the base (`now/color`).
 * `expires`: from then on the value could be untrue, and on MQTT 5 the broker drops it; undefined: true whenever read.
 */
export interface Topic {
  payload: string;
  expires?: Instant;
}

export type Topics = ReadonlyMap<string, Topic>;

/** Where vigie says that it is there; the broker says that it is not. */
export const AVAILABILITY = "availability";

/** Who publishes below this base topic. */
export const OWNER = "owner";

/** How many seconds the broker may keep a value that is sent now; undefined: for ever. */
export function secondsLeft({ expires }: Topic, now: Instant): number | undefined {
  return expires === undefined ? undefined : Math.max(1, Math.ceil((expires - now) / 1000));
}
