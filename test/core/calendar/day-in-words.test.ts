import { expect, test } from "vitest";
import { addDays } from "../../../src/core/calendar/dates.ts";
import { dayInWords } from "../../../src/core/calendar/day-in-words.ts";

test.each([
  ["2026-11-25", "mercredi 25 novembre", "Wednesday 25 November"],
  ["2026-01-01", "jeudi 1er janvier", "Thursday 1 January"],
  ["2024-02-29", "jeudi 29 février", "Thursday 29 February"],
  ["2026-08-09", "dimanche 9 août", "Sunday 9 August"],
])("%s is %s in French and %s in English", (date, french, english) => {
  expect(dayInWords(date, "fr")).toBe(french);
  expect(dayInWords(date, "en")).toBe(english);
});

test("each day of four years has the names that Unicode has for it", () => {
  const format = (locale: string) =>
    new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
  const [french, english] = [format("fr-FR"), format("en-GB")];
  for (let date = "2024-01-01"; date < "2028-01-01"; date = addDays(date, 1)) {
    const said = { fr: french.format(new Date(date)), en: english.format(new Date(date)) };
    expect(dayInWords(date, "fr")).toBe(said.fr.replace(/ 1(er)? /, " 1er "));
    expect(dayInWords(date, "en")).toBe(said.en.replace(",", ""));
  }
});
