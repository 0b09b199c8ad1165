export interface Timer {
  /** When it is due. */
  at: number;
  run: () => void;
  /** The world around vigie, a timer of vigie's process, or what arrives there. */
  of: "world" | "vigie" | "arrivals";
  /** The number of the process; null: it does not run. */
  process: number | null;
  /** If two are due at once, the one that was added first comes first. */
  order: number;
}

/** Timers, the first due first: a binary heap. */
export function createTimerQueue() {
  let heap: Timer[] = [];
  let order = 0;

  const isBefore = (one: Timer, other: Timer) =>
    one.at < other.at || (one.at === other.at && one.order < other.order);
  const swap = (one: number, other: number) => {
    const timer = heap[one]!;
    heap[one] = heap[other]!;
    heap[other] = timer;
  };
  const putBack = (timer: Timer) => {
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index]!, heap[parent]!)) return;
      swap(index, parent);
      index = parent;
    }
  };
  const removeFirst = (): Timer => {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right;
      if (least === index) return first;
      swap(index, least);
      index = least;
    }
  };
  return {
    add: (timer: Omit<Timer, "order">): Timer => {
      order += 1;
      const added = { ...timer, order };
      putBack(added);
      return added;
    },
    putBack,
    nextAt: () => heap[0]?.at ?? Number.POSITIVE_INFINITY,
    removeFirst,
    /** Removes those that are so. */
    take: (isWanted: (timer: Timer) => boolean): Timer[] => {
      const taken = heap.filter(isWanted);
      const rest = heap.filter((timer) => !isWanted(timer));
      heap = [];
      for (const timer of rest) putBack(timer);
      return taken;
    },
  };
}
