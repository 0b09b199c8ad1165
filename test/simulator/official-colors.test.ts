import { describe, expect, test } from "vitest";
import { addDays, isoInstant, wallInstant } from "../../src/core/calendar/dates.ts";
import { forecastsAnswer } from "../../src/simulator/answers.ts";
import { announceAt, officialColor, type World } from "../../src/simulator/official-colors.ts";
import { announceRevised } from "../support/faulty-service.ts";

const ZONE = "Europe/Paris";
const once = announceAt("10:30");
const world = (date: string, announcements: World["announcements"]): World => ({
  seed: 1,
  days: new Map([
    [date, "rouge"],
    [addDays(date, 1), "blanc"],
    [addDays(date, 2), "bleu"],
  ]),
  announcements,
});

/** The day before is a normal day, the day of each change of clocks, and the day after it. */
const DATES = ["2026-01-06", "2026-03-30", "2026-03-31", "2026-10-26", "2026-10-27"];

describe.each(DATES)("the colour of %s", (date) => {
  const said = (time: string, one: World, day = date) =>
    officialColor(day, wallInstant(addDays(day, -1), time, ZONE), one);

  test("is official from 10:30 of the day before", () => {
    expect(
      ["00:00", "06:35", "10:29:59", "10:30", "23:59"].map((time) => said(time, world(date, once))),
    ).toEqual([undefined, undefined, undefined, "rouge", "rouge"]);
  });

  test("is official at another hour where one is given", () => {
    expect(["06:34:59", "06:35"].map((time) => said(time, world(date, announceAt("06:35"))))).toEqual([
      undefined,
      "rouge",
    ]);
  });

  test("is official as bleu from 06:35, and corrected at 11:00, where it is announced twice", () => {
    const times = ["06:34:59", "06:35", "10:30", "10:59:59", "11:00", "23:59"];
    const expected = [undefined, "bleu", "bleu", "bleu"];
    expect(times.map((time) => said(time, world(date, announceRevised)))).toEqual([
      ...expected,
      "rouge",
      "rouge",
    ]);
    const blanc = addDays(date, 1);
    expect(times.map((time) => said(time, world(date, announceRevised), blanc))).toEqual([
      ...expected,
      "blanc",
      "blanc",
    ]);
  });

  test("is announced once where it is bleu", () => {
    const bleu = addDays(date, 2);
    expect(
      ["06:35", "10:29:59", "10:30"].map((time) => said(time, world(date, announceRevised), bleu)),
    ).toEqual([undefined, undefined, "bleu"]);
  });

  test("stands in the answer at once, with the hour at which it was said", () => {
    const eve = addDays(date, -1);
    const answer = (time: string, announcements: World["announcements"]) => {
      const at = wallInstant(eve, time, ZONE);
      const { updated_at, tomorrow } = forecastsAnswer(at, world(date, announcements));
      return [updated_at, tomorrow.date, tomorrow.source];
    };
    const iso = (time: string) => isoInstant(wallInstant(eve, time, ZONE));
    expect(answer("10:29", once)).toEqual([iso("09:35"), date, "forecast"]);
    expect(answer("10:30", once)).toEqual([iso("10:30"), date, "official"]);
    expect(answer("10:35", once)).toEqual([iso("10:35"), date, "official"]);
    expect(answer("11:00", announceRevised)).toEqual([iso("11:00"), date, "official"]);
  });
});
