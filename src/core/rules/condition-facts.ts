import { addDays, tariffDate, weekday } from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import { periodAt } from "../calendar/period.ts";
import { byColor, type Color, type IsoDate, type Period } from "../calendar/tariff.ts";
import { allowedColors } from "../calendar/tariff-laws.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import { CIVIL_DAYS, type CivilDay, type DayFacts } from "../facts/facts.ts";
import { seasonFacts } from "../facts/season-facts.ts";
import type { View } from "../facts/view.ts";
import { type DayCondition, WEEKDAYS, type Weekday } from "./rule.ts";

/** What conditions compare, at one instant. Days, rate and season are derived when a condition first reads them. */
export interface ConditionFacts {
  period: Period;
  /** Of the tariff day in force. */
  weekday: Weekday;
  /** The day of this name, or each day of a range. */
  days: (name: DayCondition["day"], range: number | null) => readonly RuleDay[];
  rate: () => Measure;
  season: () => SeasonMeasures;
}

/** One date, as a condition compares it. */
export interface RuleDay {
  facts: DayFacts;
  /** The colours that the tariff's laws allow on this date. */
  allowed: readonly Color[];
}

export interface Measure {
  /** null: not known. */
  value: number | null;
  /** No forecast can change it. */
  certain: boolean;
}

export interface SeasonMeasures {
  days_remaining: Measure;
  remaining: Record<Color, Measure>;
  left: Record<Color, Measure>;
}

export function conditionFacts(view: View): ConditionFacts {
  const { at, tariff, now } = view;
  const period = periodAt(at, tariff);
  let season: SeasonMeasures | undefined;
  return {
    period,
    weekday: WEEKDAYS[weekday(now) - 1] ?? "sun",
    days: memoize((name: DayCondition["day"], range: number | null) =>
      datesOf(name, range, view).map((date) => ({
        facts: view.day(date),
        allowed: lawfulColors(date, tariff.laws),
      })),
    ),
    rate: () => {
      const { rates, official } = view.day(now);
      return { value: rates[period], certain: official };
    },
    season: () => {
      season ??= seasonMeasures(view);
      return season;
    },
  };
}

function datesOf(name: DayCondition["day"], range: number | null, { now, next, today }: View): IsoDate[] {
  if (range !== null) return Array.from({ length: range }, (_, days) => addDays(next, days));
  if (name === "now") return [now];
  if (name === "next") return [next];
  return [addDays(today, CIVIL_DAYS.indexOf(name as CivilDay))];
}

/** The service's counts are certain only for the tariff day on which it gave them; vigie's own count is of official days. */
function seasonMeasures(view: View): SeasonMeasures {
  const { season, left } = seasonFacts(view);
  const seenAt = view.knownDays.seasons[seasonOf(view.now).label]?.seen_at;
  const certain = seenAt !== undefined && tariffDate(seenAt, view.tariff) === view.now;
  return {
    days_remaining: { value: season?.days_remaining ?? null, certain },
    remaining: byColor((color) => ({ value: season?.remaining[color] ?? null, certain })),
    left: byColor((color) => ({ value: left?.[color] ?? null, certain: true })),
  };
}

const lawfulColors = memoize(allowedColors);
