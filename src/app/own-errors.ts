import type { Protect } from "../core/log/protect.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

/** Errors of vigie itself. They are no failure of a source, and none of them stops anything else. */
export interface OwnErrors {
  /** A part that threw counts as failing until it runs without an error. */
  protect: Protect;
  /** Another configuration may not have the parts that fail. */
  forget: () => void;
  /** Whether a part threw an error when it ran last. */
  isFailing: () => boolean;
}

export function createOwnErrors(problemLog: ProblemLog): OwnErrors {
  const failing = new Set<string>();
  return {
    protect: (part, run) => {
      try {
        run();
      } catch (error) {
        failing.add(part);
        const sentence = `An error of vigie itself (${part}): ${String(error)}. All else goes on`;
        problemLog.starts("vigie", sentence, { error }, "error");
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
