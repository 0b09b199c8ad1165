import type { Instant } from "../calendar/tariff.ts";
import type { OfficialRequest, Request } from "../contract/answer.ts";

export type RequestKind = (Request | OfficialRequest)["kind"];

/** What was requested of a source, and when, by this machine's clock. Plain data. */
export interface RequestTimes {
  /** When the last request was sent before this start; null at the first start. */
  before_start: Instant | null;
  /** When the poll began that last asked for each kind since the start. What a poll that ended early has left out is not in it. */
  polled: Readonly<Partial<Record<RequestKind, Instant>>>;
}

/** At a start. */
export function noRequestTimes(before_start: Instant | null): RequestTimes {
  return { before_start, polled: {} };
}

/** The same instants by a clock that shows so much more. */
export function shiftTimes({ before_start, polled }: RequestTimes, by: number): RequestTimes {
  return {
    before_start: before_start === null ? null : before_start + by,
    polled: Object.fromEntries(Object.entries(polled).map(([kind, at]) => [kind, at + by])),
  };
}
