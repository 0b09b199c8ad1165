import type { Color } from "../core/calendar/tariff.ts";
import { cleanText, describeValue } from "./clean-text.ts";

/** Every spelling of a colour that is understood; the owner's own come first. */
export function spellingsOf(more: Record<string, Color>): Map<string, Color> {
  const spellings = new Map<string, Color>();
  for (const [color, words] of KNOWN) for (const word of words) spellings.set(word, color);
  for (const [word, color] of Object.entries(more)) spellings.set(plain(word), color);
  return spellings;
}

/** The colour that was said, or null and, as `raw`, what was said instead. */
export function readColor(
  value: unknown,
  spellings: ReadonlyMap<string, Color>,
): { color: Color | null; raw: string | null } {
  const word = typeof value === "string" || typeof value === "number" ? plain(String(value)) : undefined;
  const color = word === undefined ? undefined : spellings.get(word);
  return color === undefined ? { color: null, raw: rawColor(value) } : { color, raw: null };
}

/** What stood in place of a colour; null where nothing did. */
export function rawColor(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? cleanText(value, LONGEST_RAW) : describeValue(value);
}

/** A lone `b` may be bleu, blanc or blue: it is no colour. */
const KNOWN: readonly [Color, readonly string[]][] = [
  ["rouge", ["rouge", "red", "r", "tempo_rouge", "tempo_red", "3"]],
  ["blanc", ["blanc", "white", "w", "tempo_blanc", "tempo_white", "2"]],
  ["bleu", ["bleu", "blue", "tempo_bleu", "tempo_blue", "1"]],
];

const LONGEST_RAW = 64;
const LONGEST_WORD = 256;

/** Without case, accents and the kind of gap between words. */
function plain(word: string): string {
  const short = word
    .slice(0, LONGEST_WORD)
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "");
  return short
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_");
}
