import type { z } from "zod";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { HistoryDayInAnswer } from "../core/contract/answer.ts";
import { historyEntrySchema, historySchema } from "../core/contract/endpoints.ts";
import { describeValue } from "./clean-text.ts";
import { observe } from "./observe-answer.ts";
import { readColor } from "./read-color.ts";
import { readConfidence, type Scale, scaleOf } from "./read-confidence.ts";
import { readRates } from "./read-rates.ts";
import type { Reading, Terms } from "./reading-terms.ts";
import { AnswerUnreadable, RangeIgnored } from "./service-errors.ts";

/** `GET /v1/public/history`: what lies in the range asked for, once a date, in order. An empty list is an answer. */
export function readHistory(range: { start: IsoDate; end: IsoDate }, json: unknown, terms: Terms): Reading {
  const { entries, lost } = parseEntries(json, terms);
  const { start, end } = range;
  const inside = entries.filter(({ date }) => start <= date && date <= end);
  if (entries.length > 0 && inside.length === 0) {
    const dates = entries.map(({ date }) => date).sort();
    const why = `Expected days from ${start} to ${end}, got days from ${dates[0]} to ${dates.at(-1)} only`;
    throw new RangeIgnored(terms.asked, why);
  }
  const unique = [...new Map(inside.toReversed().map((entry) => [entry.date, entry])).values()];
  const sorted = unique.sort((one, other) => (one.date < other.date ? -1 : 1));
  const { observed, notices } = observe(sentIn(sorted), terms);
  const scale = scaleOf(sentIn(sorted).confidences, terms.confidence, terms.percent);
  const days = sorted.map((entry) => readEntry(entry, scale, terms));
  const losses = lost > 0 ? [`The history leaves out ${lost} entries that have no date`] : [];
  return {
    answer: { kind: "history", start, end, entries: days },
    notices: [...losses, ...notices],
    observed,
  };
}

type RawEntry = z.output<typeof historyEntrySchema>;

function parseEntries(json: unknown, terms: Terms): { entries: RawEntry[]; lost: number } {
  const list = historySchema.safeParse(json);
  if (!list.success)
    throw new AnswerUnreadable(terms.asked, `Expected a list of days, got ${describeValue(json)}`);
  const parsed = list.data.map((entry) => historyEntrySchema.safeParse(entry));
  const entries = parsed.flatMap((one) => (one.success ? [one.data] : []));
  if (entries.length === 0 && list.data.length > 0) {
    throw new AnswerUnreadable(
      terms.asked,
      `Expected days with a date, got ${list.data.length} entries without one`,
    );
  }
  return { entries, lost: list.data.length - entries.length };
}

/** A prediction may well be missing: that is no news. */
function sentIn(entries: readonly RawEntry[]) {
  const predicted = entries.map((entry) => entry.predicted_color ?? undefined);
  return {
    colors: [...entries.map((entry) => entry.color), ...predicted.filter((color) => color !== undefined)],
    confidences: entries.map((entry) => entry.prediction_confidence),
    rates: entries.flatMap((entry) => [entry.hp_rate, entry.hc_rate]),
  };
}

function readEntry(entry: RawEntry, scale: Scale, terms: Terms): HistoryDayInAnswer {
  return {
    date: entry.date,
    ...readColor(entry.color, terms.spellings),
    rates: readRates(entry.hp_rate, entry.hc_rate, terms.rate_unit),
    predicted_color: readColor(entry.predicted_color, terms.spellings).color,
    prediction_confidence: readConfidence(entry.prediction_confidence, scale),
  };
}
