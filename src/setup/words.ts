import type { Language } from "../core/calendar/day-in-words.ts";
import { en } from "./words-en.ts";
import { fr, type Words } from "./words-fr.ts";

export type { Words } from "./words-fr.ts";

/** The language of the system: the first of these variables that is set counts. */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  return /^fr(?![a-z])/i.test(LC_ALL || LC_MESSAGES || LANG || "") ? "fr" : "en";
}

/** Asked before a language is known. */
export const WHICH_LANGUAGE = "Langue / Language";

export const WORDS: Record<Language, Words> = { fr, en };
