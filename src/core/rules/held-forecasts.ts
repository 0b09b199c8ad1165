import { addDays, civilDate, datesBetween } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDay, KnownDays, KnownForecast } from "../days/known-days.ts";

/** The forecasts of the days that rules can look at, as far as they can decide a rule; a `hold` goes by earlier ones. */
export type HeldForecasts = Record<IsoDate, HeldForecast>;

export interface HeldForecast {
  color: Color | null;
  confidence: number | null;
  hp: number | null;
  hc: number | null;
}

/** The forecasts that are known now. */
export function forecastsOf(knownDays: KnownDays, at: Instant, tariff: Tariff): HeldForecasts {
  const forecasts: HeldForecasts = {};
  for (const date of datesAround(at, tariff)) {
    const forecast = knownDays.days[date]?.forecast;
    if (forecast) forecasts[date] = toHeld(forecast);
  }
  return forecasts;
}

/**
 * The known days with earlier forecasts in place of the present ones; null where that makes no difference. An official
 * colour stays, and the first forecast of a date is no change.
 */
export function withForecasts(
  knownDays: KnownDays,
  forecasts: HeldForecasts,
  at: Instant,
  tariff: Tariff,
): KnownDays | null {
  const changed = datesAround(at, tariff).flatMap((date): [IsoDate, KnownDay][] => {
    const day = knownDays.days[date];
    const earlier = forecasts[date];
    if (!earlier || day?.official || (day?.forecast && isSame(toHeld(day.forecast), earlier))) return [];
    return [[date, { ...day, forecast: toKnown(earlier) }]];
  });
  if (changed.length === 0) return null;
  return { ...knownDays, days: { ...knownDays.days, ...Object.fromEntries(changed) } };
}

export function areSame(one: HeldForecasts, other: HeldForecasts): boolean {
  const dates = Object.keys(one);
  return dates.length === Object.keys(other).length && dates.every((date) => isSame(one[date], other[date]));
}

/** From the day that a lag can still reach to the last that a range or a lead can. */
function datesAround(at: Instant, tariff: Tariff): IsoDate[] {
  const today = civilDate(at, tariff.time_zone);
  return datesBetween(addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
}

const DAYS_BACK = 2;
const DAYS_AHEAD = 18;

function toHeld({ color, confidence, rates }: KnownForecast): HeldForecast {
  return { color, confidence, hp: rates.hp, hc: rates.hc };
}

function isSame(one: HeldForecast | undefined, other: HeldForecast | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.color === other.color &&
    one.confidence === other.confidence &&
    one.hp === other.hp &&
    one.hc === other.hc
  );
}

function toKnown({ color, confidence, hp, hc }: HeldForecast): KnownForecast {
  return {
    color,
    confidence,
    rates: { hp, hc },
    raw: null,
    source: null,
    explanation: null,
    said_at: null,
    seen_at: 0,
  };
}
