import { runAfterTimeout } from "../runtime/wait.ts";

/** Waits for an answer that the broker owes, and gives the connection up where it does not come. */
export type Answered = <T>(wait: Promise<T>) => Promise<T>;

/**
 * What a broker owes for two minutes, while it answers all else, does not come any more: only another connection gets an
 * answer.
 */
export function expectAnswers(giveUp: () => void): Answered {
  return (wait) => wait.finally(runAfterTimeout(ANSWER_LIMIT, giveUp));
}

const ANSWER_LIMIT = 120_000;
