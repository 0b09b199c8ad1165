import { dayStart } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import { isColorAllowed } from "../calendar/tariff-laws.ts";
import type { KnownDay, OfficialColor } from "../days/known-days.ts";
import type { DayFacts } from "./facts.ts";
import { dayRates, NO_RATES } from "./rates.ts";

/** What is known of one date: its official colour if any, else a forecast that the laws allow. */
export function dayFacts(date: IsoDate, day: KnownDay | undefined, at: Instant, tariff: Tariff): DayFacts {
  if (!day) return { date, ...NOTHING, source: null, explanation: null };
  if (day.official) return officialDay(date, day, day.official, at, tariff);
  return forecastDay(date, day, tariff);
}

function officialDay(
  date: IsoDate,
  day: KnownDay,
  official: OfficialColor,
  at: Instant,
  tariff: Tariff,
): DayFacts {
  const { color } = official;
  // Words said with another colour explain another colour.
  const agreeing = day.forecast?.color === color ? day.forecast : undefined;
  return {
    date,
    color,
    confidence: 1,
    official: true,
    stage: official.final || dayStart(date, tariff) <= at ? "final" : "announced",
    source: agreeing?.source ?? "official",
    explanation: agreeing?.explanation ?? null,
    rates: dayRates(date, color, day, tariff),
    revised_from: official.revised_from ?? null,
  };
}

function forecastDay(date: IsoDate, day: KnownDay, tariff: Tariff): DayFacts {
  const { color = null, confidence = null, source = null, explanation = null } = day.forecast ?? {};
  // A forecast that the laws forbid counts as unknown (rules: what one day gives).
  if (color === null || !isColorAllowed(date, color, tariff.laws)) {
    return { date, ...NOTHING, source, explanation };
  }
  return {
    date,
    color,
    confidence,
    official: false,
    stage: "forecast",
    source,
    explanation,
    rates: dayRates(date, color, day, tariff),
    revised_from: null,
  };
}

const NOTHING = {
  color: null,
  confidence: null,
  official: false,
  stage: null,
  rates: NO_RATES,
  revised_from: null,
} as const;
