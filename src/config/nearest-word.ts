/** The known word that this one was probably meant to be; undefined where none is within `limit` slips. */
export function nearest(
  word: string,
  known: readonly string[],
  limit: number = slipsForgiven(word),
): string | undefined {
  let best: string | undefined;
  let fewest = limit + 1;
  for (const candidate of known) {
    const slips = slipsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (slips < fewest) [best, fewest] = [candidate, slips];
  }
  return best;
}

/** How many letters must be added, left out, changed or swapped with their neighbour to turn one word into the other. */
export function slipsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, other.length);
}

/** A third of a word may be wrong: more, and the two have nothing to do with each other. */
function slipsForgiven(word: string): number {
  return Math.max(1, Math.floor(word.length / 3));
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
