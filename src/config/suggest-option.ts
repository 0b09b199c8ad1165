import { nearest } from "./nearest-word.ts";
import { listOptions } from "./option-list.ts";
import { startOfWord } from "./shown-value.ts";

/** The option that an unknown one is probably meant to be, as an addition to a message: one of this group, or one elsewhere. */
export function suggestOption(key: string, known: readonly string[]): string {
  const elsewhere = listOptions().find((option) => option.path.at(-1) === key);
  const meant = nearest(startOfWord(key), known) ?? elsewhere?.path.join(".");
  return meant === undefined ? "" : ` (did you mean ${meant}?)`;
}
