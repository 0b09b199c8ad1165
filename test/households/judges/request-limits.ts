import { isKind, type SourceName, type Trace, type TraceEvent, type Violation } from "../trace.ts";
import { houseAt, housesBetween } from "./topics.ts";
import { DAY, HOUR, instantsOf, MINUTE, readTime, wallClock } from "./truth/calendar.ts";

/**
 * At most 10 requests a minute, and 150 a day to the service, 80 to RTE; the hourly ones and those of 18:00 and 05:50 go on.
 * A restart forgets only what was not saved yet. A day is one of UTC, by a clock that vigie reads at its start and that
 * nobody sets after that: a clock that is set from 23:55 to 00:05 begins no day.
 */
export function judgeRequests(trace: Trace, source: SourceName): Violation[] {
  const found: Violation[] = [];
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
      const sentence = whatIsWrong(trace, source, known, event);
      if (sentence !== null) found.push({ judge: "limits", at: event.steady, sentence });
    }
    if (isKind(event, "write") && event.outcome === "begun") writing = known;
    if (isKind(event, "write") && event.outcome === "done") saved = writing;
    if (isKind(event, "start")) known = saved;
    if (isKind(event, "no answer") && event.source === source) known = uncountRefused(known, event);
    // What an earlier state file holds is not in the trace; nor is how a clock that was set, or has slept, shifts the days.
    if (isKind(event, "state file", "jump", "resume")) known = saved = writing = nothingSent();
  }
  return found.slice(0, 1);
}

/**
 * Season and history that fail are asked again after an hour, at most ten times a day. A killed vigie may have saved neither, and a
 * disk that fails saves nothing.
 */
export function judgeFailingPaths(trace: Trace): Violation[] {
  const { began, events } = trace;
  return ["/v1/public/season", "/v1/public/history"].flatMap((path) => {
    let failed: number[] = [];
    let saved = failed;
    let writing = failed;
    for (const event of events) {
      const { steady } = event;
      // Then it is asked by another clock, or the failure may not be known any more.
      if (isKind(event, "jump", "kill", "crash", "state file", "reload", "suspend", "resume"))
        failed = saved = writing = [];
      if (isKind(event, "write") && event.outcome === "begun") writing = failed;
      if (isKind(event, "write") && event.outcome === "done") saved = writing;
      if (isKind(event, "start")) failed = saved;
      if (!isKind(event, "answer") || !event.path.startsWith(path)) continue;
      // It is asked with other names at once if it does not know those of the range.
      const isFailure = event.status === 404 || event.status === 503;
      if (!isFailure) continue;
      const last = failed.at(-1);
      failed = [...failed, steady];
      const sentence = (what: string) => [
        { judge: "limits", at: steady, sentence: `${path} fails: ${what}` },
      ];
      if (last !== undefined && steady - last < HOUR - 5_000)
        return sentence(`asked again after ${Math.round((steady - last) / 60_000)} minutes`);
      const zone = houseAt(trace, steady)?.timeZone;
      // Timers may be due at parts of a millisecond.
      const dayOf = (at: number) => wallClock(Math.round(began + at), zone).date;
      const day = dayOf(steady);
      const ofDay = failed.filter((at) => dayOf(at) === day).length;
      if (ofDay > 10) return sentence(`asked ${ofDay} times on ${day}`);
    }
    return [];
  });
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

function whatIsWrong(trace: Trace, source: SourceName, sent: Sent, { path }: Request): string | null {
  const { recent, ofDay } = sent;
  if (recent.length > 10) return `${recent.length} requests to ${source} in a minute, at most 10`;
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
  const date = new Date(first.at).toISOString().slice(0, 10);
  const evenings = ["05:50", "18:00"]
    .flatMap((time) => instantsOf(date, readTime(time)))
    .filter((at) => at + SPREAD >= first.at && at <= last.at);
  return 2 + Math.floor((last.at - first.at) / every) + evenings.length;
}

const BUDGETS = { service: 150, rte: 80 };
const AT_ONCE = 100;
/** Each installation asks at its own time, up to five minutes after these. */
const SPREAD = 300_000;
