/** The tariff of the configuration. */
export interface Tariff {
  time_zone: string;
  /** Wall-clock time at which a tariff day begins, `06:00`. */
  day_starts_at: string;
  /** The first row that fits a civil date counts. */
  off_peak: readonly OffPeakRow[];
  laws: "tempo" | "off";
  rates_first: "service" | "owner";
  rates: readonly PriceRow[];
  /** There is no service to say how many days of each colour a season has: the usual numbers are assumed. */
  assume_season_total?: boolean;
}

/** The off-peak hours of some dates: those of these months and weekdays, from a date on. What is left out fits every date. */
export interface OffPeakRow {
  from?: IsoDate | undefined;
  months?: readonly Month[] | undefined;
  weekdays?: readonly Weekday[] | undefined;
  windows: readonly DailyWindow[];
}

/** Two wall-clock times; may cross midnight. `24:00` is the end of a date. */
export interface DailyWindow {
  from: string;
  to: string;
}

/** Prices in EUR/kWh from the day start of `from` on. */
export interface PriceRow extends Record<Color, { hp: number; hc: number }> {
  from: IsoDate;
}

/** EUR/kWh; null if a rate is not known. */
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

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const MONTHS = [
  "jan",
  "feb",
  "mar",
  "apr",
  "may",
  "jun",
  "jul",
  "aug",
  "sep",
  "oct",
  "nov",
  "dec",
] as const;
export type Month = (typeof MONTHS)[number];

/** A civil date as `YYYY-MM-DD`; comparing two as strings orders them. */
export type IsoDate = string;

/** Milliseconds since 1970-01-01T00:00Z. */
export type Instant = number;
