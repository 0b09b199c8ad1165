import { nearestInMeaning, nearestSlip } from "./nearest-word.ts";
import { listKeys } from "./option-list.ts";
import { type Path, showPath, startOfWord } from "./shown-value.ts";

/** The option that an unknown one is probably meant to be, as an addition to a message: one of this group, or one elsewhere. */
export function suggestOption(path: Path, known: readonly string[]): string {
  const key = startOfWord(String(path.at(-1)));
  // A word that means an option elsewhere is no slip: the condition `late` is `lag` of its rule, not `rate`.
  const meant =
    nearestInMeaning(key, known) ??
    inOtherWords(key, known) ??
    findElsewhere(key, path, nearestInMeaning) ??
    nearestSlip(key, known) ??
    (key.length < LEAST_LETTERS ? undefined : findElsewhere(key, path, nearestSlip));
  return meant === undefined ? "" : ` (did you mean ${meant}?)`;
}

/** Among all options of a section a shorter word is a slip of one by chance: `foo` of `confirm.for`. */
const LEAST_LETTERS = 4;

/** What several options say together. */
function inOtherWords(key: string, known: readonly string[]): string | undefined {
  if (known.includes("at_most") && ["between", "range"].includes(key)) return "at_least and at_most";
  const isNegation = ["not", "not_equals", "not_equal", "is_not"].includes(key);
  return known.includes("equals") && isNegation ? "not: { mqtt: { …, equals: … } }" : undefined;
}

/** Rules, outputs and the other options are apart: a key of one never belongs to another. */
function findElsewhere(key: string, path: Path, find: typeof nearestSlip): string | undefined {
  const section = path.length > 1 ? sectionOf(path) : undefined;
  const candidates = listKeys().filter((one) => section === undefined || sectionOf(one) === section);
  const word = find(
    key,
    candidates.map((one) => String(one.at(-1))),
  );
  const found = candidates.find((one) => one.at(-1) === word);
  if (!found) return undefined;
  // In a list the option beside the unknown one: `rules[3].lead`, not `rules[0].lead`.
  return showPath(
    found.map((part, index) => {
      const own = path[index];
      return typeof part === "number" && typeof own === "number" ? own : part;
    }),
  );
}

function sectionOf([first]: Path): string {
  return first === "rules" || first === "outputs" ? first : "";
}
