import type { Instant } from "../calendar/tariff.ts";
import type { OfficialRequest, Request } from "../contract/answer.ts";

export type RequestKind = (Request | OfficialRequest)["kind"];

/** What was requested of a source, and when, by this machine's clock. Plain data. */
export interface RequestTimes {
  /** When the last request was sent before this start; null at the first start. */
  before_start: Instant | null;
  /** When the requests of each kind were last part of a poll since the start, sent or not. */
  polled: Readonly<Partial<Record<RequestKind, Instant>>>;
  /** When they were last answered since the start. */
  answered: Readonly<Partial<Record<RequestKind, Instant>>>;
  /** What differed between the sources at the end of the last poll. */
  differences: string;
}

/** At a start. */
export function noRequestTimes(before_start: Instant | null): RequestTimes {
  return { before_start, polled: {}, answered: {}, differences: "" };
}

/** The same instants by a clock that shows so much more. */
export function shiftTimes(times: RequestTimes, by: number): RequestTimes {
  const shift = (instants: RequestTimes["polled"]) =>
    Object.fromEntries(Object.entries(instants).map(([kind, at]) => [kind, at + by]));
  return {
    before_start: times.before_start === null ? null : times.before_start + by,
    polled: shift(times.polled),
    answered: shift(times.answered),
    differences: times.differences,
  };
}
