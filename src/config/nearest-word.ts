import { NEAR_WORDS } from "./near-words.ts";

/** ` (did you mean grace?)`; empty where no known word is near in spelling or meaning. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

/** The known word that is probably meant: the same one in other letters, one that means the same, or a slip away. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  return nearestInMeaning(word, known) ?? nearestSlip(word, known);
}

/** The same word in other letters, or one that means the same. */
export function nearestInMeaning(given: string, known: readonly string[]): string | undefined {
  // A whole text in place of a word would take long.
  const word = given.slice(0, LONGEST_WORD);
  const plain = plainLetters(word);
  return (
    known.find((candidate) => plain !== "" && plainLetters(candidate) === plain) ??
    known.find((candidate) => meansSame(word, candidate))
  );
}

/** The word with some letters wrong: one in three. */
export function nearestSlip(given: string, known: readonly string[]): string | undefined {
  const word = given.slice(0, LONGEST_WORD);
  return nearestInSpelling(
    word,
    // Another number is another thing: `d8` is not a slip of `d2`.
    known.filter((candidate) => digitsOf(candidate) === digitsOf(word)),
    Math.floor(word.length / 3),
  );
}

const LONGEST_WORD = 80;

/** Whether people write this word where vigie has the other one. */
export function meansSame(word: string, known: string): boolean {
  if (!Object.hasOwn(NEAR_WORDS, known)) return false;
  const plain = plainLetters(word);
  // Compared only where a word is unknown: made ready beforehand, they would cost each start.
  return NEAR_WORDS[known]?.split(" ").some((near) => plainLetters(near) === plain) ?? false;
}

/** `Heures-creuses`, `heures_creuses` and `heurescreuses` are one word, and so are `Français` and `francais`. */
function plainLetters(word: string): string {
  return word
    .toLowerCase()
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replaceAll(/[\p{M}\s_.'’+-]/gu, "");
}

function digitsOf(word: string): string {
  return word.replaceAll(/\D/g, "");
}

/** The known word with the fewest differences; undefined where each has more than `limit`. */
export function nearestInSpelling(word: string, known: readonly string[], limit: number): string | undefined {
  let best: string | undefined;
  let fewest = limit + 1;
  for (const candidate of known) {
    const differences = countDifferences(word.toLowerCase(), candidate.toLowerCase());
    if (differences < fewest) [best, fewest] = [candidate, differences];
  }
  return best;
}

/** How many letters must be added, removed, replaced or swapped with their neighbour to turn one word into the other. */
export function countDifferences(one: string, other: string): number {
  // counts[i][j] compares the first i letters of one word with the first j of the other.
  const counts = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => counts[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    counts.push(current);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(one.length, other.length);
}
