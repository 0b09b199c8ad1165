import { month, weekday } from "./dates.ts";
import type { IsoDate } from "./tariff.ts";

/** In which people read what vigie says. */
export type Language = "fr" | "en";

/** `mercredi 25 novembre`, `Wednesday 25 November`. */
export function dayInWords(date: IsoDate, language: Language): string {
  return `${weekdayInWords(date, language)} ${dayOfMonth(date, language)} ${MONTHS[language][month(date) - 1]}`;
}

/** `mercredi`. */
export function weekdayInWords(date: IsoDate, language: Language): string {
  return WEEKDAYS[language][weekday(date) - 1] ?? "";
}

/** `25`; the first day of a month is `1er` in French. */
export function dayOfMonth(date: IsoDate, language: Language): string {
  const day = String(Number(date.slice(8)));
  return language === "fr" && day === "1" ? "1er" : day;
}

// Not by Intl, which says `1 janvier` in French, and a comma or none in English by the version of Node.
const WEEKDAYS = {
  fr: "lundi mardi mercredi jeudi vendredi samedi dimanche".split(" "),
  en: "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" "),
};
const MONTHS = {
  fr: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(" "),
  en: "January February March April May June July August September October November December".split(" "),
};
