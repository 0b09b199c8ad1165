interface ReplaceOptions {
  after: (milliseconds: number, run: () => void) => () => void;
  processNow: () => number | null;
  guarded: (run: () => void) => void;
  onError: (error: unknown) => void;
}

/**
 * Takes the place of `setTimeout` and `setImmediate`, and of what Node calls with errors that nobody caught, until restored.
 * `settle` ends when all has run that needs no time to pass.
 */
export function replaceTimers({ after, processNow, guarded, onError }: ReplaceOptions) {
  const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;
  const waiting = new Set<NodeJS.Immediate>();
  const replacements = {
    setTimeout: (run: () => void, milliseconds = 0) => after(milliseconds, run),
    clearTimeout: (cancel: unknown) => typeof cancel === "function" && cancel(),
    setImmediate: (run: () => void) => {
      const process = processNow();
      const immediate = setImmediate(() => {
        waiting.delete(immediate);
        if (process === processNow()) guarded(run);
      });
      waiting.add(immediate);
      return immediate;
    },
    clearImmediate: (immediate: NodeJS.Immediate) => {
      waiting.delete(immediate);
      clearImmediate(immediate);
    },
  };
  const nextRound = () => new Promise<void>((resolve) => setImmediate(resolve));
  const errors = ["uncaughtException", "unhandledRejection"] as const;
  const listeners = errors.map((name) => process.listeners(name as "uncaughtException"));
  for (const name of errors) process.removeAllListeners(name).on(name as "uncaughtException", onError);
  Object.assign(globalThis, replacements);
  return {
    settle: async () => {
      // Three rounds: while vigie reads what has arrived, it waits for two that are not counted here.
      for (let rounds = 0; rounds < 3 || waiting.size > 0 || isReading(); rounds += 1) await nextRound();
    },
    restore: () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate, clearImmediate });
      for (const [index, name] of errors.entries()) {
        process.removeAllListeners(name);
        for (const listener of listeners[index] ?? []) process.on(name as "uncaughtException", listener);
      }
    },
  };
}

/** vigie reads its state file or one with a secret: on the real disk, which takes no virtual time. */
function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => name === "FSReqPromise" || name === "CloseReq");
}
