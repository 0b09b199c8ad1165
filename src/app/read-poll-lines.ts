import { parse } from "node-cron";
import { memoize } from "../core/calendar/memoize.ts";
import type { CronTimes } from "../core/sources/cron-times.ts";
import type { PollLines } from "../core/sources/poll-times.ts";

/** `service.poll`. */
export interface PollOptions {
  /** Milliseconds. */
  every: number;
  announcement: { between: readonly [string, string]; every: number };
}

/**
 * Each installation asks at its own second of the hour, and of five minutes or two hours for what is asked once a day: a thousand of
 * them do not ask at once. `offset`: 0 to 1.
 */
export function readPollLines(
  { every, announcement }: PollOptions,
  { offset, time_zone, day_starts_at }: { offset: number; time_zone: string; day_starts_at: string },
): PollLines {
  const [begin, end] = announcement.between;
  const grid = (step: number, zone = time_zone) => readCron(gridLine(step, offset), zone);
  const within = (step: number) => keepTimes(grid(step), (time) => time >= begin && time < end);
  const asked = announcement.every / MINUTE;
  return {
    every: grid(every / MINUTE, "UTC"),
    quarterHourly: grid(15),
    hourly: grid(60),
    announcement: {
      every: within(asked),
      seldom: within(Math.max(asked, 30)),
      quarterHourly: within(15),
      halfHourly: within(30),
    },
    afterAnnouncement: keepTimes(grid(60), (time) => time >= end || time < day_starts_at),
    rechecks: ["05:50", "18:00"].map((time) => readCron(lineAt(time, offset * 5), time_zone)),
    night: readCron(lineAt("03:00", offset * 120), time_zone),
  };
}

/** Reads `S M H * * *`, with one second. */
export const readCron = memoize((line: string, time_zone: string): CronTimes => {
  if (!EVERY_DAY.test(line)) throw new Error(`Expected "S M H * * *" with one second, got "${line}"`);
  const { second, minute, hour } = parse(line);
  const times = hour.flatMap((hours) =>
    minute.map((minutes) =>
      [hours, minutes, ...second].map((part) => String(part).padStart(2, "0")).join(":"),
    ),
  );
  return { times, time_zone };
});

/** Each so many minutes, always at the same second of the hour. */
function gridLine(step: number, offset: number): string {
  const second = Math.floor(offset * HOUR_IN_SECONDS);
  const minute = Math.floor(second / 60);
  const minutes = Array.from({ length: Math.ceil(60 / step) }, (_, index) => (minute + index * step) % 60);
  const apart = Math.ceil(step / 60);
  const hours = Array.from({ length: 24 / apart }, (_, index) => Math.floor(offset * apart) + index * apart);
  return `${second % 60} ${minutes.join(",")} ${hours.join(",")} * * *`;
}

/** Once a day, so many minutes after this time. */
function lineAt(time: string, later: number): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const second = Math.floor(later * 60);
  const minutes = hour * 60 + minute + Math.floor(second / 60);
  return `${second % 60} ${minutes % 60} ${Math.floor(minutes / 60)} * * *`;
}

function keepTimes({ times, time_zone }: CronTimes, keep: (time: string) => boolean): CronTimes {
  return { times: times.filter(keep), time_zone };
}

const MINUTE = 60_000;
const HOUR_IN_SECONDS = 3_600;
const EVERY_DAY = /^\d+ \S+ \S+ \* \* \*$/;
