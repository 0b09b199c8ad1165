import { monthsBefore } from "../calendar/dates.ts";
import type { Rates } from "../calendar/tariff.ts";
import { byColor, COLORS, type Color, type IsoDate, PERIODS } from "../calendar/tariff.ts";
import { officialColor } from "../days/official-color.ts";
import type { DaysView } from "./days-view.ts";
import type { PriceDifference, Prices } from "./facts.ts";
import { configuredRates, NO_RATES, nextPriceRow, preferRates, priceRow, serviceRates } from "./rates.ts";

/** The six prices in force now. */
export function pricesNow(view: DaysView, hasService: boolean): Prices {
  const { tariff, now } = view;
  const service = servicePrices(view);
  const configured = byColor((color) => configuredRates(now, color, tariff));
  const [first, second] =
    tariff.rates_first === "service" ? (["service", "owner"] as const) : (["owner", "service"] as const);
  const prices = { service, owner: configured };
  const source = isAnyKnown(prices[first]) ? first : isAnyKnown(prices[second]) ? second : null;
  const inForce = byColor((color) => preferRates(service[color], configured[color], tariff));
  const difference = findDifference(service, configured);
  return { ...inForce, source, difference, old_row: oldPriceRow(view, hasService) };
}

/** If the prices differ by as much as is published, one of the two is out of date. */
function findDifference(
  service: Record<Color, Rates>,
  configured: Record<Color, Rates>,
): PriceDifference | null {
  for (const color of COLORS) {
    for (const period of PERIODS) {
      const [one, other] = [service[color][period], configured[color][period]];
      if (one !== null && other !== null && Math.abs(one - other) >= PUBLISHED_STEP)
        return { color, period, service: one, configured: other };
    }
  }
  return null;
}

/**
 * The date of the newest row of the configured table that has begun, if that was more than eight months ago and the service
 * names no price: it is probably out of date, as prices change twice a year. null: it is not, or nobody can tell before the
 * service has answered.
 */
export function oldPriceRow({ knownDays, now, tariff }: DaysView, hasService: boolean): IsoDate | null {
  const newest = priceRow(now, tariff)?.from;
  const since = monthsBefore(now, OLD_AFTER);
  if (newest === undefined || newest >= since) return null;
  const days = Object.entries(knownDays.days);
  const hasAnswered = days.some(([, { forecast, service_word }]) => forecast ?? service_word);
  if (hasService && !hasAnswered) return null;
  // What it named long ago may be as old as the row.
  const isNamed = days.some(
    ([date, day]) => date >= since && isAnyKnown(byColor((color) => serviceRates(day, color))),
  );
  return isNamed ? null : newest;
}

/** Months. */
const OLD_AFTER = 8;

/**
 * For each colour the rates that the service gave for the latest day of that colour that has begun, or else for the
 * first one ahead. Only days under the configured row in force count: a price of before that row is out of date. Without a
 * row nothing tells how long a price holds, so only the days from `now` on count.
 */
function servicePrices(view: DaysView): Record<Color, Rates> {
  const { knownDays, tariff, now } = view;
  const found: Partial<Record<Color, { date: IsoDate; rates: Rates }>> = {};
  const from = priceRow(now, tariff)?.from ?? now;
  const until = nextPriceRow(now, tariff) ?? NEVER;
  const dates = Object.keys(knownDays.days).filter((date) => date >= from && date < until);
  // The newest first: it is mostly the one that counts, and the rates of the others are not looked at.
  for (const date of dates.reverse()) {
    const known = knownDays.days[date];
    const color = officialColor(known, date < now)?.color ?? view.day(date).color;
    if (!known || color === null) continue;
    const best = found[color];
    if (best && !isBetter(date, best.date, now)) continue;
    const rates = serviceRates(known, color);
    if (rates.hp !== null || rates.hc !== null) found[color] = { date, rates };
  }
  return byColor((color) => found[color]?.rates ?? NO_RATES);
}

/** A day that has begun before one ahead; of those begun the later, of those ahead the earlier. */
function isBetter(date: IsoDate, than: IsoDate, now: IsoDate): boolean {
  if (date <= now) return than > now || date > than;
  return than > now && date < than;
}

function isAnyKnown(rates: Record<Color, Rates>): boolean {
  return COLORS.some((color) => rates[color].hp !== null || rates[color].hc !== null);
}

/** Later than each date. */
const NEVER = "9999-99-99";
/** Rates are published with five decimals. */
const PUBLISHED_STEP = 0.00001;
