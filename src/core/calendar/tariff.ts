/** The tariff of the configuration. */
export interface Tariff {
  time_zone: string;
  /** Wall-clock time at which a tariff day begins, `06:00`. */
  day_starts_at: string;
  off_peak: readonly DailyWindow[];
  laws: "tempo" | "off";
  rates_first: "service" | "owner";
  rates: readonly PriceRow[];
  /** There is no service to say how many days of each colour a season has: the usual numbers are assumed. */
  assume_season_total?: boolean;
}

/** Two wall-clock times; may cross midnight. */
export interface DailyWindow {
  from: string;
  to: string;
}

/** Prices in EUR/kWh from the day start of `from` on. */
export interface PriceRow extends Record<Color, { hp: number; hc: number }> {
  from: IsoDate;
}

/** EUR/kWh; null where a rate is not known. */
export interface Rates {
  hp: number | null;
  hc: number | null;
}

/** The first rates; one that is missing there is taken from the others. */
export function fillIn(rates: Rates, others: Rates): Rates {
  return { hp: rates.hp ?? others.hp, hc: rates.hc ?? others.hc };
}

export const COLORS = ["bleu", "blanc", "rouge"] as const;
export type Color = (typeof COLORS)[number];

export function byColor<T>(value: (color: Color) => T): Record<Color, T> {
  return { bleu: value("bleu"), blanc: value("blanc"), rouge: value("rouge") };
}

export const PERIODS = ["hp", "hc"] as const;
export type Period = (typeof PERIODS)[number];

/** A civil date as `YYYY-MM-DD`; comparing two as strings orders them. */
export type IsoDate = string;

/** Milliseconds since 1970-01-01T00:00Z. */
export type Instant = number;
