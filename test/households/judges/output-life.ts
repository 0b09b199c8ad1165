import { MINUTE } from "../calendar.ts";
import { countUntil, type EventOf, isKind, type Trace, within } from "../trace.ts";
import { type Calm, readCalm } from "./calm.ts";
import {
  type Chosen,
  choosePayload,
  decidingTopics,
  isHeldBack,
  isTextOf,
  textOf,
} from "./chosen-payload.ts";
import type { House } from "./house.ts";
import type { OutputText, PayloadText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { type Meaning, meaningOf } from "./read-report.ts";
import { readSendings, type Sending, targetOf } from "./sendings.ts";
import { BASE, housesInForce, readTopics, type TopicHistory } from "./topics.ts";

/** What can be seen of one output from outside, by the time in it. */
export interface OutputLife {
  id: string;
  /** As it is configured; undefined: it is not. */
  at: (steady: number) => OutputText | undefined;
  /** When it may have been configured otherwise. */
  changes: readonly number[];
  /** It was configured all the time, and in the same way. */
  isSame: (from: number, to: number) => boolean;
  /** What was sent to its device, or tried, with the target that it has at this instant. */
  sendings: (steady: number) => readonly Sending[];
  /** What vigie heard of its device, over MQTT or as an answer. */
  reports: readonly Report[];
  presences: readonly Presence[];
  /** What its topic `state` said, and when. */
  states: readonly { steady: number; state: string }[];
  stateAt: (steady: number) => string | undefined;
  /** That at the first instant, and those that began until the second one. */
  statesBetween: (from: number, to: number) => (string | undefined)[];
  /** Since when the JSON says that its device is away; null: it does not say so. */
  awaySinces: readonly { steady: number; since: string | null }[];
  awaySinceAt: (steady: number) => string | null;
  /** When the JSON says that vigie tries next; null: it does not say so. */
  nextTryAt: (steady: number) => number | null;
  payloadAt: (steady: number) => string | undefined;
  /** When the payload was sent that vigie says it sent last, as `steady`; null: nothing. */
  sentAt: (steady: number) => number | null;
  /** Whether the second of two sendings follows another order than the first, by the instant of it that vigie publishes next. */
  isOrderedAnew: (first: Sending, second: Sending, calm: Calm) => boolean;
  /** When what was chosen may have changed. */
  turns: readonly number[];
  /** What was sent last when its state became this one at this instant. */
  sentWith: (steady: number) => { payload: string; sentAt: number } | null;
  /** What was chosen in this time, by what vigie published of its rules; null: that does not decide. */
  chosen: (from: number, to: number) => Chosen[] | null;
}

export interface Report {
  steady: number;
  payload: string;
  /** `perhaps`: the broker marks it as retained, and somebody published it about when vigie connected. */
  isLive: "yes" | "no" | "perhaps";
  /** As the broker marks it: it holds it until the next one, as far as vigie can know. */
  isRetained: boolean;
  meaning: (expected: string) => Meaning;
}

interface Presence {
  steady: number;
  isThere: boolean;
  isLive: Report["isLive"];
}

/** One output of a household. */
export interface Look {
  trace: Trace;
  life: OutputLife;
  calm: Calm;
}

/** Looks at one output after the other. */
export function judgeOutputs(name: string, find: (look: Look) => Finding[]): Judge {
  return {
    name,
    find: (trace) => {
      const calm = readCalm(trace);
      return readOutputLives(trace).flatMap((life) => find({ trace, life, calm }));
    },
  };
}

/**
 * When vigie was connected for a minute, and what it shows has to be right: as nothing has happened for a while, and just before it
 * shows something else or is interrupted.
 */
export function settledInstants({ trace, life, calm }: Look): number[] {
  const ends = trace.events.filter(
    (event, index) => isKind(event, ...ENDS) || index === trace.events.length - 1,
  );
  const instants = [
    ...trace.events.filter((event) => isKind(event, "quiet")).map(({ steady }) => steady),
    ...[...life.states, ...ends].map(({ steady }) => steady - 1),
  ];
  return instants
    .filter((steady) => calm.isThrough(steady - MINUTE, steady))
    .sort((one, other) => one - other);
}

/** All that were ever configured. */
export const readOutputLives = onceForEach(findOutputLives);

function findOutputLives(trace: Trace): OutputLife[] {
  const houses = housesInForce(trace);
  const ids = new Set(houses.flatMap(({ house }) => house.outputs.map(({ id }) => id)));
  const heard = readHeard(trace);
  const topics = readTopics(trace);
  return [...ids].map((id) => lifeOf(id, { trace, houses, heard, topics }));
}

interface Material {
  trace: Trace;
  houses: readonly { from: number; house: House }[];
  heard: ReadonlyMap<string, readonly Omit<Report, "meaning">[]>;
  topics: TopicHistory;
}

function lifeOf(id: string, { trace, houses, heard, topics }: Material): OutputLife {
  const spans = houses.map(({ from, house }) => {
    const output = house.outputs.find((one) => one.id === id);
    return { from, house, output };
  });
  const spanAt = (steady: number) => spans.findLast(({ from }) => from <= steady);
  const at = (steady: number) => spanAt(steady)?.output;
  const isSame = (from: number, to: number) => {
    const first = spanAt(from);
    if (!first?.output) return false;
    return spans.every(
      (span) => span.from <= from || span.from > to || span.output?.written === first.output?.written,
    );
  };
  const bySending = readSendings(trace);
  const whole = `${BASE}/outputs/${id}`;
  const stateTopic = `${whole}/state`;
  const states = topics.published(stateTopic).map(({ steady, payload }) => ({ steady, state: payload }));
  const stateAt = (steady: number) => topics.at(stateTopic, steady);
  const awaySinces = topics
    .published(whole)
    .map(({ steady, payload }) => ({ steady, since: JSON.parse(payload || "{}").away_since ?? null }));
  const firstSaid = new Map<string, EventOf<"published">>();
  for (const event of topics.published(`${whole}/since`))
    if (!firstSaid.has(event.payload)) firstSaid.set(event.payload, event);
  /** Both by the clock of the machine, which may be wrong, and right by the next time that the same is said. */
  const sentAtOf = (since: string, said: EventOf<"published">) => {
    const { steady, at } = firstSaid.get(since) ?? said;
    return steady - (at - Date.parse(since));
  };
  const chosen: OutputLife["chosen"] = (from, to) => {
    const span = spanAt(from);
    if (!span?.output || !isSame(from, to)) return null;
    const { output, house } = span;
    if (isHeldBack(house, topics, from, to)) return null;
    const instants = [from, ...topics.changes(decidingTopics(output), from, to)];
    return instants.map((instant) => choosePayload(output, (topic) => topics.at(topic, instant)));
  };
  return {
    id,
    at,
    changes: spans.map(({ from }) => from),
    isSame,
    sendings: (steady) => {
      const output = at(steady);
      if (!output) return [];
      return bySending.get(targetOf(output)) ?? [];
    },
    reports: reportsOf(id, spans, heard),
    presences: presencesOf(spans, heard),
    states,
    stateAt,
    statesBetween: (from, to) => [stateAt(from), ...within(states, from, to).map(({ state }) => state)],
    awaySinces,
    awaySinceAt: (steady) => awaySinces[countUntil(awaySinces, steady) - 1]?.since ?? null,
    nextTryAt: (steady) => {
      const said = topics.last(whole, steady);
      const { next_try = null } = JSON.parse(said?.payload || "{}");
      return said === undefined || next_try === null ? null : said.steady + Date.parse(next_try) - said.at;
    },
    payloadAt: (steady) => topics.at(`${BASE}/outputs/${id}/payload`, steady),
    sentAt: (steady) => {
      const topic = topics.last(`${BASE}/outputs/${id}/since`, steady);
      const isSent = topic && !Number.isNaN(Date.parse(topic.payload));
      return isSent ? sentAtOf(topic.payload, topic) : null;
    },
    sentWith: (steady) => {
      // All topics of one instant come one after the other, this one the last: it holds all of them.
      const published = topics.published(whole);
      const next = published[countUntil(published, steady - 0.001)];
      const topic = next && next.steady < steady + TOGETHER ? next : undefined;
      const { payload = null, since = null } = JSON.parse(topic?.payload || "{}");
      if (!topic || payload === null || since === null) return null;
      return { payload, sentAt: sentAtOf(since, topic) };
    },
    isOrderedAnew: (first, second, calm) => {
      const published = topics.published(whole);
      const next = countUntil(published, second.steady);
      const soon = countUntil(published, second.steady + calm.lag(second.steady));
      const given = first.steady - (first.how === "mqtt" ? calm.latency(first.steady) : 0);
      return published.slice(next, Math.max(next + 1, soon)).some(({ steady, at, payload }) => {
        const { since = null } = JSON.parse(payload || "{}");
        return since !== null && steady - (at - Date.parse(since)) > given;
      });
    },
    turns: topics.changes(
      [...new Set(spans.flatMap(({ output }) => (output ? decidingTopics(output) : [])))],
      -1,
      Number.POSITIVE_INFINITY,
    ),
    chosen,
  };
}

type Span = { from: number; output: OutputText | undefined };

function reportsOf(id: string, spans: readonly Span[], heard: Material["heard"]): Report[] {
  return spans.flatMap(({ from, output }, index) => {
    const confirm = output?.confirm;
    if (!confirm) return [];
    const to = spans[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const place = confirm.from.kind === "mqtt" ? confirm.from.topic : webPlace(id);
    return (heard.get(place) ?? [])
      .filter(({ steady }) => steady >= from && steady < to)
      .map((report) => ({
        ...report,
        meaning: (expected: string) => meaningOf(report.payload, expected, confirm.path),
      }));
  });
}

function presencesOf(spans: readonly Span[], heard: Material["heard"]): Presence[] {
  return spans.flatMap(({ from, output }, index) => {
    const online = output?.confirm?.online;
    if (!online) return [];
    const to = spans[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    return (heard.get(online.topic) ?? [])
      .filter(({ steady }) => steady >= from && steady < to)
      .flatMap(({ steady, payload, isLive }): Presence[] => {
        const meaning = meaningOf(payload, textOf(online.equals), undefined);
        return meaning === "nothing" ? [] : [{ steady, isLive, isThere: meaning === "expected" }];
      });
  });
}

/** Under which answers of a device over HTTP are found: no topic has such a name. */
function webPlace(id: string): string {
  return `answers of ${id}#`;
}

/** What vigie heard, by topic; and what devices answered. */
function readHeard({ events }: Trace): Material["heard"] {
  const heard = new Map<string, Omit<Report, "meaning">[]>();
  const add = (place: string, report: Omit<Report, "meaning">) => {
    const list = heard.get(place);
    if (list) list.push(report);
    else heard.set(place, [report]);
  };
  /** By topic and payload: when somebody published it last. */
  const published = new Map<string, number>();
  const questions = new Map<number, string>();
  let connectedAt = 0;
  let latency = 0;
  /** What comes while the machine sleeps is heard when it is awake again. */
  let asleepSince = Number.POSITIVE_INFINITY;
  let awakeAt = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    const { steady } = event;
    if (isKind(event, "suspend")) asleepSince = steady;
    if (isKind(event, "resume")) awakeAt = steady;
    if (isKind(event, "connected")) connectedAt = steady;
    if (isKind(event, "latency")) latency = event.milliseconds;
    if (isKind(event, "message", "published")) published.set(`${event.topic} ${event.payload}`, steady);
    if (isKind(event, "heard") && !event.topic.startsWith(`${BASE}/`)) {
      const { topic, payload, retain } = event;
      const last = published.get(`${topic} ${payload}`) ?? Number.NEGATIVE_INFINITY;
      const arrived = last > asleepSince - FRESH ? Math.max(last, awakeAt) : last;
      const isFresh = steady - arrived < FRESH;
      const isKnown = !retain || (isFresh && last > connectedAt + FRESH + TRIPS * latency);
      const isLive = isKnown ? "yes" : isFresh ? "perhaps" : "no";
      add(topic, { steady, payload, isLive, isRetained: retain });
    }
    if (isKind(event, "web request") && event.what === "question") questions.set(event.id, event.output);
    if (isKind(event, "web answer") && event.body !== null) {
      const output = questions.get(event.id);
      if (output !== undefined && event.status < 300)
        add(webPlace(output), { steady, payload: event.body, isLive: "yes", isRetained: false });
    }
  }
  return heard;
}

/** What was sent by an output, to one target after the other. */
export function targetsOf(life: OutputLife): readonly (readonly Sending[])[] {
  return [...new Set(life.changes.map((steady) => life.sendings(steady)))];
}

/** What the device is to report after this payload; null: no payload of this output is this one. */
export function expectedOf(output: OutputText, payload: string): string | null {
  const found = payloadsOf(output).find((one) => isTextOf(one.payload, payload));
  if (!found) return null;
  return found.expect === undefined ? payload : textOf(found.expect);
}

/** This payload, which was sent last, counts on. */
export function isStill(chosen: Chosen, payload: string): boolean {
  return chosen.kind === "stands" || ("payload" in chosen && chosen.payload === payload);
}

function payloadsOf({ choose, else: otherwise, unknown }: OutputText): PayloadText[] {
  return [...choose, ...(otherwise ? [otherwise] : []), ...(unknown ? [unknown] : [])];
}

const ENDS = ["disconnected", "stop", "kill", "crash", "reload", "suspend", "jump", "broker down"] as const;
/** Milliseconds. */
const TOGETHER = 2_000;
/** Milliseconds: a message takes no longer to vigie. */
const FRESH = 10_000;
/**
 * Until vigie has read what the broker held before a connection, so often something is on its way to the broker or back: it asks up to
 * twenty times while retained messages go on arriving, first for its own topics, then for what devices report.
 */
export const TRIPS = 80;
