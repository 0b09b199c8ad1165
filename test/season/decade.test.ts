import { describe, expect, it } from "vitest";
import type { Color, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import { deriveFacts } from "../../src/core/facts/derive-facts.ts";
import { createIntlWallClock } from "../support/intl-wall-clock.ts";
import { factsInputAt, knownDaysOf, official } from "../support/known-days.ts";
import { NO_REAL_DAYS, readRealDays } from "../support/real-days.ts";
import { UNPRICED } from "../support/tariff.ts";

const HOUR = 3_600_000;

/** What is true in one hour, worked out by reading a wall clock hour by hour and looking where it differs. */
interface NaiveHour {
  now: IsoDate;
  next: IsoDate;
  today: IsoDate;
  tomorrow: IsoDate;
  period: string;
  color_until: number;
  period_until: number;
  color_change: number;
}

function readHours(from: number, until: number, colors: Map<IsoDate, Color>): NaiveHour[] {
  const wall = createIntlWallClock("Europe/Paris");
  const walls: { date: IsoDate; hour: number }[] = [];
  for (let at = from; at < until; at += HOUR) {
    const { date, time } = wall(at);
    walls.push({ date, hour: Number(time.slice(0, 2)) });
  }
  const dates = [...new Set(walls.map(({ date }) => date))];
  const place = new Map(dates.map((date, index) => [date, index]));
  const around = (date: IsoDate, days: number) => dates[(place.get(date) ?? -9) + days] ?? "";
  const hours: NaiveHour[] = [];
  for (let index = walls.length - 1; index >= 0; index -= 1) {
    const { date, hour } = walls[index]!;
    const now = hour < 6 ? around(date, -1) : date;
    const period = hour < 6 || hour >= 22 ? "hc" : "hp";
    const later = hours[index + 1];
    const change = from + (index + 1) * HOUR;
    hours[index] = {
      now,
      next: around(now, 1),
      today: date,
      tomorrow: around(date, 1),
      period,
      color_until: later?.now === now ? later.color_until : change,
      period_until: later?.period === period ? later.period_until : change,
      color_change: later && colors.get(later.now) === colors.get(now) ? later.color_change : change,
    };
  }
  return hours;
}

/** `known` is the instant up to which the colours are known: a change at that instant is not known. */
function expected(hour: NaiveHour, colors: Map<IsoDate, Color>, known: number): unknown[] {
  const { now, next, today, tomorrow, period, color_until, period_until } = hour;
  const color_change = hour.color_change < known ? hour.color_change : null;
  const named = [now, next, today, tomorrow].flatMap((date) => [date, colors.get(date)]);
  return [...named, period, color_until, color_until, period_until, color_change, period_until];
}

function derived(at: number, days: Record<IsoDate, KnownDay>): unknown[] {
  const { moment, dated } = deriveFacts(factsInputAt(at, knownDaysOf(days)), UNPRICED);
  if (!moment) return [];
  const named = [moment.now, moment.next, moment.days.today, moment.days.tomorrow];
  return [
    ...named.flatMap(({ date, color }) => [date, color]),
    moment.now.period,
    moment.now.color_until,
    moment.next.at,
    moment.now.period_until,
    dated.next_change.color,
    dated.next_change.period,
  ];
}

/** Some instants of an hour: its beginning, and now and then a few more up to its last millisecond. */
function instantsOf(index: number, at: number): number[] {
  return index % 101 === 0 ? [at, at + 1, at + 60_000, at + HOUR - 1000, at + HOUR - 1] : [at];
}

/** Every hour but those of the first and last few days, which have no past or future to look at. */
function checkHours(colors: Map<IsoDate, Color>): number {
  const dates = [...colors.keys()];
  const from = Date.parse(dates[0]!);
  const hours = readHours(from, Date.parse(dates.at(-1)!), colors);
  const wrong: unknown[] = [];
  let days: Record<IsoDate, KnownDay> = {};
  let until = "";
  let known = 0;
  const starts = new Map(
    hours.map(({ now }, index) => [now, from + index * HOUR]).reverse() as [IsoDate, number][],
  );
  const checked = hours.length - 10 * 24;
  for (let index = 48; index < checked; index += 1) {
    const hour = hours[index]!;
    if (hour.now > until) {
      // The known days of a fortnight and two months after it: enough for every fact, and quick.
      const place = dates.indexOf(hour.now);
      const held = dates.slice(Math.max(0, place - 2), place + 75);
      days = Object.fromEntries(held.map((date) => [date, official(colors.get(date)!)]));
      until = dates[place + 14] ?? "never";
      known = starts.get(dates[place + 75] ?? "never") ?? from + hours.length * HOUR;
    }
    const want = expected(hour, colors, known).join();
    for (const at of instantsOf(index, from + index * HOUR)) {
      if (derived(at, days).join() !== want)
        wrong.push([new Date(at).toISOString(), derived(at, days), want]);
    }
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  return checked;
}

function inventDays(from: IsoDate, until: IsoDate): Map<IsoDate, Color> {
  const colors = new Map<IsoDate, Color>();
  let state = 20_260_105;
  for (let at = Date.parse(from); at < Date.parse(until); at += 24 * HOUR) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const color = (["bleu", "blanc", "rouge"] as const)[state % 7 > 2 ? 0 : (state >>> 8) % 3];
    colors.set(new Date(at).toISOString().slice(0, 10), color ?? "bleu");
  }
  return colors;
}

describe("every hour, against a second computation that only reads the wall clock", () => {
  it("of a generated decade", () => {
    expect(checkHours(inventDays("2019-12-29", "2030-01-12"))).toBeGreaterThan(87_600);
  });

  it.skipIf(NO_REAL_DAYS)("of eleven real seasons (skipped unless VIGIE_REAL_DAYS names the file)", () => {
    const colors = new Map(readRealDays().map(({ date, color }) => [date, color]));
    expect(checkHours(colors)).toBeGreaterThan(11 * 365 * 23);
  });
});

describe.skipIf(NO_REAL_DAYS)(
  "the count of a real season (skipped unless VIGIE_REAL_DAYS names the file)",
  () => {
    it.each([
      ["2018-2019", "2019-08-31", { rouge: 22, blanc: 43, bleu: 300 }],
      ["2019-2020", "2020-08-31", { rouge: 18, blanc: 47, bleu: 301 }],
    ])("%s adds up on its last day", (_, date, used) => {
      const days = Object.fromEntries(readRealDays().map((day) => [day.date, official(day.color)]));
      expect(
        deriveFacts(factsInputAt(`${date}T12:00:00+02:00`, knownDaysOf(days)), UNPRICED).dated.used,
      ).toEqual(used);
    });
  },
);
