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

/** What `owner` holds. */
export interface Owner {
  installation: string;
  /** New at each start. */
  incarnation: string;
  host: string;
  version: string;
  /** When it started, as it says. */
  since: string;
  client_id: string;
}

/** The first levels of all topics of vigie, commands among them. */
export const OWN_LEVELS: ReadonlySet<string> = new Set([
  ...[AVAILABILITY, OWNER, "event", "refresh", "simulation", "rules", "outputs", "service", "official"],
  ...["now", "next", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7", "yesterday", "announcement"],
  ...["rouge_now", "rouge_next", "rouge_hp_now", "offpeak", "rouge_today", "rouge_tomorrow"],
  ...["next_change", "next_rouge", "next_blanc", "forecast", "rates", "rates_forecast", "prices", "season"],
]);

/** The seconds after which the broker drops a payload that is sent now; undefined: it keeps the payload. */
export function secondsLeft({ expires }: Topic, now: Instant): number | undefined {
  return expires === undefined ? undefined : Math.max(1, Math.ceil((expires - now) / 1000));
}
