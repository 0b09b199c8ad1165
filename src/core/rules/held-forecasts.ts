import { z } from "zod";
import { addDays, civilDate, datesBetween } from "../calendar/dates.ts";
import { COLORS, type Instant, type IsoDate, type Tariff } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import type { KnownDays, KnownForecast } from "../days/known-days.ts";
import { isOfficial } from "../days/official-color.ts";

const forecastSchema = z.object({
  color: z.enum(COLORS).nullable(),
  confidence: z.number().nullable(),
  hp: z.number().nullable(),
  hc: z.number().nullable(),
});

/** The forecasts of the days that rules can look at, as far as they can decide a rule: a `hold` goes by earlier ones. */
export const heldForecastsSchema = z.record(z.iso.date(), forecastSchema);
export type HeldForecasts = z.infer<typeof heldForecastsSchema>;
type HeldForecast = z.infer<typeof forecastSchema>;

/**
 * The forecasts that decide a rule while it holds its verdict, and those that decide the rules that it refers to, by id,
 * where these are others: such a rule was held itself.
 */
export interface Believed {
  forecasts: HeldForecasts;
  rules: Readonly<Record<string, Believed>>;
}

export const believedSchema: z.ZodType<Believed> = z.object({
  forecasts: heldForecastsSchema,
  get rules() {
    return z.record(z.string(), believedSchema);
  },
});

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
 * The known days with earlier forecasts in place of the present ones; the same object where that makes no difference.
 * An official colour stays, and the first forecast of a date is no change.
 */
export function withForecasts(
  knownDays: KnownDays,
  forecasts: HeldForecasts,
  at: Instant,
  tariff: Tariff,
): KnownDays {
  const days = { ...knownDays.days };
  let isChanged = false;
  for (const date of datesAround(at, tariff)) {
    const [day, earlier] = [days[date], forecasts[date]];
    if (!earlier || isOfficial(day) || (day?.forecast && isEqual(toHeld(day.forecast), earlier))) continue;
    days[date] = { ...day, forecast: toKnown(earlier) };
    isChanged = true;
  }
  return isChanged ? { ...knownDays, days } : knownDays;
}

/** From the day that a lag can still reach to the last that a range or a lead can. */
function datesAround(at: Instant, tariff: Tariff): IsoDate[] {
  const today = civilDate(at, tariff.time_zone);
  return datesBetween(addDays(today, -2), addDays(today, 18));
}

function toHeld({ color, confidence, rates }: KnownForecast): HeldForecast {
  return { color, confidence, hp: rates.hp, hc: rates.hc };
}

function toKnown({ color, confidence, hp, hc }: HeldForecast): KnownForecast {
  const unused = { raw: null, source: null, explanation: null, said_at: null, seen_at: 0 };
  return { color, confidence, rates: { hp, hc }, ...unused };
}
