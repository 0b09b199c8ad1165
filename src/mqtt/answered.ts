/** Waits for an answer that the broker owes, and gives the connection up where it does not come. */
export type Answered = <T>(wait: Promise<T>) => Promise<T>;

/**
 * What a broker owes for two minutes, while it answers all else, does not come any more: only another connection gets an
 * answer. What arrived while this process stood still is heard first.
 */
export function expectAnswers(giveUp: () => void): Answered {
  return async (wait) => {
    let isOwed = true;
    const check = () => isOwed && giveUp();
    const limit = setTimeout(() => setImmediate(() => setImmediate(check)), ANSWER_LIMIT);
    try {
      return await wait;
    } finally {
      isOwed = false;
      clearTimeout(limit);
    }
  };
}

const ANSWER_LIMIT = 120_000;
