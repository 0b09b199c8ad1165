import type { Instant } from "../core/calendar/tariff.ts";
import { type Alarm, startAlarm } from "../runtime/alarm.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { describeJump, WORTH_LOGGING } from "./clock-jump.ts";
import { pollCron } from "./poll-cron.ts";

interface ScheduleOptions {
  clock: ClockWithTimers;
  log: Log;
  /** Milliseconds: the clock is compared, and `onWake` called, at least this often. */
  longestSleep: number;
  /** 0 to 1: this installation's own second of the minute. */
  offset: number;
  /** When time alone next changes a fact or a verdict, by this machine's clock. */
  boundary: () => Instant;
  refresh: () => void;
  /** Called once a minute, and after the clock jumped. */
  pollIfDue: () => void;
  /** The clock was set, or this machine was suspended: the broker counts the expiry of values by a clock of its own. */
  onJump: () => void;
  /** Called at each wake, several times a minute; used to report that the process runs. */
  onWake: (now: Instant) => void;
}

/** Refreshes at each boundary and asks each minute whether a poll is due. */
export function startSchedule(options: ScheduleOptions): Alarm {
  const { clock, log, boundary, refresh, pollIfDue } = options;
  const cron = pollCron(options.offset);
  let nextLook = cron.next(clock.now());
  return startAlarm({
    clock,
    longestSleep: options.longestSleep,
    onWake: options.onWake,
    due: () => Math.min(boundary(), nextLook),
    onDue: () => {
      const now = clock.now();
      if (now >= boundary()) refresh();
      if (now >= nextLook) {
        nextLook = cron.next(now);
        pollIfDue();
      }
    },
    onJump: (by) => {
      nextLook = cron.next(clock.now());
      refresh();
      if (Math.abs(by) >= WORTH_LOGGING) {
        log.info(describeJump(by));
        options.onJump();
      }
      pollIfDue();
    },
  });
}
