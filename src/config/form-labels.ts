import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Language } from "../core/calendar/day-in-words.ts";

/** As in the translations of the app; the fields of a list have labels of their own. */
export type Labels = Readonly<Record<string, { name: string; fields?: Labels }>>;

/** The build replaces this file by the names alone. The place is the same from `.build`. */
const FOLDER = new URL("../../config/homeassistant-app/translations/", import.meta.url);

/** What Home Assistant calls the fields of the form. */
export const FORM_LABELS: Readonly<Record<Language, Labels>> = { fr: read("fr"), en: read("en") };

function read(language: string): Labels {
  return parse(readFileSync(new URL(`${language}.yaml`, FOLDER), "utf8")).configuration;
}
