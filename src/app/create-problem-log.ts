import { describeDuration } from "../core/log/duration.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

/**
 * A sentence is logged once for each problem. If a problem comes and goes, or its sentence changes each time (a
 * counter in it), at most six lines an hour are logged for its key; the sixth says that no more will follow. Of a problem that
 * is never over, the last hundred sentences are known: one from before is logged again.
 */
export function createProblemLog(log: Log, clock: Clock): ProblemLog {
  const lasting = new Map<string, { since: number; logged: Set<string> }>();
  const linesOfLastHour = new Map<string, number[]>();

  const countLinesLeft = (key: string): number => {
    const recent = (linesOfLastHour.get(key) ?? []).filter((at) => clock.steady() - at < HOUR);
    linesOfLastHour.set(key, recent);
    return LINES_PER_HOUR - recent.length;
  };
  return {
    starts(key, sentence, details, level = "warn") {
      const problem = lasting.get(key) ?? { since: clock.steady(), logged: new Set() };
      lasting.set(key, problem);
      if (problem.logged.has(sentence)) return;
      const left = countLinesLeft(key);
      if (left <= 0) return;
      problem.logged.add(sentence);
      const [oldest] = problem.logged;
      if (problem.logged.size > SENTENCES_KNOWN && oldest !== undefined) problem.logged.delete(oldest);
      linesOfLastHour.get(key)?.push(clock.steady());
      log[level](left === 1 ? `${sentence} (${LAST_LINE})` : sentence, details);
    },
    isOver(key, sentence) {
      const problem = lasting.get(key);
      lasting.delete(key);
      // A problem whose start was not logged ends without a line.
      if (!problem || problem.logged.size === 0) return;
      log.info(`${sentence}, after ${describeDuration(clock.steady() - problem.since)}`);
    },
  };
}

const HOUR = 3_600_000;
const LINES_PER_HOUR = 6;
const SENTENCES_KNOWN = 100;
const LAST_LINE = "this problem is repeated, so it is not logged again for up to an hour";
