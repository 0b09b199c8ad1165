import { type AnswerFault, isAnswerFault, spoilAnswer } from "./answer-faults.ts";
import { addDays, type Color, type Day, instantInParis, possibleColors } from "./calendar.ts";
import type { HttpAnswer, NoAnswer } from "./http-answer.ts";
import type { Machine } from "./machine.ts";
import { pick, randomFrom } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { type Announce, simulateSources } from "./seams.ts";
import type { Seen, SourceName } from "./trace.ts";

/** What is wrong with a source, for a while. */
export type SourceFault =
  | { kind: "down" }
  | { kind: "slow"; seconds: number }
  | { kind: "hangs" }
  | { kind: "status"; status: 302 | 400 | 404 | 422 | 429 | 500 | 503; retryAfter?: number }
  | AnswerFault
  /** Only one of its paths: it may have been removed, or fail by itself. */
  | { kind: "path"; part: "season" | "history" | "tempo?"; status: 404 | 503 }
  /** Words that are no colours, a body that is no JSON, or the half of one. */
  | { kind: "wrong words" | "no json" | "cut" }
  /** It knows other names for the parameters of a request for history than the usual ones, and says so. */
  | { kind: "history names" }
  /** A cache replays what was said this many seconds ago; `tells`: and says so. */
  | { kind: "cache"; seconds: number; tells: boolean }
  /** The clock of the source is ahead (or, below 0, behind). */
  | { kind: "clock"; seconds: number };

export interface Sources {
  /** vigie asks a source. `answered` is called once, or never if the process ends first. */
  ask: (
    source: SourceName,
    question: Question,
    signal: AbortSignal,
    answered: (answer: HttpAnswer | NoAnswer) => void,
  ) => void;
  setFault: (source: SourceName, fault: SourceFault | null) => void;
}

/** `tag`: of the answer that vigie has already. */
interface Question {
  path: string;
  tag: string;
}

interface SourcesOptions extends Invented {
  machine: Machine;
  tell: (seen: Seen) => void;
}

/** What decides about the answers. */
interface Invented {
  seed: number;
  /** How often the two name different colours, correct themselves, are late: 0 never, 1 each day. */
  trouble: number;
  /** Days whose colour is not the invented one. */
  colors?: Readonly<Record<Day, Color>> | undefined;
  /** From this day on the service names prices that are so much higher, in EUR/kWh. */
  dearer?: Scenario["dearer"] | undefined;
  /** They know no day before this one. */
  since: Day;
}

export function inventedBy({ seed, trouble, colors, dearer, from, history }: Scenario): Invented {
  return { seed, trouble, colors, dearer, since: addDays(from.slice(0, 10), -history) };
}

/** Both sources without sockets: the simulator's answers, with one invented season of which each has its own view. */
export function createSources({ machine, tell, ...options }: SourcesOptions): Sources {
  const faults: Record<SourceName, SourceFault | null> = { service: null, rte: null };
  const answers = {
    service: createAnswers("service", options),
    rte: createAnswers("rte", options),
  };
  const ask: Sources["ask"] = (source, { path, tag }, signal, answered) => {
    const abort = () => answered({ why: "aborted", wasSent: true });
    if (signal.aborted) return abort();
    if (machine.process() === null) return;
    tell({ kind: "request", source, path });
    const fault = faults[source];
    const fail = (why: string, wasSent = true) => {
      tell({ kind: "no answer", source, path });
      answered({ why, wasSent });
    };
    const end = new AbortController();
    const after = (milliseconds: number, run: () => void) =>
      machine.arrive(milliseconds, () => {
        if (end.signal.aborted || signal.aborted) return;
        end.abort();
        run();
      });
    signal.addEventListener("abort", abort, { once: true, signal: end.signal });
    after(REQUEST_LIMIT, () => fail("no whole answer within 60 s"));
    if (fault?.kind === "hangs") return;
    if (fault?.kind === "down") return after(ANSWER_TAKES, () => fail("connect ECONNREFUSED", false));
    const delay = fault?.kind === "slow" ? fault.seconds * 1000 : ANSWER_TAKES;
    after(delay, () => {
      const { meant, ...answer } = answers[source](path, tag, machine.trueTime(), fault);
      const { status, headers } = answer;
      tell({ kind: "answer", source, path, status, headers, body: meant });
      answered(answer);
    });
  };
  return {
    ask,
    setFault: (source, fault) => {
      faults[source] = fault;
    },
  };
}

/** What one source says at which time of the day before: mostly the true colour at 10:30. */
function announcementsOf(name: SourceName, { seed, trouble }: Invented): Announce {
  return (date, color) => {
    const random = randomFrom(`announce/${seed}/${date}`);
    const own = randomFrom(`announce/${seed}/${date}/${name}`);
    const eve = (time: string) => instantInParis(addDays(date, -1), time);
    if (random() > trouble) return [{ at: eve("10:30"), color }];
    const other = otherColor(date, color, random);
    const draw = own();
    if (draw < 0.2) return [{ at: eve("06:40"), color }];
    if (draw < 0.4)
      return [
        { at: eve("07:00"), color: other },
        { at: eve("11:00"), color },
      ];
    if (draw < 0.5)
      return [
        { at: eve("10:30"), color: other },
        { at: eve("13:00"), color },
      ];
    // Late, and perhaps only on the day itself.
    if (draw < 0.7) return [{ at: eve("12:30") + own() * 15 * 3_600_000, color }];
    if (draw < 0.8) return [{ at: eve("10:30"), color: other }];
    return [{ at: eve("10:30"), color }];
  };
}

function otherColor(date: Day, color: Color, random: () => number): Color {
  const [first = color, ...others] = possibleColors(date).filter((one) => one !== color);
  return pick([first, ...others], random);
}

/** What a source answers to a path, at an instant. */
export function createAnswers(name: SourceName, options: Invented) {
  const { seed, colors = {}, dearer, since } = options;
  const answer = simulateSources({ seed, colors, announcements: announcementsOf(name, options) });
  return (path: string, ifNoneMatch: string, now: number, fault: SourceFault | null) => {
    const age = fault?.kind === "cache" ? fault.seconds : 0;
    const known =
      fault?.kind === "history names"
        ? path.replace("first_day=", "start_date=").replace("last_day=", "end_date=")
        : path;
    const ask = (tag: string) =>
      withDearer(withoutEarlier(answer(known, tag, now - age * 1000), path, since), dearer);
    const whole = ask("");
    const isHit = fault !== null && (fault.kind !== "path" || path.includes(fault.part));
    const spoil = (given: SourceFault) =>
      isAnswerFault(given)
        ? spoilAnswer(withoutTag(whole), given, randomFrom(`${seed}/${name}/${now}`))
        : damage(whole, given, path);
    const reply = isHit ? spoil(fault) : ask(ifNoneMatch);
    const clock = now + (fault?.kind === "clock" ? fault.seconds * 1000 : 0);
    const tells = fault?.kind === "cache" && fault.tells;
    const date = new Date(tells ? clock - age * 1000 : clock).toUTCString();
    const headers = { ...reply.headers, date, ...(tells && { age: String(age) }) };
    return {
      status: reply.status,
      headers,
      body: reply.body,
      meant: reply.status === 304 ? whole.body : reply.body,
    };
  };
}

/** Without the days of history and season before this one. */
function withoutEarlier(reply: HttpAnswer, path: string, since: Day): HttpAnswer {
  if (reply.status !== 200 || !/history|tempo\?/.test(path)) return reply;
  const given = JSON.parse(reply.body);
  const kept = Array.isArray(given)
    ? given.filter(({ date }) => date >= since)
    : { values: Object.fromEntries(Object.entries(given.values).filter(([date]) => date >= since)) };
  return { ...reply, body: JSON.stringify(kept) };
}

/** With higher prices of the days from that one on, as on the day on which prices change. */
function withDearer(reply: HttpAnswer, dearer: Scenario["dearer"]): HttpAnswer {
  if (reply.status !== 200 || !dearer) return reply;
  const raised = (price: unknown) =>
    typeof price === "number" ? Number((price + dearer.by).toFixed(5)) : price;
  const body = JSON.stringify(JSON.parse(reply.body), (_key, given) => {
    if (typeof given?.date !== "string" || given.date < dearer.from) return given;
    const prices = ["hp_rate", "hc_rate"].filter((name) => name in given);
    const { rates } = given;
    return {
      ...given,
      ...Object.fromEntries(prices.map((name) => [name, raised(given[name])])),
      ...(rates && { rates: { ...rates, hp: raised(rates.hp), hc: raised(rates.hc) } }),
    };
  });
  return { ...reply, body };
}

/** Who asks with the ETag of the right body must not be told that he has it already. */
function withoutTag(reply: HttpAnswer): HttpAnswer {
  const { etag: _etag, ...headers } = reply.headers;
  return { ...reply, headers };
}

function damage(reply: HttpAnswer, fault: Exclude<SourceFault, AnswerFault>, path: string): HttpAnswer {
  const { headers } = withoutTag(reply);
  const { body } = reply;
  switch (fault.kind) {
    case "status": {
      const wait = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      const to = fault.status === 302 && { location: "https://elsewhere.example/" };
      return { status: fault.status, headers: { ...headers, ...wait, ...to }, body: '{"detail":"fault"}' };
    }
    case "path":
      return { status: fault.status, headers, body: '{"detail":"fault"}' };
    case "wrong words":
      return {
        ...reply,
        headers,
        body: body.replace(/"(rouge|RED)"/g, '"violet"').replace(/"(bleu|BLUE)"/g, "null"),
      };
    case "no json":
      return { ...reply, headers: { ...headers, "content-type": "text/html" }, body: "<html></html>" };
    case "cut":
      return { ...reply, headers, body: body.slice(0, body.length / 2) };
    case "history names":
      return /history.*start_date=/.test(path) ? refuseNames(headers) : reply;
    case "down":
    case "slow":
    case "hangs":
    case "cache":
    case "clock":
      return reply;
  }
}

function refuseNames(headers: HttpAnswer["headers"]): HttpAnswer {
  const detail = ["first_day", "last_day"].map((name) => ({
    loc: ["query", name],
    msg: "Field required",
    type: "missing",
  }));
  return { status: 422, headers, body: JSON.stringify({ detail }) };
}

const ANSWER_TAKES = 50;
const REQUEST_LIMIT = 60_000;
