import {
  COLORS,
  type Color,
  type IsoDate,
  PERIODS,
  type Period,
  type Rates,
  type Tariff,
} from "../calendar/tariff.ts";
import type { FactsInput, Prices } from "./facts.ts";
import { NO_RATES, nextPriceRow, ownerRates, preferRates, priceRow, serviceRates } from "./rates.ts";
import { type View, viewKnownDays } from "./view.ts";

/** The six prices in force now. */
export function pricesNow(view: View): Prices {
  const { tariff, now } = view;
  const learned = learnedRates(view);
  const owned = byColor((color) => ownerRates(now, color, tariff));
  const first = tariff.rates_first;
  const second = first === "service" ? "owner" : "service";
  const given = { service: isAnyKnown(learned), owner: isAnyKnown(owned) };
  const source = given[first] ? first : given[second] ? second : null;
  return { ...byColor((color) => preferRates(learned[color], owned[color], tariff)), source };
}

/** A price in force now on which the service and the owner's table differ. */
export interface PriceDifference {
  color: Color;
  period: Period;
  service: number;
  owner: number;
}

/** Where the two differ by what would be published: to be said, for one of the two is out of date. */
export function comparePrices(known: FactsInput, tariff: Tariff): PriceDifference[] {
  const view = viewKnownDays(known, tariff);
  const learned = learnedRates(view);
  return COLORS.flatMap((color) =>
    PERIODS.flatMap((period) => {
      const service = learned[color][period];
      const owner = ownerRates(view.now, color, tariff)[period];
      if (service === null || owner === null || Math.abs(service - owner) < PUBLISHED_STEP) return [];
      return [{ color, period, service, owner }];
    }),
  );
}

/**
 * What the service says of a colour's price, on the latest day of that colour that has begun, or else the first
 * ahead. Only days under the owner's row in force count: a price of before that row is stale. Without a row
 * nothing tells how long a price holds, so only the days from `now` on count.
 */
function learnedRates(view: View): Record<Color, Rates> {
  const { knownDays, tariff, now } = view;
  const from = priceRow(now, tariff)?.from ?? now;
  const until = nextPriceRow(now, tariff);
  const found: Partial<Record<Color, { date: IsoDate; rates: Rates }>> = {};
  for (const date in knownDays.days) {
    if (date < from || (until !== undefined && date >= until)) continue;
    const said = saidRates(date, view);
    if (!said) continue;
    const best = found[said.color];
    if (!best || isBetter(date, best.date, now)) found[said.color] = { date, rates: said.rates };
  }
  return byColor((color) => found[color]?.rates ?? NO_RATES);
}

/** The rates that the service gave for a day, with the colour they were said for. */
function saidRates(date: IsoDate, { knownDays, day }: View): { color: Color; rates: Rates } | undefined {
  const known = knownDays.days[date];
  const color = known?.official?.color ?? day(date).color;
  if (!known || color === null) return undefined;
  const rates = serviceRates(known, color);
  return rates.hp === null && rates.hc === null ? undefined : { color, rates };
}

/** Begun before ahead; of those begun the later, of those ahead the earlier. */
function isBetter(date: IsoDate, than: IsoDate, now: IsoDate): boolean {
  if (date <= now) return than > now || date > than;
  return than > now && date < than;
}

function isAnyKnown(rates: Record<Color, Rates>): boolean {
  return COLORS.some((color) => rates[color].hp !== null || rates[color].hc !== null);
}

function byColor<T>(value: (color: Color) => T): Record<Color, T> {
  return { bleu: value("bleu"), blanc: value("blanc"), rouge: value("rouge") };
}

/** Rates go out with five decimals. */
const PUBLISHED_STEP = 0.00001;
