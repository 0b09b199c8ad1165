import type { Instant } from "../calendar/tariff.ts";

/** Whether there is a service, or only the invented days of the simulator. */
export type ServiceKind = "real" | "invented" | "none";

/** How the polls of a source went since the start or the last reload. Only the time of the last success comes from the state file. */
export interface SourceRecord {
  /** When polling began: without a success since, the service counts as down from three hours after this. */
  started_at: Instant;
  /** The last answer about today or the days ahead; at the start that of the state file. */
  last_success: Instant | null;
  /** `last_success` is that of the state file: the source may have answered later, but has not since the start. */
  only_saved?: true;
  /** `last_success` as published: it changes every few hours; that of RTE at most hourly. */
  shown_success: Instant | null;
  /** The service's `updated_at` as published: it changes together with the days, else every few hours. */
  shown_update: Instant | null;
  /**
   * The service: the failure of the last poll in one sentence; null after a success. Before the first answer ever also of a
   * request.
   */
  failure: string | null;
  /** RTE: the requests that fail: today and tomorrow, and the season; null after an answer. */
  light: Failing | null;
  season: Failing | null;
  kind: ServiceKind;
}

export interface Failing {
  /** The first failure after the last answer. */
  since: Instant;
  /** The last failure in one sentence; null where it was before the start. */
  failure: string | null;
}
