import type { Language } from "../core/calendar/day-in-words.ts";
import type { Path } from "./shown-value.ts";

/** What is allowed, but probably not what is meant. */
export interface Warning {
  /** The option that is meant. */
  path: Path;
  /** Which one of a list it is, by its id. */
  id?: string;
  /** In both languages if the form of the Home Assistant app may be what is meant. */
  words: string | Record<Language, string>;
}
