import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The heap at points of equal phase, and by how much a poll makes it grow. */
export interface HeapWatch {
  measure: (polls: number) => void;
  /** Bytes a poll, by the line that fits best; null where there are too few points. */
  growth: () => number | null;
}

export function watchHeap(): HeapWatch {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const points: { polls: number; bytes: number }[] = [];
  return {
    measure: (polls) => {
      // What the first collection finalises the second one frees.
      collect();
      collect();
      const { heapUsed, external } = process.memoryUsage();
      points.push({ polls, bytes: heapUsed + external });
    },
    growth: () => (points.length < FEWEST ? null : slopeOf(points.slice(Math.ceil(points.length * WARM_UP)))),
  };
}

function slopeOf(points: readonly { polls: number; bytes: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const polls = mean(points.map((point) => point.polls));
  const bytes = mean(points.map((point) => point.bytes));
  let above = 0;
  let below = 0;
  for (const point of points) {
    above += (point.polls - polls) * (point.bytes - bytes);
    below += (point.polls - polls) ** 2;
  }
  return above / below;
}

/**
 * What a poll may add: a season of days in the book, which keeps 800 of them, and code that V8 compiles late come to 100
 * to 250 bytes a poll. A leak of 1 KB a poll is twice the limit.
 */
export const GROWTH_LIMIT = 512;
const FEWEST = 30;
/** The part at the beginning in which code is compiled, and caches fill. */
const WARM_UP = 0.25;
