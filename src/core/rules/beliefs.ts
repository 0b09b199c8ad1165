import { addDays, civilDate, datesBetween } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDay, KnownDays, KnownForecast } from "../days/known-days.ts";

/** The forecasts of the days that rules look at, so far as they decide anything. */
export type Beliefs = Record<IsoDate, Belief>;

export interface Belief {
  color: Color | null;
  confidence: number | null;
  hp: number | null;
  hc: number | null;
}

/** What the book forecasts, as seen from an instant. */
export function beliefsOf(knownDays: KnownDays, at: Instant, tariff: Tariff): Beliefs {
  const beliefs: Beliefs = {};
  for (const date of lookedAt(at, tariff)) {
    const forecast = knownDays.days[date]?.forecast;
    if (forecast) beliefs[date] = beliefOf(forecast);
  }
  return beliefs;
}

/**
 * The book with these forecasts in place of its own; null where that is the same. An official colour stands, and the
 * first word on a date is no change of mind.
 */
export function knownDaysBelieved(
  knownDays: KnownDays,
  beliefs: Beliefs,
  at: Instant,
  tariff: Tariff,
): KnownDays | null {
  const changed = lookedAt(at, tariff).flatMap((date): [IsoDate, KnownDay][] => {
    const day = knownDays.days[date];
    const belief = beliefs[date];
    if (!belief || day?.official || (day?.forecast && isSame(beliefOf(day.forecast), belief))) return [];
    return [[date, { ...day, forecast: forecastOf(belief) }]];
  });
  return changed.length === 0
    ? null
    : { ...knownDays, days: { ...knownDays.days, ...Object.fromEntries(changed) } };
}

/** The same forecasts, and the same object where they are equal. */
export function renewBeliefs(before: Beliefs, after: Beliefs): Beliefs {
  const dates = Object.keys(after);
  const isEqual =
    dates.length === Object.keys(before).length && dates.every((date) => isSame(before[date], after[date]));
  return isEqual ? before : after;
}

/** From the day that a lag can still reach to the last that a range or a lead can. */
function lookedAt(at: Instant, tariff: Tariff): IsoDate[] {
  const today = civilDate(at, tariff.time_zone);
  return datesBetween(addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
}

const DAYS_BACK = 2;
const DAYS_AHEAD = 18;

function beliefOf({ color, confidence, rates }: KnownForecast): Belief {
  return { color, confidence, hp: rates.hp, hc: rates.hc };
}

function isSame(one: Belief | undefined, other: Belief | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.color === other.color &&
    one.confidence === other.confidence &&
    one.hp === other.hp &&
    one.hc === other.hc
  );
}

function forecastOf({ color, confidence, hp, hc }: Belief): KnownForecast {
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
