import {
  type Color,
  fillIn,
  type IsoDate,
  type PriceRow,
  type Rates,
  type Tariff,
} from "../calendar/tariff.ts";
import type { KnownDay } from "../days/known-days.ts";

/** What a kilowatt-hour costs on a day of this colour; `answered`: what the service has just said of it. */
export function dayRates(
  date: IsoDate,
  color: Color,
  day: KnownDay,
  tariff: Tariff,
  answered = NO_RATES,
): Rates {
  const service = fillIn(answered, serviceRates(day, color));
  return preferRates(service, configuredRates(date, color, tariff), tariff);
}

/** The rates that count first (`tariff.rates_first`); a rate that is missing there is taken from the others. */
export function preferRates(service: Rates, configured: Rates, tariff: Tariff): Rates {
  return tariff.rates_first === "service" ? fillIn(service, configured) : fillIn(configured, service);
}

/** The rates that the service gave for a day, as far as it gave them together with this colour. */
export function serviceRates({ service_word: word, forecast }: KnownDay, color: Color): Rates {
  return fillIn(
    word?.color === color ? word.rates : NO_RATES,
    forecast?.color === color ? forecast.rates : NO_RATES,
  );
}

/** The prices of the configured table for a day of this colour. */
export function configuredRates(date: IsoDate, color: Color, tariff: Tariff): Rates {
  return priceRow(date, tariff)?.[color] ?? NO_RATES;
}

/** The newest row of the configured table that has begun by the start of this day. */
export function priceRow(date: IsoDate, { rates }: Tariff): PriceRow | undefined {
  let newest: PriceRow | undefined;
  for (const row of rates) if (row.from <= date && (!newest || row.from >= newest.from)) newest = row;
  return newest;
}

/** The date on which the next row of the configured table begins. */
export function nextPriceRow(date: IsoDate, { rates }: Tariff): IsoDate | undefined {
  return rates
    .map((row) => row.from)
    .filter((from) => from > date)
    .sort()[0];
}

export const NO_RATES: Rates = { hp: null, hc: null };
