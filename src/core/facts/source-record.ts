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

/**
 * Whether two records are published alike. `last_success` is not published as it is: it only moves the instants at which the
 * source counts as down or old.
 */
export function isShownAlike(one: SourceRecord, other: SourceRecord): boolean {
  return (
    one.shown_success === other.shown_success &&
    one.shown_update === other.shown_update &&
    one.failure === other.failure &&
    isFailingAlike(one.light, other.light) &&
    isFailingAlike(one.season, other.season)
  );
}

function isFailingAlike(one: Failing | null, other: Failing | null): boolean {
  return one?.since === other?.since && one?.failure === other?.failure;
}
