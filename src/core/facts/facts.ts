import type { Color, Instant, IsoDate, Period, Rates } from "../calendar/tariff.ts";
import type { Season } from "../calendar/tariff-season.ts";
import type { KnownDays, KnownSeason } from "../days/known-days.ts";
import type { SourceRecord } from "./source-record.ts";

/** What the facts are derived from, beside the tariff. */
export interface FactsInput {
  knownDays: KnownDays;
  /** null: there is no forecast service. */
  service: SourceRecord | null;
  /** null: there is no official source. */
  official: SourceRecord | null;
  /**
   * The best guess of what time it is, and whether this machine's clock is right. `at_least`: no source tells the time; it is
   * this late or later, as the newest known instant has passed. `doubted_by`: nobody agrees with this machine's clock, and it
   * counts as right all the same; a source says this time.
   */
  clock: { at: Instant; right: boolean; at_least?: true; doubted_by?: Instant };
  /** `service.late_after`: a time of the wall clock. */
  late_after: string;
  /** The built-in simulator says the days, as one of the sources or as both. */
  isInvented: boolean;
  /** The simulation that was started last, if any; it may be over. */
  simulation: Simulation | null;
  /** The outputs whose device does not do what it was sent, as people call them. */
  failed_outputs: readonly string[];
  /** An error of vigie itself keeps a part of it from working. */
  vigie_failed: boolean;
}

/** Everything that is true at one instant. `null` means "not known". */
export interface Facts {
  at: Instant;
  /** What time alone changes; null while the clock is known to be wrong. */
  moment: MomentFacts | null;
  /** What carries its own date or instant, and so is true whenever it is read. */
  dated: DatedFacts;
  service: ServiceFacts;
  official: OfficialFacts;
  /** The simulation that is running. */
  simulation: Simulation | null;
  /** The earliest instant after `at` at which time alone changes any of these facts. */
  next_boundary: Instant;
}

/** How far a day's colour can be relied on: nothing official, official, official and no longer corrected. */
export const STAGES = ["forecast", "announced", "final"] as const;
export type Stage = (typeof STAGES)[number];

/** What is known of one date. */
export interface DayFacts {
  date: IsoDate;
  color: Color | null;
  /** 0 to 1; 1 for an official colour; null if nothing is known. */
  confidence: number | null;
  official: boolean;
  /** null while nothing is known of the day. */
  stage: Stage | null;
  /**
   * `official` if the colour is official, else what the service names as the source of its forecast; `laws` if there is
   * no colour, and prices because the tariff's laws allow only one.
   */
  source: string | null;
  explanation: string | null;
  rates: Rates;
  /** The official colour that this one replaced. */
  revised_from: Color | null;
  /** What each source says, if they contradict each other. */
  official_by: { service: Color; rte: Color } | null;
}

/** A colour that is pretended for one tariff day, to try automations. The state file holds it. */
export interface Simulation {
  color: Color;
  from: "now" | "next";
  date: IsoDate;
  begun: Instant;
  until: Instant;
}

/** Names of civil days from today on. */
export const CIVIL_DAYS = ["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"] as const;
export type CivilDay = (typeof CIVIL_DAYS)[number];

export interface MomentFacts {
  now: DayFacts & {
    period: Period;
    rate: number | null;
    color_until: Instant;
    /** null if the period never changes. */
    period_until: Instant | null;
  };
  next: DayFacts & { at: Instant };
  days: Record<CivilDay, DayFacts>;
  announcement: { stage: Stage | null; date: IsoDate; late: boolean };
  /** The next instants at which time alone changes parts of the moment: the topics expire soon after them. */
  boundaries: {
    /** When the tariff day ends: `now` and `next` change. */
    day: Instant;
    /** When the period ends, and the price in force with it. The price changes with the day as well. */
    period: Instant;
    /** When the civil day ends: `today`, `tomorrow`, `d2` and so on change. */
    midnight: Instant;
    /** When `announcement.late` begins or ends. */
    late: Instant;
  };
}

export interface DatedFacts extends SeasonFacts {
  yesterday: {
    date: IsoDate;
    color: Color | null;
    predicted_color: Color | null;
    prediction_confidence: number | null;
  };
  next_change: { color: Instant | null; period: Instant | null; rate: Instant | null };
  next_rouge: NextDayOfColor;
  next_blanc: NextDayOfColor;
  forecast: { updated_at: Instant | null; days: DayFacts[] };
  /** From official days only. */
  rates: RateSpan[];
  /** From official days and from forecasts. */
  rates_forecast: RateSpan[];
  prices: Prices;
}

export interface SeasonFacts {
  /** As the service gives it. */
  season: KnownSeason | null;
  /** The season by the date, if no service names it and RTE names its days. */
  by_date: Season | null;
  /** vigie's own count of official days; null while the colour of a day of the season is not known. */
  used: Record<Color, number> | null;
  left: Record<Color, number> | null;
  /** `left` is counted from the usual number of days, as no service says it. */
  assumed: boolean;
}

export const OUTLOOKS = ["known", "none_in_horizon", "unknown", "season_over"] as const;
export type Outlook = (typeof OUTLOOKS)[number];

/** The first date with a colour, from `next` on. */
export interface NextDayOfColor {
  date: IsoDate | null;
  confidence: number | null;
  outlook: Outlook;
}

export interface RateSpan {
  start: Instant;
  end: Instant;
  value: number;
}

/** In force now. `source` is the one that counts first (`tariff.rates_first`) if it has any price, else the other. */
export type Prices = Record<Color, Rates> & {
  source: "service" | "owner" | null;
  /** The first price that is not the same in the service's answers and in the configured table. */
  difference: PriceDifference | null;
  /** The date of the newest row of the configured table, if it is probably out of date. */
  old_row: IsoDate | null;
};

export interface PriceDifference {
  color: Color;
  period: Period;
  service: number;
  configured: number;
}

export const SERVICE_STATUSES = ["ok", "degraded", "down", "simulated", "off"] as const;
export type ServiceStatus = (typeof SERVICE_STATUSES)[number];

/** The most important first. */
export const PROBLEM_CODES = [
  "none",
  "vigie",
  "clock",
  "broker",
  "service",
  "official",
  "output",
  "contradiction",
  "late",
  "revised",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export const OFFICIAL_STATUSES = ["ok", "degraded", "down", "off"] as const;
export type OfficialStatus = (typeof OFFICIAL_STATUSES)[number];

/** How well the official source answers. */
export interface OfficialFacts {
  status: OfficialStatus;
  last_success: Instant | null;
  last_error: string | null;
}

export interface ServiceFacts {
  status: ServiceStatus;
  /** Published every few hours only, as long as all is well. */
  last_success: Instant | null;
  last_error: string | null;
  updated_at: Instant | null;
  problem_code: ProblemCode;
  /** As people call them, and also while another problem is more important. */
  failed_outputs: readonly string[];
}
