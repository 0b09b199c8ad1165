import type { OutputText, PayloadText } from "../scenario.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { later, without } from "./change-trace.ts";
import { calmTimes, configAt, type Time } from "./read-trace.ts";

/** An output, and a calm time, in which it was not configured otherwise. */
export interface CalmOutput extends Time {
  id: string;
  output: OutputText;
  /** What vigie sent to it in this time. */
  sendings: readonly Sending[];
  /** What it asked the device. */
  questions: readonly Sending[];
  /** What its device reported or answered. */
  reports: readonly { steady: number; payload: string }[];
  /** What vigie showed of it, from before this time on. */
  shown: readonly Shown[];
}

/** A message to the topic of an output, or a request to its address. */
export interface Sending {
  steady: number;
  payload: string;
  /** The broker has acknowledged it, or the address has taken it. */
  isTaken: boolean;
  /** It, and what came of it. */
  events: readonly TraceEvent[];
}

/** What vigie published of an output at one instant. */
export interface Shown {
  steady: number;
  /** When something else was published of it. */
  until: number;
  state: string;
  /** `outputs/<id>`. */
  json: Readonly<Record<string, unknown>>;
  events: readonly EventOf<"published">[];
}

/** In all calm times. Once a trace: many lies ask. */
export function calmOutputs(trace: Trace): readonly CalmOutput[] {
  const found = known.get(trace) ?? find(trace);
  known.set(trace, found);
  return found;
}

const known = new WeakMap<Trace, readonly CalmOutput[]>();

function find(trace: Trace): CalmOutput[] {
  const read = outputsOf(trace);
  return calmTimes(trace).flatMap(read);
}

/** What can be seen of all outputs in a time in which the configuration stays the same. */
export function outputsOf(trace: Trace): (time: Time) => CalmOutput[] {
  const requests = readRequests(trace);
  const published = trace.events.filter((event) => isKind(event, "published"));
  const heard = trace.events.filter((event) => isKind(event, "heard"));
  const shown = new Map<string, readonly Shown[]>();
  return (time) => {
    const isWithin = ({ steady }: { steady: number }) => steady > time.from && steady < time.to;
    return configAt(trace, time.from).outputs.list.map((output): CalmOutput => {
      const id = idOf(output);
      const shownOfIt = shown.get(id) ?? readShown(published, id);
      shown.set(id, shownOfIt);
      const own = requests.filter(({ place }) => place === (output.topic ?? id));
      const questions = requests.filter(({ place, what }) => place === id && what === "question");
      const answers = questions.flatMap(({ events }) => events.flatMap(answerOf));
      const reports = heard.filter(({ topic }) => topic === output.confirm?.topic);
      return {
        id,
        output,
        ...time,
        sendings: own.filter((request) => request.what === "sending" && isWithin(request)),
        questions: questions.filter(isWithin),
        reports: (output.confirm?.url === undefined ? reports : answers).filter(isWithin),
        shown: shownOfIt.filter(({ steady, until }) => steady < time.to && until > time.from),
      };
    });
  };
}

interface Request extends Sending {
  /** The topic, or the id of the output. */
  place: string;
  what: "sending" | "question";
}

function readRequests({ events }: Trace): Request[] {
  const followers = new Map<string, TraceEvent[]>();
  for (const event of events) {
    if (!isKind(event, "acknowledged", "web arrival", "web answer", "web failure")) continue;
    const key = keyOf(event);
    const list = followers.get(key);
    if (list) list.push(event);
    else followers.set(key, [event]);
  }
  return events.flatMap((event): Request[] => {
    if (!isKind(event, "published", "web request")) return [];
    const own = [event, ...(followers.get(keyOf(event)) ?? [])];
    const isTaken = own.some(
      (one) => isKind(one, "acknowledged") || (isKind(one, "web answer") && one.status < 300),
    );
    const [place, what] =
      event.kind === "published" ? ([event.topic, "sending"] as const) : [event.output, event.what];
    return [{ place, what, steady: event.steady, payload: event.payload, isTaken, events: own }];
  });
}

/** Messages and requests have numbers of their own. */
function keyOf({ kind, id }: TraceEvent & { id: number }): string {
  return `${kind.startsWith("web") ? "web" : "mqtt"} ${id}`;
}

function answerOf(event: TraceEvent): { steady: number; payload: string }[] {
  if (!isKind(event, "web answer") || event.status >= 300) return [];
  return [{ steady: event.steady, payload: event.body ?? "" }];
}

/** The state stands beside the whole, which is published last. */
function readShown(published: readonly EventOf<"published">[], id: string): Shown[] {
  const whole = `vigie/outputs/${id}`;
  const own = published.filter(({ topic }) => topic === whole || topic.startsWith(`${whole}/`));
  let events: EventOf<"published">[] = [];
  let state = "nothing";
  const shown: Shown[] = [];
  for (const event of own) {
    events.push(event);
    if (event.topic === `${whole}/state`) state = event.payload;
    if (event.topic !== whole || event.payload === "") continue;
    const before = shown.at(-1);
    if (before) before.until = event.steady;
    const json = JSON.parse(event.payload);
    shown.push({ steady: event.steady, until: Number.POSITIVE_INFINITY, state, json, events });
    events = [];
  }
  return shown;
}

export function isAway({ json }: Shown): boolean {
  return json["away_since"] !== null;
}

/** An output without an id has one that is made of its topic. */
export function idOf({ id, topic = "" }: OutputText): string {
  return id ?? topic.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
}

export function textOf(payload: PayloadText): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}

/** The payloads of all branches but those that say something of the days. */
export function plainPayloads({ choose, else: otherwise, unknown }: OutputText): string[] {
  const branches = [otherwise, unknown].filter((branch) => branch !== undefined);
  return [...choose.map(({ payload }) => textOf(payload)), ...branches.map(payloadOf)].filter(isPlain);
}

/** Of `else` and of `unknown`, which may say what their device then reports. */
export function payloadOf(branch: PayloadText): string {
  if (typeof branch === "object" && "payload" in branch) return textOf(branch["payload"] as PayloadText);
  return textOf(branch);
}

/** It is the same whatever the days are. */
export function isPlain(payload: string): boolean {
  return !/\{\w+\.\w+\}/.test(payload);
}

/** Whether this is the payload of a choice whose rule is ON all the time. */
export function isChosen(trace: Trace, { choose }: OutputText, payload: string, time: Time): boolean {
  const own = choose.filter((choice) => textOf(choice.payload) === payload);
  return own.some(({ when }) => stays(trace, when, "ON", time));
}

export function withoutSendings(trace: Trace, sendings: readonly Sending[]): Trace {
  const left = new Set(sendings.flatMap(({ events }) => events));
  return without(trace, (event) => left.has(event));
}

/** The same sending once more, so many milliseconds later. */
export function again({ events }: Sending, by: number): TraceEvent[] {
  return events.map((event) =>
    later("id" in event ? { ...event, id: event.id + COPIED + Math.round(by) } : event, by),
  );
}

export function withPayloadSent(events: readonly TraceEvent[], payload: string): TraceEvent[] {
  return events.map((event) => (isKind(event, "published", "web request") ? { ...event, payload } : event));
}

/** Whether this rule is so all the time, as vigie says. */
export function stays(trace: Trace, rule: string, state: "ON" | "OFF", { from, to }: Time): boolean {
  const states = trace.events.filter((event) => isKind(event, "published"));
  const own = states.filter(({ topic }) => topic === `vigie/rules/${rule}/state`);
  const before = own.findLast(({ steady }) => steady <= from);
  const meanwhile = own.filter(({ steady }) => steady > from && steady <= to);
  return [before, ...meanwhile].every((one) => one?.payload === state);
}

const COPIED = 1_000_000_000;
