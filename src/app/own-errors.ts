import type { Protect } from "../core/log/protect.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

/** Errors of vigie itself. They are no failure of a source, and none of them stops anything else. */
export interface OwnErrors {
  /** A part that threw counts as failing until it runs without an error. */
  protect: Protect;
  /** Runs what is tried only once, or tried in another way if it fails: the error is logged, and no part counts as failing. */
  attempt: Protect;
  /** Another configuration may not have the parts that fail. */
  forget: () => void;
  /** Whether a part threw an error when it ran last. */
  isFailing: () => boolean;
}

export function createOwnErrors(problemLog: ProblemLog): OwnErrors {
  const failing = new Set<string>();
  const tell = (part: string, error: unknown) => {
    const sentence = `An error of vigie itself (${part}): ${String(error)}. All else goes on`;
    problemLog.starts("vigie", sentence, { error }, "error");
  };
  return {
    attempt: (part, run) => {
      try {
        run();
        return true;
      } catch (error) {
        tell(part, error);
        return false;
      }
    },
    protect: (part, run) => {
      try {
        run();
      } catch (error) {
        failing.add(part);
        tell(part, error);
        return false;
      }
      failing.delete(part);
      if (failing.size === 0) problemLog.isOver("vigie", "There is no error of vigie itself any more");
      return true;
    },
    forget: () => failing.clear(),
    isFailing: () => failing.size > 0,
  };
}
