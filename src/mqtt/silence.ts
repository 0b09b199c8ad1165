import { runAfterTimeout } from "../runtime/wait.ts";

export interface SilenceWatch {
  /** Settles as the given promise does. */
  awaitAnswer: <Answer>(answer: Promise<Answer>) => Promise<Answer>;
  /** Does nothing any more. */
  end: () => void;
}

/**
 * Acts if answers are awaited and none has come for this long, then again after twice as long each time. An answer begins the pause
 * anew, but not while a promise of `act` is pending: whoever asks a slow broker must not ask more and more.
 */
export function watchSilence(longest: number, act: () => Promise<unknown>): SilenceWatch {
  let awaited = 0;
  let acting = 0;
  let hasEnded = false;
  let cancelWait: (() => void) | null = null;
  const cancel = () => {
    cancelWait?.();
    cancelWait = null;
  };
  const wait = (pause: number) => {
    cancelWait = runAfterTimeout(pause, () => {
      wait(2 * pause);
      acting += 1;
      const settle = () => {
        acting -= 1;
        waitAnew();
      };
      act().then(settle, settle);
    });
  };
  const waitAnew = () => {
    if (awaited > 0 && acting > 0 && cancelWait) return;
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
