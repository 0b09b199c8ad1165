/** A value that changes over time. */
export interface Timeline<T> {
  /** In the order of time. The same value again is no change. */
  set: (steady: number, value: T) => void;
  at: (steady: number) => T;
  /** When it changed after `from` and until `to`. */
  changes: (from: number, to: number) => number[];
}

export function createTimeline<T>(first: T): Timeline<T> {
  const entries: { steady: number; value: T }[] = [{ steady: Number.NEGATIVE_INFINITY, value: first }];
  /** The index of the last entry until then. */
  const find = (steady: number) => {
    let [low, high] = [0, entries.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (entries[middle]!.steady <= steady) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    set: (steady, value) => {
      if (entries.at(-1)!.value !== value) entries.push({ steady, value });
    },
    at: (steady) => entries[find(steady)]!.value,
    changes: (from, to) => entries.slice(find(from) + 1, find(to) + 1).map((entry) => entry.steady),
  };
}
