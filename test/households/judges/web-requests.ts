import { MINUTE } from "../calendar.ts";
import { countUntil, type EventOf, isKind, type Trace, within } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { expectedOf, judgeOutputs, type Look, type OutputLife } from "./output-life.ts";
import type { Sending } from "./sendings.ts";

/** vigie is polite to devices over HTTP, and one that hangs delays nothing else. */
export const webRequestJudges: readonly Judge[] = [
  { name: "requests to a host at once", find: (trace) => atOnce(readRequests(trace), "host", AT_ONCE) },
  { name: "requests to a device at once", find: (trace) => atOnce(readRequests(trace), "output", 1) },
  { name: "requests to a host in a minute", find: (trace) => tooMany(readRequests(trace)) },
  { name: "requests that take too long", find: tooLong },
  judgeOutputs("asked again too soon", askedSoon),
  judgeOutputs("asked though it does what it was told", askedInVain),
  judgeOutputs("asked after a sending", unasked),
  judgeOutputs("told late over HTTP", toldLate),
  judgeOutputs("told after a question", toldAfterQuestion),
];

type Asked = EventOf<"web request">;

interface Request extends Pick<Asked, "output" | "what" | "host" | "steady"> {
  /** When it was over for vigie; the end of its process ends it, too. */
  overAt: number;
  isAnswered: boolean;
  /** In which start or reload. */
  run: number;
}

const readRequests = onceForEach(findRequests);

function findRequests({ events }: Trace): readonly Request[] {
  const requests: Request[] = [];
  const open = new Map<number, Request>();
  let run = 0;
  for (const event of events) {
    const { steady } = event;
    if (isKind(event, "start", "reload")) run += 1;
    if (isKind(event, "web request")) {
      const { id, output, what, host } = event;
      const request = {
        output,
        what,
        host,
        steady,
        overAt: Number.POSITIVE_INFINITY,
        isAnswered: false,
        run,
      };
      requests.push(request);
      open.set(id, request);
    }
    if (isKind(event, "web answer", "web failure")) {
      const request = open.get(event.id);
      open.delete(event.id);
      if (request) Object.assign(request, { overAt: steady, isAnswered: event.kind === "web answer" });
    }
    if (isKind(event, "kill", "crash", "stopped")) {
      for (const request of open.values()) request.overAt = steady;
      open.clear();
    }
  }
  return requests;
}

function atOnce(requests: readonly Request[], of: "host" | "output", most: number): Finding[] {
  return requests.map((request, index): Finding => {
    const others = requests
      .slice(Math.max(0, index - RECENT), index)
      .filter((other) => other[of] === request[of] && other.overAt > request.steady);
    if (others.length < most) return "right";
    const sentence = `${others.length + 1} requests at once to the ${of} ${request[of]}`;
    return { at: request.steady, sentence };
  });
}

/** Judges each request before which there were so many others. A reload begins to count anew. */
function tooMany(requests: readonly Request[]): Finding[] {
  const byHost = new Map<string, Request[]>();
  return requests.flatMap((request): Finding[] => {
    const list = byHost.get(request.host) ?? [];
    byHost.set(request.host, list);
    list.push(request);
    const first = list[list.length - 1 - PER_MINUTE];
    if (!first) return [];
    if (request.steady - first.steady >= MINUTE - 1) return ["right"];
    if (first.run !== request.run) return ["skipped"];
    const sentence = `More than ${PER_MINUTE} requests within a minute to ${request.host}`;
    return [{ at: request.steady, sentence }];
  });
}

function tooLong(trace: Trace): Finding[] {
  const last = trace.events.at(-1)?.steady ?? 0;
  return readRequests(trace).map(({ steady, overAt, output }): Finding => {
    const end = steady + LIMIT;
    if (overAt <= end) return "right";
    // Its timer stands still while the machine sleeps.
    if (end > last || !readCalm(trace).isAwake(steady, end)) return "skipped";
    return { at: steady, sentence: `A request to ${output} takes ${(overAt - steady) / 1000} s` };
  });
}

function requestsOf({ trace, life }: Look): Request[] {
  return readRequests(trace).filter(({ output }) => output === life.id);
}

/** A question with nothing but another question before it. */
interface Question {
  before: Request;
  steady: number;
  output: OutputText;
}

/** Those of which it is known why they came when they came. */
function questionsOf(look: Look): (Question | "skipped")[] {
  const { trace, life } = look;
  const own = requestsOf(look);
  return own.flatMap((question, index): (Question | "skipped")[] => {
    const before = own[index - 1];
    const { steady } = question;
    if (question.what !== "question" || before?.what !== "question") return [];
    const output = life.at(steady);
    if (!output?.confirm || within(life.sendings(steady), before.steady, steady).length > 0) return [];
    const isKnown =
      before.run === question.run &&
      life.isSame(before.steady, steady) &&
      !isBusy(readRequests(trace), question, before.steady);
    return [isKnown ? { before, steady, output } : "skipped"];
  });
}

/** After a sending, then each `every` while nothing confirms it. */
function askedSoon(look: Look): Finding[] {
  return questionsOf(look).map((question): Finding => {
    if (question === "skipped") return "skipped";
    const gap = question.steady - question.before.steady;
    if (gap >= SHORTEST) return "right";
    return { at: question.steady, sentence: `${look.life.id} is asked again after ${gap / 1000} s` };
  });
}

/** Each five minutes if it does what it was told; sooner while it turns. */
function askedInVain(look: Look): Finding[] {
  const { life, calm } = look;
  const own = requestsOf(look);
  const told = own.filter(({ what }) => what === "sending");
  return questionsOf(look).flatMap((question): Finding[] => {
    if (question === "skipped") return [];
    const { before, steady, output } = question;
    if (!isSteady(life, output, before.steady, steady)) return [];
    // The two first questions after a sending come whatever was answered.
    const sending = told[countUntil(told, steady) - 1];
    if (sending && within(own, sending.steady, steady).length <= 2) return [];
    const gap = steady - before.steady;
    if (gap > FIVE_MINUTES - SLACK) return ["right"];
    if (!calm.isThrough(before.steady - AROUND, steady)) return ["skipped"];
    const sentence = `${life.id} is asked again after ${gap / 1000} s, though it does what it was told`;
    return [{ at: steady, sentence }];
  });
}

/** Once after a sending that may have arrived, whether it was answered or not. */
function unasked(look: Look): Finding[] {
  const { trace, life, calm } = look;
  const own = requestsOf(look);
  const lists = new Set(life.changes.map((steady) => life.sendings(steady)));
  return [...lists].flat().flatMap(({ steady, payload, takenAt, overAt, failure }): Finding[] => {
    const output = life.at(steady);
    const from = overAt ?? steady;
    const end = from + ASKED;
    if (output?.confirm?.from.kind !== "http" || (takenAt === null && failure !== "perhaps written"))
      return [];
    const [next] = within(own, steady, end);
    if (next) return next.what === "question" ? ["right"] : [];
    const chosen = life.chosen(steady, end);
    if (chosen?.some((one) => !("payload" in one) || one.payload !== payload)) return [];
    const { host } = output.confirm.from;
    const isKnown =
      chosen !== null &&
      calm.isThrough(steady - AROUND, end) &&
      life.isSame(steady, end) &&
      !isBusy(readRequests(trace), { output: life.id, host, steady: end }, steady);
    if (!isKnown) return ["skipped"];
    const sentence = `${life.id} was told ${payload}, and not asked within ${ASKED / 1000} s what it does`;
    return [{ at: end, sentence }];
  });
}

/** Its own requests, or very many of others, keep it from being asked in time: then a question may be late, and the next one soon. */
function isBusy(
  requests: readonly Request[],
  { output, host, steady }: Pick<Request, "output" | "host" | "steady">,
  since: number,
): boolean {
  const from = Math.min(since, steady - MINUTE) - LIMIT;
  const ofHost = within(requests, from, steady).filter((one) => one.host === host);
  const long = ofHost.filter((one) => Math.min(one.overAt, steady) - one.steady > 1_000);
  const isOwn = long.some((one) => one.output === output);
  return isOwn || long.length >= AT_ONCE || ofHost.length >= PER_MINUTE - 5;
}

/** The last two answers were what is expected, and its state is `confirmed` all the time. */
function isSteady(life: OutputLife, output: OutputText, from: number, to: number): boolean {
  if (!life.statesBetween(from - SLACK, to).every((state) => state === "confirmed")) return false;
  // What a device does that says it is away is not known.
  if (within(life.presences, from, to).length > 0) return false;
  const payload = life.payloadAt(from);
  const expected = payload === undefined ? null : expectedOf(output, payload);
  const count = countUntil(life.reports, to);
  const answers = life.reports.slice(Math.max(0, count - 2), count);
  return (
    expected !== null &&
    answers.length === 2 &&
    answers.every((report) => report.meaning(expected) === "expected")
  );
}

/** It was chosen a moment ago, too, and what was chosen in between was not sent: its save had not ended. */
function isBackInTime(life: OutputLife, payload: string, steady: number): boolean {
  const [earlier] = life.chosen(steady - SAVED, steady) ?? [];
  const isChosenAgain = earlier !== undefined && "payload" in earlier && earlier.payload === payload;
  return isChosenAgain && within(life.sendings(steady), steady - SAVED, steady).length === 0;
}

/** Another payload is chosen for a device over HTTP. */
interface Order {
  steady: number;
  payload: string;
  host: string;
  /** When its request has to have begun. */
  latest: number;
  sent: Sending | undefined;
  /** It stands until it is sent, and nothing else happens. */
  isKnown: boolean;
}

function ordersOf({ trace, life, calm }: Look): Order[] {
  return life.turns.flatMap((steady): Order[] => {
    const output = life.at(steady);
    if (output?.to.kind !== "http" || output.isMessage) return [];
    const [before, after] = life.chosen(steady - 1, steady) ?? [];
    if (!before || after?.kind !== "choice") return [];
    const { payload } = after;
    if ("payload" in before && before.payload === payload) return [];
    const sendings = life.sendings(steady);
    const last = sendings.findLast((one) => one.steady < steady - 1_000);
    const isOld = before.kind === "stands" || isBackInTime(life, payload, steady);
    if (last?.payload === payload && isOld) return [];
    const { host } = output.to;
    // One of its own may be under way for ten seconds.
    const isFree =
      calm.isDiskQuick(steady - SLACK, steady + SOON) &&
      !isBusy(readRequests(trace), { output: life.id, host, steady: steady + SOON }, steady);
    const latest = steady + (isFree ? SOON + calm.lag(steady) : BEGINS);
    const sent = sendings.find((one) => one.payload === payload && one.steady > steady - calm.lag(steady));
    const end = Math.min(sent?.steady ?? latest, latest);
    const isStill = life
      .chosen(steady, end)
      ?.every((one) => one.kind === "choice" && one.payload === payload);
    const isKnown =
      isStill === true &&
      calm.isThrough(steady - AROUND, end) &&
      life.isSame(steady - AROUND, end) &&
      !mayKnowNoDay(trace, steady);
    return isStill === false ? [] : [{ steady, payload, host, latest, sent, isKnown }];
  });
}

/**
 * "Only a vigie that knows no day so far waits longer: until each source has answered or failed, which may take minutes"
 * (docs/outputs.md). What another state file holds is not known.
 */
function mayKnowNoDay({ events }: Trace, steady: number): boolean {
  const started = events.findLast((event) => isKind(event, "start") && event.steady <= steady);
  if (!started || steady - started.steady > FIVE_MINUTES) return false;
  const before = events.slice(0, events.indexOf(started));
  const known = before.slice(before.findLastIndex((event) => isKind(event, "state file")) + 1);
  return !known.some((event) => isKind(event, "answer"));
}

/** When another payload is chosen, its request begins soon, whatever other devices do. */
function toldLate(look: Look): Finding[] {
  return ordersOf(look).map(({ steady, payload, latest, sent, isKnown }): Finding => {
    if (sent && sent.steady <= latest) return "right";
    if (!isKnown) return "skipped";
    const sentence = `${look.life.id} has to be told ${payload}, and no request began within ${(latest - steady) / 1000} s`;
    return { at: latest, sentence };
  });
}

/** It begins before questions to the same host. */
function toldAfterQuestion({ trace, life, calm }: Look): Finding[] {
  const requests = readRequests(trace);
  return ordersOf({ trace, life, calm }).flatMap(
    ({ steady, payload, host, latest, sent, isKnown }): Finding[] => {
      if (!sent || sent.steady > latest) return [];
      const own = requests.findLast(({ output, overAt }) => output === life.id && overAt <= sent.steady);
      const isQuick = calm.isDiskQuick(steady - SLACK, sent.steady);
      const from = Math.max(steady + (isQuick ? SAVED_QUICKLY : SAVED), own?.overAt ?? 0);
      const earlier = within(requests, from, sent.steady - 1).find(
        (one) => one.host === host && one.what === "question",
      );
      if (!earlier) return ["right"];
      if (!isKnown) return ["skipped"];
      const sentence = `${life.id} has to be told ${payload}, and ${earlier.output} is asked before`;
      return [{ at: earlier.steady, sentence }];
    },
  );
}

const AT_ONCE = 16;
const PER_MINUTE = 60;
/** How many requests may have begun before one that is still under way. */
const RECENT = 200;
/** Milliseconds: a request takes ten seconds, and a few timers may come late. */
const LIMIT = 10_100;
/** Between 1 s and 5 s after a sending. */
const SHORTEST = 3_900;
const FIVE_MINUTES = 300_000;

const SLACK = 2_000;
const AROUND = 12_000;
/** Milliseconds: its own request may be under way, and many others of the host come first. */
const ASKED = 27_000;
/** The save takes up to 5 s. */
const SAVED = 5_100;
const SAVED_QUICKLY = 200;
const SOON = 2_000;
/** The save takes up to 5 s, its own request ten, and so may those of others if very many of them hang. */
const BEGINS = 28_000;
