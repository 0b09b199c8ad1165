import type { Color } from "../core/calendar/tariff.ts";
import type { Answer } from "../core/contract/answer.ts";
import type { Scale } from "./read-confidence.ts";

/** How an answer is to be understood: the owner's settings and what was learned. */
export interface Terms {
  /** The request in words, for messages: `GET /v1/public`. */
  asked: string;
  spellings: ReadonlyMap<string, Color>;
  confidence: "auto" | Scale;
  /** Percent was seen before. */
  percent: boolean;
  rate_unit: "EUR/kWh" | "c€/kWh";
}

export interface Reading {
  answer: Answer;
  /** What an owner should know once: each a sentence. */
  notices: string[];
  observed: Observed;
}

/** What stood in the answer before it was put into vigie's words, for who wants to see what was assumed. */
export interface Observed {
  colors: { said: string; color: Color | null }[];
  confidence: (Bounds & { scale: Scale }) | null;
  rates: Bounds | null;
  /** Whether `is_official` was sent as true or false; null where the endpoint has no such field. */
  official: boolean | null;
}

export interface Bounds {
  low: number;
  high: number;
}
