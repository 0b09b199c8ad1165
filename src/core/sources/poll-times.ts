import type { Instant } from "../calendar/tariff.ts";
import { type CronTimes, lastMatch, nextMatch } from "./cron-times.ts";
import type { RequestKind, RequestTimes } from "./request-times.ts";

/** When one installation may ask its sources. Short hours of the announcement may leave a line without a time. */
export interface PollLines {
  /** As `every` says. */
  every: CronTimes;
  quarterHourly: CronTimes;
  hourly: CronTimes;
  /** In the hours of the announcement: as `announcement.every` says, and at most each half hour. */
  announcement: { every: CronTimes; seldom: CronTimes; quarterHourly: CronTimes; halfHourly: CronTimes };
  /** Hourly from the end of these hours until the tariff day begins. */
  afterAnnouncement: CronTimes;
  /** In the evening, and just before the day begins: late corrections are looked for. */
  rechecks: readonly CronTimes[];
  /** Between 03:00 and 05:00: an hour that no clock skips or repeats. */
  night: CronTimes;
}

/** A time to ask a source. It comes at each match of its cron line, if the condition holds for that instant. */
export interface PollTime {
  cron: CronTimes;
  /** What is asked first then. */
  asks: RequestKind;
  holds: (at: Instant) => boolean;
  /** It is asked even when the day's budget of requests is spent. */
  isEssential?: true;
  /** The next tariff day is asked for even if its colour is final. */
  isRecheck?: true;
}

export interface DuePoll {
  asks: RequestKind;
  isEssential: boolean;
  isRecheck: boolean;
}

/**
 * What is due of these times. All instants are by the same clock. A start asks all at once. It is essential only if an essential
 * time has come since the last request: vigie may be killed and started again every ten seconds.
 */
export function findDue(
  times: readonly PollTime[],
  { before_start, polled }: RequestTimes,
  now: Instant,
): DuePoll[] {
  const kinds = [...new Set(times.map(({ asks }) => asks))];
  return kinds.flatMap((asks) => {
    const last = polled[asks] ?? null;
    const before = last ?? before_start;
    // Nothing was asked yet, or the clock was set back since.
    const isAllDue = before === null || before > now;
    const since = isAllDue
      ? Number.NEGATIVE_INFINITY
      : before + (last === null ? SAME_TIME_AT_START : SAME_TIME);
    const come = times.filter((time) => time.asks === asks && hasCome(time, since, now));
    if (last !== null && come.length === 0) return [];
    return {
      asks,
      isEssential: come.some(({ isEssential }) => isEssential),
      isRecheck: last === null || come.some(({ isRecheck }) => isRecheck),
    };
  });
}

/** When one of these times comes next. If a condition holds at none of the next matches, only an event can make it hold. */
export function nextPollTime(times: readonly PollTime[], now: Instant): Instant {
  return Math.min(...times.map((time) => nextOf(time, now)));
}

function nextOf({ cron, holds }: PollTime, now: Instant): Instant {
  // The hours of the announcement may be too short for any.
  if (cron.times.length === 0) return Number.POSITIVE_INFINITY;
  let at = nextMatch(cron, now);
  // What failed may be asked again after an hour, which is four quarters.
  for (let tried = 1; tried <= 4 && !holds(at); tried += 1) at = nextMatch(cron, at);
  return holds(at) ? at : Number.POSITIVE_INFINITY;
}

/** Late corrections are looked for, also if the next tariff day is final. */
export function recheckTimes({ rechecks }: PollLines, asks: RequestKind): PollTime[] {
  return rechecks.map((cron) => ({ cron, asks, holds: () => true, isEssential: true, isRecheck: true }));
}

function hasCome({ cron, holds }: PollTime, since: Instant, now: Instant): boolean {
  const at = lastMatch(cron, now);
  return at > since && holds(at);
}

/** What a source says of the time may put it back by a second: a time that has just come does not come again. */
const SAME_TIME = 30_000;
/** A vigie that is killed every ten seconds must still ask what is essential. */
const SAME_TIME_AT_START = 2_000;
