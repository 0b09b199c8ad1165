import type { PollOutcome } from "../facts/poll-record.ts";
import type { SourceRecord } from "../facts/source-record.ts";
import type { LogLine, ProblemLine } from "../log/log-line.ts";
import type { Source } from "./source.ts";

/** What the log says of polls. */

/**
 * `hasAnswered`: it answered before this poll. One that never did does not answer "again". Nor does one of which a request still
 * fails that was not part of this poll, such as a season.
 */
export function pollLines(
  { name }: Source,
  { failures, answers }: PollOutcome,
  hasAnswered: boolean,
  { failure, light, season }: Pick<SourceRecord, "failure" | "light" | "season">,
): ProblemLine[] {
  const lines: ProblemLine[] = failures.map((failure) => ({ problem: name, starts: failure }));
  // Without answers and failures nothing was sent, so nothing is known of the source.
  const isFailing = failures.length > 0 || failure !== null || light !== null || season !== null;
  if (answers > 0 && !isFailing)
    lines.push({ problem: name, isOver: hasAnswered ? `The ${name} answers again` : `The ${name} answers` });
  return lines;
}

/** For the command that has asked for the poll: its topic. */
export function commandLine(
  { name }: Source,
  command: string,
  { answers, failures: [failure] }: PollOutcome,
): Exclude<LogLine, ProblemLine> {
  if (failure !== undefined) return { level: "warn", sentence: `${command}: ${failure}`, isOfCommand: true };
  const sentence =
    answers > 0
      ? `${command}: the ${name} has answered`
      : `${command}: nothing was sent to the ${name}, as the requests of today are used up`;
  return { level: "info", sentence, isOfCommand: true };
}
