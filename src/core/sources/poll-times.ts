import { addDays, civilDate, wallInstant } from "../calendar/dates.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";

/** `service.poll`. */
export interface PollTimes {
  /** Milliseconds. */
  every: number;
  announcement: { between: readonly [string, string]; every: number };
}

/** A poll is due where a time to poll has come since the last one was started: no timer has to be kept for it. */
export interface PollTimesInput {
  poll: PollTimes;
  tariff: Tariff;
  knownDays: KnownDays;
  /** 0 to 1, chosen once for each installation, so that they do not all ask in the same second. */
  offset: number;
}

export interface DuePoll {
  /** Goes on even when the day's budget of requests is spent. */
  essential: boolean;
  /** Requests the next tariff day even where its colour is final. */
  recheck: boolean;
}

/** The poll that is due now. */
export function duePoll(now: Instant, lastPoll: Instant | null, input: PollTimesInput): DuePoll | null {
  const isDue = (at: Instant | undefined) => hasComeSince(lastPoll, at, now);
  const recheck = isDue(recheckTime(now, input));
  const essential = recheck || isDue(lastMultiple(now, input.poll.every, input.offset));
  return essential || isDue(announcementTime(now, input)) ? { essential, recheck } : null;
}

/** Whether a time to send a request came after the last one was sent; also where the clock was set back since. */
export function hasComeSince(last: Instant | null, at: Instant | undefined, now: Instant): boolean {
  return at !== undefined && (last === null || last > now || at > last);
}

/** The newest time to look for the announcement: often until the service names tomorrow, then seldom until it confirms. */
function announcementTime(
  now: Instant,
  { poll, tariff, knownDays, offset }: PollTimesInput,
): Instant | undefined {
  const { between, every } = poll.announcement;
  const today = civilDate(now, tariff.time_zone);
  const begin = wallInstant(today, between[0], tariff.time_zone);
  const end = wallInstant(today, between[1], tariff.time_zone);
  const word = knownDays.days[addDays(today, 1)]?.service_word;
  if (now < begin || now >= end || word?.confirmed) return undefined;
  const interval = word ? Math.max(every, UNTIL_FINAL) : every;
  // The hourly polls are among them: one of their own a minute or two beside these would tell nothing new.
  const at = lastMultiple(now, interval, (offset * poll.every) / interval);
  return at >= begin ? at : undefined;
}

/** Late corrections are looked for in the evening, and just before the day begins. */
export function recheckTime(
  now: Instant,
  { tariff, offset }: Pick<PollTimesInput, "tariff" | "offset">,
): Instant | undefined {
  const today = civilDate(now, tariff.time_zone);
  return RECHECK_AT.map(
    (time) => wallInstant(today, time, tariff.time_zone) + offset * RECHECK_SPREAD,
  ).findLast((at) => at <= now);
}

/** The newest instant of a regular grid, which `offset` shifts by a part of the interval. */
export function lastMultiple(now: Instant, interval: number, offset: number): Instant {
  const shift = offset * interval;
  return Math.floor((now - shift) / interval) * interval + shift;
}

export const UNTIL_FINAL = 30 * 60_000;
const RECHECK_AT = ["05:50", "18:00"];
const RECHECK_SPREAD = 5 * 60_000;
