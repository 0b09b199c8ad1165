import { type ClockWithTimers, systemClock } from "./clock.ts";

/** Ends after this long; rejects with the reason of the signal when that aborts first. */
export function sleep(
  milliseconds: number,
  signal: AbortSignal,
  clock: Pick<ClockWithTimers, "after"> = systemClock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    signal.addEventListener("abort", abort, { once: true });
  });
}

/** A signal that aborts after this long with the given reason, or with its parent; `clear` when the wait is over. */
export function deadline(
  milliseconds: number,
  parent: AbortSignal,
  reason: () => Error,
  clock: Pick<ClockWithTimers, "after"> = systemClock,
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const clearTimer = runAfterTimeout(milliseconds, () => controller.abort(reason()), clock);
  const abort = () => controller.abort(parent.reason);
  if (parent.aborted) abort();
  else parent.addEventListener("abort", abort, { once: true });
  const clear = () => {
    clearTimer();
    parent.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, clear };
}

/**
 * Runs after this long, unless the returned function is called before. A time-out means that the other side was silent,
 * not that this process was busy or suspended: two more rounds of the event loop handle first what arrived meanwhile.
 */
export function runAfterTimeout(
  milliseconds: number,
  run: () => void,
  clock: Pick<ClockWithTimers, "after"> = systemClock,
): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const cancel = clock.after(milliseconds, () => {
    immediate = setImmediate(() => {
      immediate = setImmediate(run);
    });
  });
  return () => {
    cancel();
    if (immediate) clearImmediate(immediate);
  };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A promise, and what resolves it. */
export function settleable<Value = void>(): { promise: Promise<Value>; settle: (value: Value) => void } {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

/** Resolves with the promise, or after this long without it. */
export async function atMost(wait: Promise<unknown>, milliseconds: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([wait, sleep(milliseconds, over.signal).catch(() => undefined)]);
  over.abort();
}
