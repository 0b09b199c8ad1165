import type { Color, IsoDate, PriceRow, Rates, Tariff } from "../calendar/tariff.ts";
import type { KnownDay } from "../days/known-days.ts";

/** What a kilowatt-hour costs on a day of this colour. */
export function dayRates(date: IsoDate, color: Color, day: KnownDay, tariff: Tariff): Rates {
  return preferRates(serviceRates(day, color), ownerRates(date, color, tariff), tariff);
}

/** Of two words for the same rates the one that counts first; a missing half comes from the other. */
export function preferRates(service: Rates, owner: Rates, tariff: Tariff): Rates {
  return tariff.rates_first === "service" ? fillIn(service, owner) : fillIn(owner, service);
}

/** What the service said of a day's rates, so far as it said so of this colour. */
export function serviceRates({ official, forecast }: KnownDay, color: Color): Rates {
  const officially = official?.color === color ? official.rates : NO_RATES;
  const expected = forecast?.color === color ? forecast.rates : NO_RATES;
  return fillIn(officially, expected);
}

/** The owner's prices for a day of this colour. */
export function ownerRates(date: IsoDate, color: Color, tariff: Tariff): Rates {
  return priceRow(date, tariff)?.[color] ?? NO_RATES;
}

/** The owner's newest row that has begun by the start of this day. */
export function priceRow(date: IsoDate, tariff: Tariff): PriceRow | undefined {
  return tariff.rates.reduce<PriceRow | undefined>(
    (newest, row) => (row.from <= date && (!newest || row.from >= newest.from) ? row : newest),
    undefined,
  );
}

/** The date from which another row counts than on this day. */
export function nextPriceRow(date: IsoDate, tariff: Tariff): IsoDate | undefined {
  return tariff.rates.reduce<IsoDate | undefined>(
    (next, row) => (row.from > date && (next === undefined || row.from < next) ? row.from : next),
    undefined,
  );
}

function fillIn(rates: Rates, others: Rates): Rates {
  return { hp: rates.hp ?? others.hp, hc: rates.hc ?? others.hc };
}

export const NO_RATES: Rates = { hp: null, hc: null };
