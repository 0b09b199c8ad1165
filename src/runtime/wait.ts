/**
 * Waits that end when aborted. A time-out counts silence of the other side, not a stall of this process: when it is due,
 * whatever arrived meanwhile is heard first.
 */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that aborts after this long with the given reason, or with its parent; `clear` when the wait is over. */
export function deadline(
  milliseconds: number,
  parent: AbortSignal,
  reason: () => Error,
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const forget = afterSilence(milliseconds, () => controller.abort(reason()));
  const stop = () => controller.abort(parent.reason);
  if (parent.aborted) stop();
  else parent.addEventListener("abort", stop, { once: true });
  const clear = () => {
    forget();
    parent.removeEventListener("abort", stop);
  };
  return { signal: controller.signal, clear };
}

/** Acts after this long, once all that arrived by then was heard; unless it is forgotten before. */
export function afterSilence(milliseconds: number, act: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(() => {
      immediate = setImmediate(act);
    });
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    if (immediate) clearImmediate(immediate);
  };
}

/** Resolves when it is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
