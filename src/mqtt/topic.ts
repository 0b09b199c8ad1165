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

/** The literal that consumers read as "unknown". */
export const UNKNOWN = "None";
