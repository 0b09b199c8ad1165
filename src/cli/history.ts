import { addDays, datesBetween, tariffDate } from "../core/calendar/dates.ts";
import type { IsoDate, Tariff } from "../core/calendar/tariff.ts";
import type { HistoryDayInAnswer } from "../core/contract/answer.ts";
import type { KnownDay, KnownDays } from "../core/days/known-days.ts";
import { officialColor } from "../core/days/official-color.ts";
import { dayRates, NO_RATES } from "../core/facts/rates.ts";
import { systemClock } from "../runtime/clock.ts";
import { splitRange } from "../service/ask-history.ts";
import { askSources, isFailure, type Sources } from "./ask-service.ts";
import { toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { readDate } from "./read-time.ts";
import { type Cell, colorCell, confidenceCell, formatTable, rateCell } from "./table.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie history [--from D] [--to D]`: official colours, and what the service had predicted; else the last 30 days. */
export function history(args: string[], io: Io): Promise<number> {
  return toExitCode("history", io, async () => {
    const { file, json, from, to } = readHistoryArgs(args);
    const { start, end, entries, counted } = await askSources(file, io, (sources) =>
      askRange(from, to, sources),
    );
    if (json) io.stdout.write(`${JSON.stringify(entries, null, 2)}\n`);
    else if (entries.length === 0) io.stderr.write(`vigie: no days from ${start} to ${end}\n`);
    else {
      const rows = entries.map((entry) => historyRow(entry, counted?.includes(entry) ?? false));
      const table = formatTable([HEADING, ...rows], io.color);
      io.stdout.write(counted ? `${table}\n${countRight(counted)}\n` : table, "painted");
    }
  });
}

/**
 * One request for each part of a long range, so that each has the time of a request. `counted`: the days whose predictions are
 * right or wrong; null where the service did not answer.
 */
async function askRange(from: IsoDate | undefined, to: IsoDate | undefined, sources: Sources) {
  const range = rangeFrom(from, to, sources.today);
  const { tariff } = sources.config;
  const known = async (failure: Error | null) => {
    const entries = await sources.findKnown(failure, (days) => knownHistory(range, days, tariff));
    return { ...range, entries: entries ?? [], counted: null };
  };
  if (!sources.ask) return known(null);
  const entries: HistoryDayInAnswer[] = [];
  try {
    for (const part of splitRange(range)) {
      const answer = await sources.ask({ kind: "history", ...part });
      if (answer.kind === "history") entries.push(...answer.entries);
    }
  } catch (error) {
    if (isFailure(error)) return known(error);
    throw error;
  }
  const { days } = await sources.learnt();
  // With a day that has begun its colour is final, as the history names it then.
  const inForce = tariffDate(systemClock.now(), tariff);
  const used = entries.map((entry) => asUsed(entry, days[entry.date], inForce, tariff));
  return { ...range, entries: used, counted: used.filter(({ date }) => date <= inForce) };
}

/**
 * The day with the colour that vigie uses, and with its prices: the service may name another colour than RTE, and its prices
 * are of its own colour.
 */
function asUsed(
  entry: HistoryDayInAnswer,
  known: KnownDay = {},
  inForce: IsoDate,
  tariff: Tariff,
): HistoryDayInAnswer {
  const { date } = entry;
  const color = officialColor(known, date < inForce)?.color ?? entry.color;
  if (color === null) return entry;
  const isOther = color !== entry.color;
  const rates = dayRates(date, color, known, tariff, isOther ? NO_RATES : entry.rates);
  return { ...entry, color, rates, ...(isOther && { raw: null }) };
}

function readHistoryArgs(args: string[]) {
  const { values } = readArgs({ args, options: OPTIONS });
  const from = values.from === undefined ? undefined : readDate("--from", values.from);
  const to = values.to === undefined ? undefined : readDate("--to", values.to);
  return { file: values.config, json: values.json, from, to };
}

const OPTIONS = {
  config: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

function rangeFrom(from: IsoDate | undefined, to: IsoDate | undefined, today: IsoDate) {
  const end = to ?? today;
  const start = from ?? addDays(end, 1 - DAYS);
  if (start > end) throw new WrongUsage(`Expected --from to be no later than ${end}, got ${start}`);
  return { start, end };
}

/** The official days that vigie has learnt, in the form of an answer; null for none. */
function knownHistory({ start, end }: { start: IsoDate; end: IsoDate }, { days }: KnownDays, tariff: Tariff) {
  const inForce = tariffDate(systemClock.now(), tariff);
  const entries = datesBetween(start, end).flatMap((date): HistoryDayInAnswer[] => {
    const day = days[date] ?? {};
    const color = officialColor(day, date < inForce)?.color;
    if (!color) return [];
    const rates = dayRates(date, color, day, tariff);
    return [{ date, color, rates, raw: null, predicted_color: null, prediction_confidence: null }];
  });
  return entries.length > 0 ? entries : null;
}

const DAYS = 30;
const HEADING = ["date", "colour", "hp", "hc", "predicted", "confidence", ""];

function historyRow(entry: HistoryDayInAnswer, isCounted: boolean): Cell[] {
  return [
    entry.date,
    colorCell(entry.color, entry.raw),
    rateCell(entry.rates.hp),
    rateCell(entry.rates.hc),
    colorCell(entry.predicted_color),
    confidenceCell(entry.prediction_confidence),
    isCounted && isRight(entry) === false ? "wrong" : "",
  ];
}

/** null where the service says no prediction of the day, or no colour. */
function isRight({ color, predicted_color }: HistoryDayInAnswer): boolean | null {
  return color === null || predicted_color === null ? null : color === predicted_color;
}

function countRight(entries: readonly HistoryDayInAnswer[]): string {
  const known = entries.map(isRight).filter((right) => right !== null);
  if (known.length === 0) return "The service says no predictions of these days";
  return `${known.filter((right) => right).length} of ${known.length} predictions were right`;
}
