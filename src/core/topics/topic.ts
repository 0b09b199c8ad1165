import type { Instant } from "../calendar/tariff.ts";

/** One retained topic. Its name below the base (`now/color`) is the key beside it. */
export interface Topic {
  payload: string;
  /** From then on the payload could be untrue: on MQTT 5 the broker drops it. undefined: it is true whenever it is read. */
  expires?: Instant;
}

export type Topics = ReadonlyMap<string, Topic>;

/** `online`, published by vigie, or `offline`, published by the broker when vigie is gone. */
export const AVAILABILITY = "availability";

/** Who publishes below this base topic. */
export const OWNER = "owner";

/** The seconds after which the broker drops a payload that is sent now; undefined: it keeps the payload. */
export function secondsLeft({ expires }: Topic, now: Instant): number | undefined {
  return expires === undefined ? undefined : Math.max(1, Math.ceil((expires - now) / 1000));
}
