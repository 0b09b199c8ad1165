import type { ClockWithTimers } from "./clock.ts";
import type { Log } from "./log.ts";

export interface LimitedLog extends Log {
  /** Writes at once how many lines were left out so far: the process may end before the minute does. */
  end: () => void;
}

/** For lines that others can cause: of those that come within a minute it writes the first ones, and then how many it left out. */
export function limitLines(log: Log, clock: Pick<ClockWithTimers, "after">): LimitedLog {
  let lines = 0;
  let cancel: () => void = () => undefined;
  const endMinute = () => {
    cancel();
    const leftOut = lines - LINES_PER_MINUTE;
    lines = 0;
    if (leftOut > 0) log.warn(`${leftOut} more such lines were left out within a minute`);
  };
  const writeAt = (level: keyof Log) => (sentence: string, details?: object) => {
    if (lines === 0) cancel = clock.after(60_000, endMinute);
    lines += 1;
    if (lines <= LINES_PER_MINUTE) log[level](sentence, details);
  };
  return {
    debug: writeAt("debug"),
    info: writeAt("info"),
    warn: writeAt("warn"),
    error: writeAt("error"),
    end: endMinute,
  };
}

const LINES_PER_MINUTE = 10;
