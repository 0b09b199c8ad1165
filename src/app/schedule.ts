import type { Instant } from "../core/calendar/tariff.ts";
import { startAlarm } from "../runtime/alarm.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeDuration } from "../runtime/duration.ts";
import type { Log } from "../runtime/log.ts";
import { pollCron } from "./poll-cron.ts";

export interface ScheduleOptions {
  clock: Clock;
  log: Log;
  /** 0 to 1: this installation's own second of the minute. */
  offset: number;
  /** When time alone changes something next, by this machine's clock. */
  turn: () => Instant;
  refresh: () => void;
  /** Starts a poll if one is owed; called once a minute, and after the clock jumped. */
  pollIfDue: () => void;
  /** The wall clock was set, or this machine slept: the broker counts on how long values live by a clock of its own. */
  jumped: () => void;
  /** At least once a second. */
  beat: (now: Instant) => void;
}

/** New time and new data: refreshes at each turn, looks each minute whether a poll is due. Returns its stop. */
export function startSchedule(options: ScheduleOptions): () => void {
  const { clock, log, turn, refresh, pollIfDue, jumped, beat } = options;
  const cron = pollCron(options.offset);
  let look = cron.next();
  return startAlarm({
    clock,
    beat,
    due: () => Math.min(turn(), look),
    ring: () => {
      const now = clock.now();
      if (now >= turn()) refresh();
      if (now >= look) {
        look = cron.next();
        pollIfDue();
      }
    },
    jumped: (by) => {
      look = cron.next();
      refresh();
      if (Math.abs(by) >= WORTH_SAYING) {
        log.info(describeJump(by));
        jumped();
      }
      pollIfDue();
    },
  });
}

function describeJump(by: number): string {
  const length = describeDuration(Math.abs(by));
  return by > 0
    ? `The clock went on by ${length}: this machine slept, or its clock was set`
    : `The clock was set back by ${length}`;
}

const WORTH_SAYING = 60_000;
