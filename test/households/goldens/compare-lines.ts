/** What is gone from a list of lines (`- `), and what is new (`+ `), in their order. */
export function compareLines(before: readonly string[], after: readonly string[]): string[] {
  const common = lengthsOfCommon(before, after);
  const changed: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      changed.push(`- ${before[i]}`);
      i += 1;
    } else {
      changed.push(`+ ${after[j]}`);
      j += 1;
    }
  }
  return changed;
}

/** How many lines the rest of one from `i` on has in common with the rest of the other from `j` on, in their order. */
function lengthsOfCommon(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      lengths[i]![j] =
        before[i] === after[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}
