import { z } from "zod";
import type { Color } from "../calendar/tariff.ts";
import { dateSchema } from "../calendar/time-schemas.ts";

/**
 * The interface of the forecast service. Used by the client to send requests, and by the simulator to serve them. Of a day only
 * `date` is required, and the other fields may hold anything: src/service reads them one by one, so that one odd field
 * does not make the whole answer unusable. Unknown fields are ignored.
 */
const PREFIX = "/v1/public";

export const endpoints = {
  forecasts: { path: PREFIX, parameters: {} },
  season: { path: `${PREFIX}/season`, parameters: { season: "season" } },
  history: { path: `${PREFIX}/history`, parameters: { start: "start_date", end: "end_date" } },
  date: { path: `${PREFIX}/{target_date}`, parameters: {} },
} as const;

export type Endpoint = keyof typeof endpoints;

/** The interface of the official source, below its address: as public programs use that of RTE. */
export const officialEndpoints = {
  light: { path: "/tempoLight", parameters: {} },
  season: { path: "/tempo", parameters: { season: "season" } },
} as const;

/** RTE decides the colours, and publishes them here without key or account. */
export const RTE_ADDRESS = "https://www.services-rte.com/cms/open_data/v1";

/** Words of the official source, which it may write in any case. */
export const OFFICIAL_WORDS: Record<Color, string> = { bleu: "BLUE", blanc: "WHITE", rouge: "RED" };

/** Words are read one by one: a bad one loses its date only. */
export const officialSchema = z.object({ values: z.record(z.string(), z.unknown()) });

/** Also nothing. */
const anything = z.unknown().optional();
const ratesSchema = z.object({ hp: anything, hc: anything });

export const dayForecastSchema = z.object({
  date: z.iso.date(),
  color: anything,
  confidence: anything,
  source: anything,
  rates: ratesSchema.catch({}).nullish(),
  explanation: anything,
});

/** Days one by one are read with `dayForecastSchema`: a bad one loses that day only. */
export const forecastsSchema = z.object({
  updated_at: anything,
  today: anything,
  tomorrow: anything,
  forecast: anything,
});

export const dateForecastSchema = z.object({
  date: z.iso.date(),
  color: anything,
  confidence: anything,
  is_official: anything,
  hp_rate: anything,
  hc_rate: anything,
});

export const historyEntrySchema = z.object({
  date: z.iso.date(),
  color: anything,
  hp_rate: anything,
  hc_rate: anything,
  predicted_color: anything,
  prediction_confidence: anything,
});

/** Entries one by one are read with `historyEntrySchema`. */
export const historySchema = z.array(z.unknown());

const quotaSchema = z.object({
  rouge: z.number().int(),
  blanc: z.number().int(),
  bleu: z.number().int(),
});

export const seasonSchema = z.object({
  season: z.string().regex(/^\d{4}-\d{4}$/),
  start_date: dateSchema,
  end_date: dateSchema,
  remaining: quotaSchema,
  total: quotaSchema,
  days_elapsed: z.number().int(),
  days_remaining: z.number().int(),
});

export const validationErrorSchema = z.object({
  detail: z.array(
    z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }),
  ),
});

export type SeasonResponse = z.output<typeof seasonSchema>;
export type ValidationError = z.output<typeof validationErrorSchema>;
