import type { Instant } from "./tariff.ts";

/** Each once, in order. */
export function inOrder(instants: readonly Instant[]): Instant[] {
  const sorted = instants.toSorted((one, other) => one - other);
  return sorted.filter((at, index) => at !== sorted[index - 1]);
}

/** The place of the first of these, in order, that comes after an instant. */
export function placeAfter(instants: readonly Instant[], at: Instant): number {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instants[middle] ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first of these, in order, that comes after an instant; infinite where none does. */
export function firstAfter(instants: readonly Instant[], at: Instant): Instant {
  return instants[placeAfter(instants, at)] ?? Number.POSITIVE_INFINITY;
}
