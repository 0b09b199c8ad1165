import { dayStart, tariffDate } from "../calendar/dates.ts";
import type { Instant, IsoDate, Rates, Tariff } from "../calendar/tariff.ts";
import { allowedColors } from "../calendar/tariff-laws.ts";
import type { KnownDay } from "../days/known-days.ts";
import { type OfficialColor, officialColor } from "../days/official-color.ts";
import type { DayFacts } from "./facts.ts";
import { configuredRates, dayRates, NO_RATES } from "./rates.ts";

/** What is known of one date: its official colour, else a forecast that the tariff allows. */
export function dayFacts(date: IsoDate, day: KnownDay = {}, at: Instant, tariff: Tariff): DayFacts {
  const official = officialColor(day, date < tariffDate(at, tariff));
  return official ? officialDay(date, day, official, at, tariff) : forecastDay(date, day, tariff);
}

function officialDay(
  date: IsoDate,
  day: KnownDay,
  { color, confirmed, contradicted }: OfficialColor,
  at: Instant,
  tariff: Tariff,
): DayFacts {
  // While the sources contradict each other, only a confirmation makes a colour final.
  const isFinal = confirmed || (!contradicted && dayStart(date, tariff) <= at);
  return {
    date,
    color,
    confidence: 1,
    official: true,
    stage: isFinal ? "final" : "announced",
    source: "official",
    // That of a forecast of another colour explains another colour.
    explanation: day.forecast?.color === color ? day.forecast.explanation : null,
    rates: dayRates(date, color, day, tariff),
    revised_from: day.revised_from === color ? null : (day.revised_from ?? null),
    official_by: contradictingWords(day),
  };
}

/** What each source says if they differ. */
export function contradictingWords({ service_word, rte_word }: KnownDay = {}): DayFacts["official_by"] {
  if (!service_word || !rte_word || service_word.color === rte_word.color) return null;
  return { service: service_word.color, rte: rte_word.color };
}

function forecastDay(date: IsoDate, day: KnownDay, tariff: Tariff): DayFacts {
  const { color = null, confidence = null, source = null, explanation = null } = day.forecast ?? {};
  // A forecast of a colour that the tariff rules out counts as unknown.
  const isUsable = color !== null && allowedColors(date, tariff.laws).includes(color);
  const rates = isUsable ? dayRates(date, color, day, tariff) : ratesByLaws(date, tariff);
  const arePricesByLaws = !isUsable && rates !== NO_RATES;
  return {
    date,
    color: isUsable ? color : null,
    confidence: isUsable ? confidence : null,
    official: false,
    stage: isUsable ? "forecast" : null,
    source: arePricesByLaws ? "laws" : source,
    explanation,
    rates,
    revised_from: null,
    official_by: null,
  };
}

/** Nobody has named a colour, but the day can have only one. */
export function ratesByLaws(date: IsoDate, tariff: Tariff): Rates {
  const [only, ...others] = allowedColors(date, tariff.laws);
  return only === undefined || others.length > 0 ? NO_RATES : configuredRates(date, only, tariff);
}

/** The same without what only the laws say. */
export function withoutLaws(facts: DayFacts, day: KnownDay = {}): DayFacts {
  if (facts.color !== null) return facts;
  return { ...facts, source: day.forecast?.source ?? null, rates: NO_RATES };
}
