import type { Color, Instant, IsoDate, Rates } from "../calendar/tariff.ts";

/** A request to the service. */
export type Request =
  | { kind: "forecasts" }
  | { kind: "date"; date: IsoDate }
  | { kind: "season"; label?: string }
  | { kind: "history"; start: IsoDate; end: IsoDate };

/** A request to the official source: today and tomorrow, or the decided days of a season. */
export type OfficialRequest = { kind: "light" } | { kind: "season"; label: string };

/**
 * An answer of the service, after it was read: colours, units and instants are vigie's, what was not usable is null, and
 * each date comes once.
 */
export type Answer =
  | { kind: "forecasts"; updated_at: Instant | null; days: DayInAnswer[] }
  | { kind: "date"; day: DayInAnswer; is_official: boolean | null }
  | { kind: "history"; start: IsoDate; end: IsoDate; entries: HistoryDayInAnswer[] }
  | { kind: "season"; season: SeasonInAnswer };

export interface DayInAnswer {
  date: IsoDate;
  /** null if the service named no colour that vigie knows; `raw` is the text that it sent. */
  color: Color | null;
  raw: string | null;
  /** 0 to 1. */
  confidence: number | null;
  source: string | null;
  explanation: string | null;
  rates: Rates;
}

export interface HistoryDayInAnswer {
  date: IsoDate;
  color: Color | null;
  raw: string | null;
  rates: Rates;
  predicted_color: Color | null;
  prediction_confidence: number | null;
}

export interface SeasonInAnswer {
  label: string;
  start: IsoDate;
  end: IsoDate;
  remaining: Record<Color, number>;
  total: Record<Color, number>;
  days_elapsed: number;
  days_remaining: number;
}

/**
 * An answer of the official source, after it was read: the colours are vigie's, and an answer to a request for a season has no
 * other dates. Which words count depends on when it came (days/official-answer.ts).
 */
export interface OfficialAnswer {
  kind: "light" | "season";
  words: WordInAnswer[];
}

/** `why`: a sentence for the log on a word that is no colour, or one that the tariff forbids on the date. */
export type WordInAnswer = ColorOfDate | { date: IsoDate; color: null; why: string };

export interface ColorOfDate {
  date: IsoDate;
  color: Color;
}
