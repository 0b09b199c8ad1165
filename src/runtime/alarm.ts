import type { ClockWithTimers } from "./clock.ts";

export interface AlarmOptions {
  clock: ClockWithTimers;
  /** Milliseconds: a suspend or a clock that was set is noticed this soon. */
  longestSleep: number;
  /** When something is due next; asked again at each wake. */
  due: () => number;
  onDue: () => void;
  /** The wall clock and the time that passed disagree: this machine was suspended, or its clock was set. */
  onJump: (by: number) => void;
  /** At each wake, whatever else happens. */
  onWake: (now: number) => void;
}

export interface Alarm {
  /** What is due next may come sooner than it did. */
  reset: () => void;
  stop: () => void;
}

/**
 * Calls `onDue` when something is due by the wall clock, however the process was suspended or the clock was set. One long
 * timer would not do: it counts the time that passes, not the wall clock. So it wakes several times a minute to compare.
 */
export function startAlarm({ clock, longestSleep, due, onDue, onJump, onWake }: AlarmOptions): Alarm {
  let last = { now: clock.now(), steady: clock.steady() };
  let cancel: () => void = () => undefined;
  let isStopped = false;
  const sleep = () => {
    cancel();
    if (isStopped) return;
    // A reset never puts off the next comparison of the clocks.
    const longest = last.steady + longestSleep - clock.steady();
    const wait = Math.min(longest, Math.ceil(due() - clock.now()));
    cancel = clock.after(Math.max(1, wait), wake);
  };
  const wake = () => {
    const now = clock.now();
    const steady = clock.steady();
    const jump = now - last.now - (steady - last.steady);
    last = { now, steady };
    if (Math.abs(jump) > TOLERATED_JUMP) onJump(jump);
    onWake(now);
    if (clock.now() >= due()) onDue();
    sleep();
  };
  sleep();
  return {
    reset: sleep,
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

/** Two clocks may differ by as much without a jump of one of them. */
export const TOLERATED_JUMP = 2_000;
