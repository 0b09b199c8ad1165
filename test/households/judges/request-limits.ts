import { DAY, HOUR, MINUTE, readTime, wallClock } from "../calendar.ts";
import { isKind, type SourceName, type Trace, type TraceEvent } from "../trace.ts";
import { type Finding, type Judge, untilWrong } from "./judge.ts";
import { houseAt, housesBetween } from "./topics.ts";

/** docs/sources.md, "What vigie asks, and how often". */
export const requestJudges: readonly Judge[] = [
  { name: "requests a minute", find: (trace) => SOURCES.flatMap((source) => judgeMinutes(trace, source)) },
  { name: "requests a day", find: (trace) => SOURCES.flatMap((source) => judgeDays(trace, source)) },
  {
    name: "season and history that fail",
    find: (trace) => PATHS.flatMap((path) => judgeFailing(trace, path)),
  },
];

const SOURCES: readonly SourceName[] = ["service", "rte"];
const PATHS = ["/v1/public/season", "/v1/public/history"];

/** "10 requests a minute". */
function judgeMinutes(trace: Trace, source: SourceName): Finding[] {
  return untilWrong(countRequests(trace, source), ({ request, recent }) => {
    const sentence = `${recent.length} requests to ${source} in a minute, at most 10`;
    return recent.length > 10 ? { at: request.steady, sentence } : "right";
  });
}

/** "150 a day" to the service, "80 a day" to RTE; "the hourly ones", and to RTE "18:00 and 05:50", "go on". */
function judgeDays(trace: Trace, source: SourceName): Finding[] {
  return untilWrong(countRequests(trace, source), ({ request, ofDay }) => {
    const sentence = whatIsWrong(trace, source, ofDay, request);
    return sentence === null ? "right" : { at: request.steady, sentence };
  });
}

interface Counted extends Sent {
  request: Request;
}

/**
 * Each request with those that vigie knows to have sent. A restart forgets only what was not saved yet. A day is one of UTC, by a clock
 * that vigie reads at its start and that nobody sets after that: a clock that is set from 23:55 to 00:05 begins no day.
 */
function countRequests(trace: Trace, source: SourceName): Counted[] {
  const found: Counted[] = [];
  let known = nothingSent();
  let saved = nothingSent();
  let writing = nothingSent();
  /** `steady` when the clock of this process shows the beginning of 1970. */
  let clockBegan = 0;
  let suspendedAt = 0;
  for (const event of trace.events) {
    if (isKind(event, "start")) clockBegan = event.steady - event.at;
    if (isKind(event, "suspend")) suspendedAt = event.steady;
    if (isKind(event, "resume")) clockBegan += event.steady - suspendedAt;
    if (isKind(event, "request") && event.source === source) {
      known = countRequest(known, event, Math.floor((event.steady - clockBegan) / DAY));
      found.push({ ...known, request: event });
    }
    if (isKind(event, "write") && event.outcome === "begun") writing = known;
    if (isKind(event, "write") && event.outcome === "done") saved = writing;
    if (isKind(event, "start")) known = saved;
    if (isKind(event, "no answer") && event.source === source) known = uncountRefused(known, event);
    // What an earlier state file holds is not in the trace; nor is how a clock that was set, or has slept, shifts the days.
    if (isKind(event, "state file", "jump", "resume")) known = saved = writing = nothingSent();
  }
  return found;
}

interface Failure {
  steady: number;
  /** Those that vigie knows, with this one. */
  failed: readonly number[];
}

/** "It is asked for again after an hour, and no more after ten failures on one day." */
function judgeFailing(trace: Trace, path: string): Finding[] {
  return untilWrong(failuresOf(trace, path), ({ steady, failed }) => {
    const wrong = (what: string) => ({ at: steady, sentence: `${path} fails: ${what}` });
    const last = failed.at(-2);
    // Nothing says when the first one may be asked for.
    if (last === undefined) return "skipped";
    if (steady - last < HOUR - 5_000)
      return wrong(`asked again after ${Math.round((steady - last) / 60_000)} minutes`);
    const zone = houseAt(trace, steady)?.timeZone;
    // Timers may be due at parts of a millisecond.
    const dayOf = (at: number) => wallClock(Math.round(trace.began + at), zone).date;
    const day = dayOf(steady);
    const ofDay = failed.filter((at) => dayOf(at) === day).length;
    return ofDay > 10 ? wrong(`asked ${ofDay} times on ${day}`) : "right";
  });
}

/** A killed vigie may not have saved a failure, and a disk that fails saves nothing. */
function failuresOf({ events }: Trace, path: string): Failure[] {
  const found: Failure[] = [];
  let failed: readonly number[] = [];
  let saved = failed;
  let writing = failed;
  for (const event of events) {
    // Then it is asked by another clock, or the failure may not be known any more.
    if (isKind(event, "jump", "kill", "crash", "state file", "reload", "suspend", "resume"))
      failed = saved = writing = [];
    if (isKind(event, "write") && event.outcome === "begun") writing = failed;
    if (isKind(event, "write") && event.outcome === "done") saved = writing;
    if (isKind(event, "start")) failed = saved;
    if (!isKind(event, "answer") || !event.path.startsWith(path)) continue;
    // It is asked with other names at once if it does not know those of the range.
    if (event.status !== 404 && event.status !== 503) continue;
    failed = [...failed, event.steady];
    found.push({ steady: event.steady, failed });
  }
  return found;
}

type Request = TraceEvent & { path: string };

/** What vigie knows that it has sent. */
interface Sent {
  recent: readonly Request[];
  day: number;
  ofDay: readonly Request[];
}

function nothingSent(): Sent {
  return { recent: [], day: Number.NEGATIVE_INFINITY, ofDay: [] };
}

function countRequest(sent: Sent, request: Request, day: number): Sent {
  const recent = sent.recent.filter(({ steady }) => request.steady - steady < MINUTE - 1);
  const ofDay = day === sent.day ? sent.ofDay : [];
  return { ...sent, recent: [...recent, request], day, ofDay: [...ofDay, request] };
}

/** A connection that was refused at once has sent nothing. */
function uncountRefused(sent: Sent, { path, steady }: Request): Sent {
  const last = sent.ofDay.findLast((one) => one.path === path);
  if (!last || steady - last.steady > AT_ONCE) return sent;
  return { ...sent, ofDay: sent.ofDay.filter((one) => one !== last) };
}

function whatIsWrong(
  trace: Trace,
  source: SourceName,
  ofDay: readonly Request[],
  { path }: Request,
): string | null {
  const budget = BUDGETS[source];
  if (ofDay.length <= budget) return null;
  const again = ofDay.slice(budget).filter((one) => one.path === path);
  // Each hour by itself as well: what was not asked in the morning is not asked three times in the evening.
  const isTooOften = [again, again.slice(-3)].some(
    (list) => list.length > (path.startsWith("/tempo?") ? 0 : pollsThatGoOn(trace, source, list)),
  );
  if (!isTooOften) return null;
  return `${again.length} requests for ${path} to ${source} beyond the ${budget} of a day, the last three of them or all too soon`;
}

/** The hourly polls from the first of these to the last, and those of 18:00 and 05:50; the one that spent the budget ends as well. */
function pollsThatGoOn(trace: Trace, source: SourceName, list: readonly Request[]): number {
  const [first, last] = [list[0]!, list.at(-1)!];
  const houses = housesBetween(trace, first.steady, last.steady);
  const every = source === "rte" ? HOUR : Math.min(...houses.map(({ pollEvery }) => pollEvery));
  const zones = new Set(houses.map(({ timeZone }) => timeZone));
  let rechecks = 0;
  for (const zone of zones) rechecks += countRechecks(first.at - SPREAD, last.at, zone);
  return 2 + Math.floor((last.at - first.at) / every) + rechecks;
}

function countRechecks(from: number, to: number, zone: string): number {
  let count = 0;
  for (let at = Math.ceil(from / MINUTE) * MINUTE; at <= to; at += MINUTE)
    if (RECHECKS.includes(wallClock(at, zone).minutes)) count += 1;
  return count;
}

/** By the wall clock of the tariff. */
const RECHECKS = ["05:50", "18:00"].map(readTime);
const BUDGETS = { service: 150, rte: 80 };
const AT_ONCE = 100;
/** Each installation asks at its own time, up to five minutes after these. */
const SPREAD = 300_000;
