import type { LogLine } from "../core/log/log-line.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import { limitLines } from "../runtime/limit-lines.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

export interface LineLog {
  write: (lines: readonly LogLine[]) => void;
  /** Writes at once how many lines were left out so far. */
  end: () => void;
}

/** Logs lines that are data. */
export function createLineLog(
  log: Log,
  { problemLog, clock }: { problemLog: ProblemLog; clock: Pick<ClockWithTimers, "after"> },
): LineLog {
  const ofCommands = limitLines(log, clock);
  return {
    write: (lines) => {
      for (const line of lines) {
        if ("level" in line) (line.isOfCommand ? ofCommands : log)[line.level](line.sentence);
        else if ("starts" in line) problemLog.starts(line.problem, line.starts);
        else problemLog.isOver(line.problem, line.isOver);
      }
    },
    end: ofCommands.end,
  };
}
