import { addDays, datesBetween, dayStart } from "../calendar/dates.ts";
import { nextPeriodChange, periodSpans } from "../calendar/period.ts";
import type { Color, Instant } from "../calendar/tariff.ts";
import { isColorAllowed, isColorAllowedInRestOfSeason } from "../calendar/tariff-laws.ts";
import { officialColor } from "../days/official-color.ts";
import type { DaysView } from "./days-view.ts";
import type { DatedFacts, DayFacts, NextDayOfColor, RateSpan } from "./facts.ts";
import { pricesNow } from "./prices.ts";
import { shownUpdate } from "./service-facts.ts";

/** What carries its own date or instant. A simulation changes none of it. */
export function datedFacts(view: DaysView, hasService: boolean): DatedFacts {
  return {
    yesterday: yesterdayFacts(view),
    next_change: {
      color: nextColorChange(view),
      period: nextPeriodChange(view.at, view.tariff) ?? null,
      rate: nextRateChange(view),
    },
    next_rouge: nextDayOfColor("rouge", view),
    next_blanc: nextDayOfColor("blanc", view),
    forecast: { updated_at: shownUpdate(view.knownDays), days: knownDaysAhead(view) },
    rates: rateSpans(view, (day) => day.official),
    rates_forecast: rateSpans(view, () => true),
    prices: pricesNow(view, hasService),
    ...view.season(),
  };
}

function yesterdayFacts({ knownDays, today, now }: DaysView): DatedFacts["yesterday"] {
  const date = addDays(today, -1);
  const known = knownDays.days[date];
  const { prediction } = known ?? {};
  return {
    date,
    color: officialColor(known, date < now)?.color ?? null,
    predicted_color: prediction?.color ?? null,
    prediction_confidence: prediction?.confidence ?? null,
  };
}

/** null if an unknown day comes first, or no known day has another colour. */
function nextColorChange({ tariff, now, day }: DaysView): Instant | null {
  const { color } = day(now);
  for (let date = now; day(date).color !== null; date = addDays(date, 1)) {
    if (day(date).color !== color) return dayStart(date, tariff);
  }
  return null;
}

/** null if an unknown rate comes first, or no known rate is another. */
function nextRateChange({ at, tariff, now, day }: DaysView): Instant | null {
  let inForce: number | null = null;
  for (let date = now; ; date = addDays(date, 1)) {
    for (const { start, end, period } of periodSpans(date, tariff)) {
      const rate = day(date).rates[period];
      if (end <= at) continue;
      if (rate === null) return null;
      if (inForce !== null && rate !== inForce) return start;
      inForce = rate;
    }
  }
}

/** From `next` to the end of the horizon. An unknown day hides the days after it, unless the tariff rules it out. */
function nextDayOfColor(color: Color, { tariff, next, last, day }: DaysView): NextDayOfColor {
  for (const date of datesBetween(next, last)) {
    const facts = day(date);
    if (facts.color === color) return { date, confidence: facts.confidence, outlook: "known" };
    if (facts.color === null && isColorAllowed(date, color, tariff.laws)) {
      return { date: null, confidence: null, outlook: "unknown" };
    }
  }
  const isSeasonOver = !isColorAllowedInRestOfSeason(next, color, tariff.laws);
  return { date: null, confidence: null, outlook: isSeasonOver ? "season_over" : "none_in_horizon" };
}

/** The days from today to the end of the horizon that an answer has named, with or without a colour. */
function knownDaysAhead({ knownDays, today, last, day }: DaysView): DayFacts[] {
  return datesBetween(today, last)
    .filter((date) => day(date).official || knownDays.days[date]?.forecast)
    .map(day);
}

/** A span for each period, from the start of the tariff day in force to the first hour without a known rate. */
function rateSpans({ tariff, now, last, day }: DaysView, counts: (day: DayFacts) => boolean): RateSpan[] {
  const spans: RateSpan[] = [];
  for (const date of datesBetween(now, last)) {
    const facts = day(date);
    for (const { start, end, period } of periodSpans(date, tariff)) {
      const value = facts.rates[period];
      if (value === null || !counts(facts)) return spans;
      spans.push({ start, end, value });
    }
  }
  return spans;
}
