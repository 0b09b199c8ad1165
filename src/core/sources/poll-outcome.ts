import type { LogLine, ProblemLine } from "../log/log-line.ts";

/** What came of a poll. Neither an answer nor a failure: nothing was sent, as the day's requests are used up. */
export interface PollOutcome {
  /** Sentences. */
  failures: readonly string[];
  answers: number;
}

/** The same in one word; `partly`: some requests were answered, others failed. */
export const POLL_RESULTS = ["answered", "partly", "failed", "not_sent"] as const;

/** How many polls of a source had which result. */
export type PollCounts = Readonly<Record<(typeof POLL_RESULTS)[number], number>>;

export const NO_POLLS: PollCounts = { answered: 0, partly: 0, failed: 0, not_sent: 0 };

export function countPoll(counts: PollCounts, { answers, failures }: PollOutcome): PollCounts {
  const unanswered = failures.length > 0 ? "failed" : "not_sent";
  const answered = failures.length > 0 ? "partly" : "answered";
  const result = answers > 0 ? answered : unanswered;
  return { ...counts, [result]: counts[result] + 1 };
}

/** For the command that has asked for the poll: its topic. */
export function commandLine(
  { name }: { name: string },
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
