import { z } from "zod";

/** The service's interface read as narrowly as it can be: every field there, nothing else, colours by their names. */
const color = z.enum(["rouge", "blanc", "bleu"]);
const ratio = z.number().min(0).max(1);
const rate = z.number().positive().max(1);
const count = z.number().int().nonnegative();
const quota = z.strictObject({ rouge: count, blanc: count, bleu: count });

const strictDay = z.strictObject({
  date: z.iso.date(),
  color,
  confidence: ratio,
  source: z.string().min(1),
  rates: z.strictObject({ hp: rate, hc: rate }),
  explanation: z.string().min(1),
});

export const strictForecasts = z.strictObject({
  updated_at: z.iso.datetime(),
  today: strictDay,
  tomorrow: strictDay,
  forecast: z.array(strictDay).length(6),
});

export const strictDate = z.strictObject({
  date: z.iso.date(),
  color,
  confidence: ratio,
  is_official: z.boolean(),
  hp_rate: rate,
  hc_rate: rate,
});

export const strictHistory = z
  .array(
    z.strictObject({
      date: z.iso.date(),
      color,
      hp_rate: rate,
      hc_rate: rate,
      predicted_color: color,
      prediction_confidence: ratio,
    }),
  )
  .max(365);

export const strictSeason = z.strictObject({
  season: z.string().regex(/^\d{4}-\d{4}$/),
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  remaining: quota,
  total: quota,
  days_elapsed: count,
  days_remaining: count,
});

export const strictInvalid = z.strictObject({
  detail: z
    .array(
      z.strictObject({
        loc: z.array(z.union([z.string(), z.number().int()])).min(1),
        msg: z.string().min(1),
        type: z.string().min(1),
      }),
    )
    .min(1),
});
