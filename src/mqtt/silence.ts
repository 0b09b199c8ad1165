import { runAfterTimeout } from "../runtime/wait.ts";

export interface SilenceWatch {
  /** The same promise, as one that is awaited. */
  awaitAnswer: <Answer>(answer: Promise<Answer>) => Promise<Answer>;
  /** Does nothing any more. */
  end: () => void;
}

/**
 * Acts if answers are awaited and none has come for this long; then again after twice as long each time, until one comes. A broker
 * that is only slow answers one after the other.
 */
export function watchSilence(longest: number, act: () => void): SilenceWatch {
  let awaited = 0;
  let hasEnded = false;
  let cancel: () => void = () => undefined;
  const wait = (pause: number) => {
    cancel = runAfterTimeout(pause, () => {
      wait(2 * pause);
      act();
    });
  };
  const waitAnew = () => {
    cancel();
    if (awaited > 0 && !hasEnded) wait(longest);
  };
  return {
    awaitAnswer: async (answer) => {
      awaited += 1;
      if (awaited === 1) waitAnew();
      try {
        return await answer;
      } finally {
        awaited -= 1;
        waitAnew();
      }
    },
    end: () => {
      hasEnded = true;
      cancel();
    },
  };
}
