import {
  countUntil,
  type EventOf,
  isKind,
  type Judge,
  type Trace,
  type Violation,
  within,
} from "../trace.ts";
import { type Calm, readCalm } from "./calm.ts";
import type { OutputText } from "./house-outputs.ts";
import { expectedOf, type OutputLife, readOutputLives } from "./output-life.ts";
import { MINUTE } from "./truth/calendar.ts";

/** vigie is polite to devices over HTTP, and one that hangs delays nothing else. */
export const judgeWebRequests: Judge = (trace) => {
  const requests = readRequests(trace);
  const calm = readCalm(trace);
  return [
    ...atOnce(requests, "host", AT_ONCE),
    ...atOnce(requests, "output", 1),
    ...tooMany(requests),
    ...tooLong(requests, calm),
    ...readOutputLives(trace).flatMap((life) => [
      ...questions(life, requests, calm),
      ...lateSendings(life, requests, calm),
      ...unasked(life, requests, calm),
    ]),
  ];
};

type Asked = EventOf<"web request">;

interface Request extends Pick<Asked, "output" | "what" | "host" | "steady"> {
  /** When it was over for vigie; the end of its process ends it, too. */
  overAt: number;
  isAnswered: boolean;
  /** In which start or reload. */
  run: number;
}

function readRequests({ events }: Trace): Request[] {
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

function atOnce(requests: readonly Request[], of: "host" | "output", most: number): Violation[] {
  return requests.flatMap((request, index): Violation[] => {
    const others = requests
      .slice(Math.max(0, index - RECENT), index)
      .filter((other) => other[of] === request[of] && other.overAt > request.steady);
    if (others.length < most) return [];
    const sentence = `${others.length + 1} requests at once to the ${of} ${request[of]}`;
    return [{ judge: "requests to devices", at: request.steady, sentence }];
  });
}

/** A reload begins to count anew. */
function tooMany(requests: readonly Request[]): Violation[] {
  const byHost = new Map<string, Request[]>();
  return requests.flatMap((request): Violation[] => {
    const list = byHost.get(request.host) ?? [];
    byHost.set(request.host, list);
    list.push(request);
    const first = list[list.length - 1 - PER_MINUTE];
    if (!first || first.run !== request.run || request.steady - first.steady >= MINUTE - 1) return [];
    const sentence = `More than ${PER_MINUTE} requests within a minute to ${request.host}`;
    return [{ judge: "requests to devices", at: request.steady, sentence }];
  });
}

function tooLong(requests: readonly Request[], calm: Calm): Violation[] {
  return requests.flatMap(({ steady, overAt, output }): Violation[] => {
    if (overAt - steady <= LIMIT || !calm.isThrough(steady, steady + LIMIT)) return [];
    const sentence = `A request to ${output} takes ${(overAt - steady) / 1000} s`;
    return [{ judge: "requests to devices", at: steady, sentence }];
  });
}

/** After a sending, then each `every` while nothing confirms it, then each five minutes; sooner while it turns. */
function questions(life: OutputLife, requests: readonly Request[], calm: Calm): Violation[] {
  const own = requests.filter(({ output }) => output === life.id);
  const told = own.filter(({ what }) => what === "sending");
  return own.flatMap((question, index): Violation[] => {
    const before = own[index - 1];
    if (question.what !== "question" || before?.what !== "question" || before.run !== question.run) return [];
    const { steady } = question;
    const output = life.at(steady);
    if (!output?.confirm || !life.isSame(before.steady, steady)) return [];
    if (within(life.sendings(steady), before.steady, steady).length > 0) return [];
    if (isBusy(requests, question, before.steady)) return [];
    const gap = steady - before.steady;
    if (gap < SHORTEST) {
      const sentence = `${life.id} is asked again after ${gap / 1000} s`;
      return [{ judge: "requests to devices", at: steady, sentence }];
    }
    if (gap > FIVE_MINUTES - SLACK || !isSteady(life, output, { from: before.steady, to: steady, calm }))
      return [];
    // The two first questions after a sending come whatever was answered.
    const sending = told[countUntil(told, steady) - 1];
    const asked = sending ? within(own, sending.steady, steady).length : 3;
    if (asked <= 2) return [];
    const sentence = `${life.id} is asked again after ${gap / 1000} s, though it does what it was told`;
    return [{ judge: "requests to devices", at: steady, sentence }];
  });
}

/** Once after a sending that may have arrived, whether it was answered or not. */
function unasked(life: OutputLife, requests: readonly Request[], calm: Calm): Violation[] {
  const own = requests.filter(({ output }) => output === life.id);
  const lists = new Set(life.changes.map((steady) => life.sendings(steady)));
  return [...lists].flat().flatMap(({ steady, payload, takenAt, overAt, failure }): Violation[] => {
    const output = life.at(steady);
    const from = overAt ?? steady;
    const end = from + ASKED;
    if (output?.confirm?.from.kind !== "http" || (takenAt === null && failure !== "perhaps written"))
      return [];
    if (!calm.isThrough(steady - AROUND, end) || !life.isSame(steady, end)) return [];
    if (!life.chosen(steady, end)?.every((one) => "payload" in one && one.payload === payload)) return [];
    if (within(own, steady, end).length > 0) return [];
    if (isBusy(requests, { output: life.id, host: output.confirm.from.host, steady: end }, steady)) return [];
    const sentence = `${life.id} was told ${payload}, and not asked within ${ASKED / 1000} s what it does`;
    return [{ judge: "requests to devices", at: end, sentence }];
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
function isSteady(
  life: OutputLife,
  output: OutputText,
  { from, to, calm }: { from: number; to: number; calm: Calm },
): boolean {
  const states = within(life.states, from - SLACK, to);
  const isConfirmed =
    life.stateAt(from - SLACK) === "confirmed" && states.every(({ state }) => state === "confirmed");
  if (!isConfirmed || !calm.isThrough(from - AROUND, to)) return false;
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

/** When another payload is chosen, its request begins soon, whatever other devices do; and before questions to the same host. */
function lateSendings(life: OutputLife, requests: readonly Request[], calm: Calm): Violation[] {
  return life.turns.flatMap((steady): Violation[] => {
    const output = life.at(steady);
    if (output?.to.kind !== "http" || output.isMessage) return [];
    const [before, after] = life.chosen(steady - 1, steady) ?? [];
    if (!before || after?.kind !== "choice") return [];
    if ("payload" in before && before.payload === after.payload) return [];
    const sendings = life.sendings(steady);
    const last = sendings.findLast((one) => one.steady < steady - 1_000);
    if (
      last?.payload === after.payload &&
      (before.kind === "stands" || isBackInTime(life, after.payload, steady))
    )
      return [];
    const sent = sendings.find(
      (one) => one.payload === after.payload && one.steady > steady - calm.lag(steady),
    );
    const { host } = output.to;
    // One of its own may be under way for ten seconds.
    const isFree =
      calm.isDiskQuick(steady - SLACK, steady + SOON) &&
      !isBusy(requests, { output: life.id, host, steady: steady + SOON }, steady);
    const limit = isFree ? SOON + calm.lag(steady) : BEGINS;
    const isLate = !sent || sent.steady > steady + limit;
    const end = isLate ? steady + limit : sent.steady;
    if (!calm.isThrough(steady - AROUND, end) || !life.isSame(steady - AROUND, end)) return [];
    const stands = life
      .chosen(steady, end)
      ?.every((one) => one.kind === "choice" && one.payload === after.payload);
    if (!stands) return [];
    if (isLate) {
      const sentence = `${life.id} has to be told ${after.payload}, and no request began within ${limit / 1000} s`;
      return [{ judge: "requests to devices", at: end, sentence }];
    }
    const own = requests.findLast(({ output: id, overAt }) => id === life.id && overAt <= sent.steady);
    const isQuick = calm.isDiskQuick(steady - SLACK, sent.steady);
    const from = Math.max(steady + (isQuick ? SAVED_QUICKLY : SAVED), own?.overAt ?? 0);
    const earlier = within(requests, from, sent.steady - 1).find(
      (one) => one.host === host && one.what === "question",
    );
    if (!earlier) return [];
    const sentence = `${life.id} has to be told ${after.payload}, and ${earlier.output} is asked before`;
    return [{ judge: "requests to devices", at: earlier.steady, sentence }];
  });
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
