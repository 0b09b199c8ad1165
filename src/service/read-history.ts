import type { z } from "zod";
import type { Color, IsoDate } from "../core/calendar/tariff.ts";
import type { HistoryDayInAnswer } from "../core/contract/answer.ts";
import { historyEntrySchema, historySchema } from "../core/contract/endpoints.ts";
import { describeValue } from "./clean-text.ts";
import { createValueReader, type Reading, type ReadSettings, type ValueReader } from "./read-values.ts";
import { AnswerUnreadable, RangeIgnored } from "./service-errors.ts";

/** `GET /v1/public/history`: the days of the requested range, each one once, in order. An empty list is an answer. */
export function readHistory(
  { start, end }: { start: IsoDate; end: IsoDate },
  json: unknown,
  settings: ReadSettings,
): Reading {
  const { entries, omitted } = parseEntries(json, settings.operation);
  const inside = entries.filter(({ date }) => start <= date && date <= end);
  if (entries.length > 0 && inside.length === 0) {
    const dates = entries.map(({ date }) => date).sort();
    const why = `Expected days from ${start} to ${end}, got days from ${dates[0]} to ${dates.at(-1)} only`;
    throw new RangeIgnored(settings.operation, why);
  }
  // Of a date that is sent twice the first entry counts.
  const byDate = new Map(inside.toReversed().map((entry) => [entry.date, entry]));
  const sorted = [...byDate.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
  const values = createValueReader(
    settings,
    sorted.map((entry) => entry.prediction_confidence),
  );
  const days = sorted.map(
    (entry): HistoryDayInAnswer => ({
      date: entry.date,
      ...values.color(entry.color),
      rates: values.rates(entry.hp_rate, entry.hc_rate),
      predicted_color: readPrediction(entry.predicted_color, values),
      prediction_confidence: values.confidence(entry.prediction_confidence),
    }),
  );
  const warnings = omitted > 0 ? [`Entries of the history without a date are not used: ${omitted}`] : [];
  return values.finish({ kind: "history", start, end, entries: days }, warnings);
}

/** A missing prediction needs no warning, unlike a missing colour. */
function readPrediction(value: unknown, values: ValueReader): Color | null {
  return value === undefined || value === null ? null : values.color(value).color;
}

type HistoryEntry = z.output<typeof historyEntrySchema>;

function parseEntries(json: unknown, operation: string): { entries: HistoryEntry[]; omitted: number } {
  const list = historySchema.safeParse(json);
  if (!list.success) {
    throw new AnswerUnreadable(operation, `Expected a list of days, got ${describeValue(json)}`);
  }
  const parsed = list.data.map((entry) => historyEntrySchema.safeParse(entry));
  const entries = parsed.flatMap((one) => (one.success ? [one.data] : []));
  if (entries.length === 0 && list.data.length > 0) {
    const why = `Expected days with a date, got ${list.data.length} entries without one`;
    throw new AnswerUnreadable(operation, why);
  }
  return { entries, omitted: list.data.length - entries.length };
}
