import { addDays, daysBetween } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { HistoryDayInAnswer, Request } from "../core/contract/answer.ts";
import { endpoints, type ValidationError } from "../core/contract/endpoints.ts";
import type { Log } from "../runtime/log.ts";
import type { MemoryKeeper } from "./memory-keeper.ts";
import { RangeIgnored, RequestRefused } from "./service-errors.ts";
import type { RangeNames, Reply, RequestOptions } from "./service-request.ts";

interface DateRange {
  start: IsoDate;
  end: IsoDate;
}

interface HistoryOptions {
  /** `service.history_parameters`. */
  setting: "auto" | RangeNames;
  memory: MemoryKeeper;
  log: Log;
  /** Sends one request, with these names for start and end. */
  ask: (request: Request, names: RangeNames, limits: RequestOptions) => Promise<Reply>;
}

/** The history of a range of any length, in as many requests as that takes. */
export async function askHistory(
  range: DateRange,
  limits: RequestOptions,
  options: HistoryOptions,
): Promise<Reply> {
  const { start, end } = range;
  const entries: HistoryDayInAnswer[] = [];
  let last: Reply | undefined;
  for (const part of splitRange(range)) {
    last = await askPart(part, limits, options);
    if (last.answer.kind === "history") entries.push(...last.answer.entries);
  }
  if (last === undefined) {
    throw new RangeError(`Expected a range that ends after it starts, got ${start} to ${end}`);
  }
  return { ...last, answer: { kind: "history", start, end, entries } };
}

/** A range of dates, both ends included, in parts that the service answers: in order, without overlap or gap. */
export function splitRange({ start, end }: DateRange): DateRange[] {
  const parts: DateRange[] = [];
  for (let from = start; from <= end; from = addDays(from, MOST_DAYS)) {
    const last = daysBetween(from, end) < MOST_DAYS ? end : addDays(from, MOST_DAYS - 1);
    parts.push({ start: from, end: last });
  }
  return parts;
}

/** The interface, section 8: at most 365 days a request. */
const MOST_DAYS = 365;

/** Tries one pair of parameter names after the other until the service understands one. */
async function askPart(part: DateRange, limits: RequestOptions, options: HistoryOptions): Promise<Reply> {
  const { setting, memory, log, ask } = options;
  const candidates = candidateNames(setting, memory.get().history_parameters);
  const tried: RangeNames[] = [];
  let failure: unknown;
  for (let names = candidates.shift(); names && tried.length < MOST_NAMES; names = candidates.shift()) {
    const current = names;
    if (tried.some((other) => isSame(current, other))) continue;
    tried.push(current);
    try {
      const reply = await ask({ kind: "history", ...part }, current, limits);
      learnNames(current, reply, options);
      const assumed = `names of the two dates in the request: ${current.start} and ${current.end}`;
      return { ...reply, assumptions: [...reply.assumptions, assumed] };
    } catch (error) {
      failure = error;
      const next = namesAfter(error, current, options);
      if (next === "other reason") throw error;
      candidates.unshift(...next);
    }
  }
  const names = tried.map(({ start, end }) => `${start}/${end}`).join(", ");
  const problem = `The service understood none of these names for the dates of a history: ${names}`;
  log.warn(`${problem}. Set service.history_parameters to the right ones`);
  throw failure;
}

/** A service that asks for other names each time is not followed without end. */
const MOST_NAMES = 6;

/** The names to try, in order: those that worked before come first. */
export function candidateNames(setting: "auto" | RangeNames, learnt: RangeNames | null): RangeNames[] {
  if (setting !== "auto") return [setting];
  if (learnt === null) return [...USUAL_NAMES];
  return [learnt, ...USUAL_NAMES.filter((names) => !isSame(names, learnt))];
}

const USUAL_NAMES: readonly RangeNames[] = [
  endpoints.history.parameters,
  { start: "start", end: "end" },
  { start: "from", end: "to" },
];

/** The names to try first after a failure; `"other reason"` where the names are not what is wrong. */
function namesAfter(
  error: unknown,
  names: RangeNames,
  { setting, memory }: HistoryOptions,
): RangeNames[] | "other reason" {
  if (setting !== "auto") return "other reason";
  if (error instanceof RangeIgnored) return [];
  if (!(error instanceof RequestRefused) || (error.status !== 400 && error.status !== 422)) {
    return "other reason";
  }
  const wanted = namesWanted(error.details, names);
  if (typeof wanted === "object") return [wanted];
  const learnt = memory.get().history_parameters;
  const hasWorked = learnt !== null && isSame(learnt, names);
  return wanted === "understood" || hasWorked ? "other reason" : [];
}

type Detail = ValidationError["detail"][number];

/**
 * What a refusal says of the names: the two that it asks for, `"unknown"` where the names may be wrong, or
 * `"understood"` where they are right and a value is wrong.
 */
export function namesWanted(
  details: readonly Detail[],
  sent: RangeNames,
): RangeNames | "unknown" | "understood" {
  const own = [sent.start, sent.end];
  const [first, second] = new Set(details.flatMap(queryName).filter((name) => !own.includes(name)));
  if (first !== undefined && second !== undefined) return inOrder(first, second);
  const isUnderstood = details.some(
    (detail) => queryName(detail).some((name) => own.includes(name)) && !isUnknownName(detail),
  );
  return isUnderstood && first === undefined ? "understood" : "unknown";
}

/** The name in `["query", NAME]`. */
function queryName({ loc: [where, name] }: Detail): string[] {
  return where === "query" && typeof name === "string" ? [name] : [];
}

/** Some services refuse names that they do not know. One that misses a name that was sent does not know it, either. */
function isUnknownName({ type }: Detail): boolean {
  return /extra|unexpected|unknown|missing/i.test(type);
}

/** Most services list the start first; a name that says which end it is decides. */
function inOrder(first: string, second: string): RangeNames {
  const isSwapped = END_NAME.test(first) && !END_NAME.test(second);
  return isSwapped ? { start: second, end: first } : { start: first, end: second };
}

const END_NAME = /end|until|before|stop|last|max|fin|^to$|^to_|_to$/i;

/** An empty list proves nothing: a service may answer so to names that it ignored. */
function learnNames(names: RangeNames, { answer }: Reply, { setting, memory, log }: HistoryOptions): void {
  if (setting !== "auto" || answer.kind !== "history" || answer.entries.length === 0) return;
  const learnt = memory.get().history_parameters;
  if (learnt !== null && isSame(learnt, names)) return;
  log.debug(
    `The service understands ${names.start} and ${names.end} as the first and last date of a history`,
  );
  memory.set({ ...memory.get(), history_parameters: names });
}

function isSame(one: RangeNames, other: RangeNames): boolean {
  return one.start === other.start && one.end === other.end;
}
