import type { Color, Instant, IsoDate, Period, Rates } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";

/** How far a day's colour may be relied on (days-and-time): nothing official, official, beyond correction. */
export const STAGES = ["forecast", "announced", "final"] as const;
export type Stage = (typeof STAGES)[number];

/** What is known of one date, as a moment or a range of days shows it. */
export interface DayFacts {
  date: IsoDate;
  color: Color | null;
  /** 0 to 1; 1 for an official colour; null where nothing is known. */
  confidence: number | null;
  official: boolean;
  /** null while nothing is known of the day. */
  stage: Stage | null;
  /** The service's word for where it comes from; `official` where only the official colour is known. */
  source: string | null;
  explanation: string | null;
  rates: Rates;
  /** The official colour that this one replaced. */
  revised_from: Color | null;
}

export interface Span {
  start: Instant;
  end: Instant;
  value: number;
}

export const OUTLOOKS = ["known", "none_in_horizon", "unknown", "season_over"] as const;
export type Outlook = (typeof OUTLOOKS)[number];

/** Everything that is true at one instant. `null` is "not known". Parts that need a clock that is right are `moment`. */
export interface Facts {
  at: Instant;
  /** null while the clock is known to be wrong. */
  moment: MomentFacts | null;
  dated: DatedFacts;
  service: ServiceFacts;
  /** The colour that is pretended; left out: none. */
  simulation?: Simulation;
}

/** A colour that is pretended for one tariff day, so that automations can be tried. */
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
    /** null where the windows leave no other period. */
    period_until: Instant | null;
  };
  next: DayFacts & { at: Instant };
  days: Record<CivilDay, DayFacts>;
  announcement: { stage: Stage; date: IsoDate; late: boolean };
  /** When parts of the moment can next turn by the clock alone: their expiry on the broker follows from these. */
  boundaries: {
    /** The tariff day: now, next. */
    day: Instant;
    /** Peak and off-peak, and the price in force: an edge of the period, or the day start if that is earlier. */
    period: Instant;
    /** The civil date: today, tomorrow, d2 and on. */
    midnight: Instant;
    /** `announcement.late`: the hour from which it is late, or midnight. */
    late: Instant;
  };
}

export interface DatedFacts {
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
  rates: Span[];
  rates_forecast: Span[];
  prices: Prices;
  season: SeasonFacts | null;
  /** vigie's own count of official days; null while a day of the season is missing in the book. */
  used: Record<Color, number> | null;
  left: Record<Color, number> | null;
}

/** In force now. `source`: whose word counts first where it gave any of them, else the other's. */
export type Prices = Record<Color, Rates> & { source: "service" | "owner" | null };

/** The first date with a colour, from `next` on. */
export interface NextDayOfColor {
  date: IsoDate | null;
  confidence: number | null;
  outlook: Outlook;
}

/** As the service says. */
export interface SeasonFacts {
  label: string;
  start: IsoDate;
  end: IsoDate;
  days_elapsed: number;
  days_remaining: number;
  remaining: Record<Color, number>;
  total: Record<Color, number>;
}

export const SERVICE_STATUSES = ["ok", "degraded", "down", "simulated"] as const;
export type ServiceStatus = (typeof SERVICE_STATUSES)[number];

export const PROBLEM_CODES = ["none", "service", "clock", "output", "late", "revised"] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface ServiceFacts {
  status: ServiceStatus;
  /** Moves every few hours, as long as all is well. */
  last_success: Instant | null;
  last_error: string | null;
  updated_at: Instant | null;
  problem_code: ProblemCode;
}

/** How the polls went so far: kept in memory by the cycle. */
export interface PollRecord {
  /** When polling began: with no success since, `down` counts from here. */
  started_at: Instant;
  last_success: Instant | null;
  /** `last_success` as published: moved every few hours. */
  shown_success: Instant | null;
  /** The service's `updated_at` as published: moved with the days, else every few hours. */
  shown_update: Instant | null;
  /** The last poll's failure in one sentence; null after a success. */
  failure: string | null;
  simulated: boolean;
}

/** What the facts are derived from, beside the tariff. */
export interface FactsInput {
  knownDays: KnownDays;
  polls: PollRecord;
  /** The best guess of what time it is, and whether the clock may be believed. */
  clock: { at: Instant; right: boolean };
  /** `service.late_after`, wall clock. */
  late_after: string;
  /** A colour that is pretended, while it lasts. */
  simulation?: Simulation | null;
  /** Whether a device does not do as it was told. */
  output_problem?: boolean;
}
