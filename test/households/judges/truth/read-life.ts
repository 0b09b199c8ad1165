import { HOUR, MINUTE } from "../../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../../trace.ts";
import { type House, partsOf, readHouse } from "../house.ts";
import { onceForEach } from "../once-for-each.ts";
import { BASE } from "../topics.ts";
import type { Heard } from "./house-values.ts";
import { type Book, EMPTY_BOOK, learn, mergeBooks, perhapsWithout, readMade } from "./known-days.ts";
import { afterEdit, mergeSettings, NO_SETTINGS, obey, perhapsEnded, type Settings } from "./settings.ts";
import { createTimeline, type Timeline } from "./timeline.ts";

/** What vigie may have learnt so far. */
export interface Memory {
  book: Book;
  settings: Settings;
}

/** What the broker holds on a topic. */
export interface Held {
  payload: string;
  since: number;
  /** As `steady`. */
  until: number;
  byVigie: boolean;
}

/** What can be read from a trace, by the time in it. */
export interface Life {
  memory: Timeline<Memory>;
  house: Timeline<House | null>;
  /** vigie runs, has started, is connected and has said so. */
  isReady: Timeline<boolean>;
  isBrokerUp: Timeline<boolean>;
  /** By how much the clock of the machine is wrong. */
  skew: Timeline<number>;
  /** Until then vigie may doubt its clock, and say nothing. */
  doubtUntil: Timeline<number>;
  /** Until then nothing is judged: the broker is slow. */
  slowUntil: Timeline<number>;
  held: (topic: string) => Timeline<Held | null>;
  heard: (topic: string) => readonly Heard[];
  /** With MQTT 3.1.1 (4) nothing expires. */
  version: Timeline<4 | 5>;
  end: number;
}

export const readLife = onceForEach(findLife);

function findLife(trace: Trace): Life {
  const memory = createTimeline<Memory>({ book: EMPTY_BOOK, settings: NO_SETTINGS });
  const house = createTimeline<House | null>(null);
  const isReady = createTimeline(false);
  const isBrokerUp = createTimeline(true);
  const skew = createTimeline(0);
  const doubtUntil = createTimeline(Number.NEGATIVE_INFINITY);
  const slowUntil = createTimeline(Number.NEGATIVE_INFINITY);
  const version = createTimeline<4 | 5>(5);
  const held = new Map<string, Timeline<Held | null>>();
  const heard = new Map<string, Heard[]>();
  const heldOn = (topic: string) => {
    const found = held.get(topic);
    if (found) return found;
    const created = createTimeline<Held | null>(null);
    held.set(topic, created);
    return created;
  };

  const is = { started: false, connected: false, online: false, suspended: false };
  let current: Memory = memory.at(0);
  /** What a later start reads; what is being written; and all that was ever known. */
  let onDisk = current;
  let writing = current;
  let ever = current;
  /** What the previous state file holds; and whether the state file becomes the previous one with the next write. */
  let previous = current;
  let keepsPrevious = false;
  /** The last answer of each source was plain. */
  const wasPlain = { service: true, rte: true };
  /** By how much the clock of each source was ahead of the steady clock in its last answer. */
  const ahead = new Map<string, number>();
  /** What the broker wrote to its disk last. */
  let saved = new Map<string, Held | null>();
  let wasRestarted = false;
  let latest = Number.NEGATIVE_INFINITY;
  const unanswered = new Map<number, number>();
  const bodies = new Map<string, string>();

  const learnt = (event: TraceEvent, next: Memory) => {
    if (next.book === current.book && next.settings === current.settings) return;
    current = next;
    ever = mergeMemories(ever, next);
    memory.set(event.steady, next);
  };
  const afterMishap = ({ from }: EventOf<"state file">): Memory => {
    if (from === "none") return memory.at(Number.NEGATIVE_INFINITY);
    // Which of the earlier ones it is, is not in the trace.
    if (from === "earlier") return mergeMemories(ever, NOTHING);
    // "A simulation ends."
    return withoutSimulation(previous);
  };
  const doubt = (event: TraceEvent, length: number) =>
    doubtUntil.set(event.steady, Math.max(doubtUntil.at(event.steady), event.steady + length));
  const topicsOf = (given: House | null) =>
    (given?.rules ?? []).flatMap(({ when }) =>
      partsOf(when).flatMap(({ mqtt }) => (mqtt ? [mqtt.topic] : [])),
    );
  const forget = (topics: readonly string[], steady: number) => {
    for (const topic of topics)
      heard.set(topic, [
        ...(heard.get(topic) ?? []),
        { from: steady, payload: null, earliest: steady, latest: steady },
      ]);
  };

  for (const event of trace.events) {
    const { steady } = event;
    const off = event.at - trace.began - steady;
    if (Math.abs(off - skew.at(steady)) > 1) {
      skew.set(steady, Math.abs(off) <= 1 ? 0 : off);
      // A value may seem older by the jump; what was dated by a wrong clock may be believed for hours.
      for (const [topic, list] of heard) {
        const last = list.at(-1)!;
        heard.set(topic, [...list, { ...last, from: steady, earliest: LONG_AGO }]);
      }
      // A clock that is set back does not bring back what it has ended.
      const settings = perhapsEnded(current.settings, Math.max(latest, event.at), event.at);
      learnt(event, { ...current, settings });
      wasPlain.service = false;
      wasPlain.rte = false;
      doubt(event, Math.abs(off) > 4 * MINUTE ? 8 * HOUR : 2 * HOUR);
    }
    latest = Math.max(latest, event.at);
    if (event.at < latest - MINUTE) doubt(event, latest - event.at + 2 * HOUR);

    if (isKind(event, "start")) {
      const next = readHouse(event.yaml);
      const saved = mergeMemories(current, onDisk);
      learnt(event, house.at(steady) ? edited(saved, house.at(steady)!, next) : saved);
      house.set(steady, next);
      forget(topicsOf(next), steady);
      wasRestarted = true;
      is.started = false;
    }
    if (isKind(event, "reload")) {
      const before = house.at(steady);
      const next = readHouse(event.yaml);
      if (before) learnt(event, edited(current, before, next));
      house.set(steady, next);
      const known = topicsOf(before);
      forget(
        topicsOf(next).filter((topic) => !known.includes(topic)),
        steady,
      );
      is.started = false;
    }
    if (isKind(event, "started")) is.started = true;
    if (isKind(event, "stop", "stopped", "kill", "crash", "yield")) is.started = false;
    // A reload makes a new connection, and ends the one before first, which a slow broker delays.
    if (isKind(event, "stopped", "kill", "crash", "disconnected", "reload")) is.connected = false;
    if (isKind(event, "connected")) {
      is.connected = true;
      is.online = false;
      version.set(steady, event.version);
    }
    if (isKind(event, "suspend", "resume")) is.suspended = event.kind === "suspend";
    if (isKind(event, "broker down", "broker up")) isBrokerUp.set(steady, event.kind === "broker up");
    if (isKind(event, "broker saves"))
      saved = new Map([...held].map(([topic, values]) => [topic, values.at(steady)]));
    if (isKind(event, "broker up") && event.retained !== "kept")
      for (const [topic, values] of held)
        values.set(steady, event.retained === "saved" ? (saved.get(topic) ?? null) : null);

    if (isKind(event, "write")) {
      if (event.outcome === "begun") writing = current;
      if (event.outcome === "done") {
        if (keepsPrevious) previous = onDisk;
        keepsPrevious = true;
        onDisk = writing;
      }
      // A start that cannot save ends a simulation, as a later command may have ended it.
      if (event.outcome === "failed" && !is.started)
        learnt(event, mergeMemories(current, withoutSimulation(current)));
    }
    if (isKind(event, "state file")) {
      learnt(event, afterMishap(event));
      onDisk = current;
      // What cannot be read does not become the previous state file.
      keepsPrevious = event.from === "earlier";
    }

    if (isKind(event, "answer")) {
      const { made, isPlain, isHoursOff } = readMade(event.headers, trace.began + steady);
      // By another tariff's time zone a word may be confirmed later.
      const given = house.at(steady);
      const isOfThisTariff = given?.isSpecial === false;
      const isCertain = isPlain && wasPlain[event.source] && skew.at(steady) === 0 && isOfThisTariff;
      wasPlain[event.source] = isPlain;
      ahead.set(event.source, made - steady);
      if (isHoursOff) doubt(event, 8 * HOUR);
      // 304: what that path last said with this tag holds again.
      const tag = `${event.source} ${event.path} ${event.headers.etag ?? ""}`;
      const body = event.status === 304 ? (bodies.get(tag) ?? event.body) : event.body;
      if (event.status === 200) bodies.set(tag, body);
      const book = learn(current.book, { ...event, body, made, isPlain: isCertain, house: given ?? {} });
      learnt(event, { ...current, book });
    }
    if (isKind(event, "heard") && event.topic.startsWith(`${BASE}/`) && !event.retain) {
      const topic = event.topic.slice(BASE.length + 1);
      const given = house.at(steady);
      if (given) {
        // What is set for a time ends by the clock that vigie believes.
        const others = [...ahead.values()]
          .map((one) => steady + one)
          .filter((time) => Math.abs(time - event.at) > WRONG_CLOCK);
        const obeyed = [event.at, ...others].map((time) =>
          obey(current.settings, topic, event.payload, time, given),
        );
        learnt(event, { ...current, settings: obeyed.reduce(mergeSettings) });
      }
    }
    if (isKind(event, "heard") && !event.topic.startsWith(`${BASE}/`)) {
      const { topic, payload, retain } = event;
      const list = heard.get(topic) ?? [];
      // A start reads when a payload was first heard, and the state file may be an earlier one: other payloads may have come since.
      const isFirst = list.at(-1)?.payload === null;
      const last = list.findLast((one) => one.payload !== null && (!isFirst || one.payload === payload));
      const isReplay = retain && last?.payload === payload;
      const isDatedBefore = isReplay && !wasRestarted;
      const { earliest, latest } = isDatedBefore
        ? last
        : { earliest: isReplay ? LONG_AGO : steady, latest: steady };
      heard.set(topic, list);
      list.push({ from: steady, payload, earliest, latest });
    }
    if (isKind(event, "published", "message") && event.retain) {
      const expiry = isKind(event, "published") ? event.expiry : undefined;
      const until = expiry === undefined ? Number.POSITIVE_INFINITY : steady + expiry * 1000;
      const entry = { payload: event.payload, since: steady, until, byVigie: event.kind === "published" };
      heldOn(event.topic).set(steady, event.payload === "" ? null : entry);
      if (event.topic === `${BASE}/availability`) is.online = event.payload === "online";
    }
    if (isKind(event, "published") && event.qos > 0) unanswered.set(event.id, steady);
    if (isKind(event, "acknowledged")) unanswered.delete(event.id);
    const [longest = steady] = unanswered.values();
    if (steady - longest > 1_000) slowUntil.set(steady, Math.max(slowUntil.at(steady), steady + MINUTE));
    if (isKind(event, "disconnected")) unanswered.clear();

    isReady.set(steady, is.started && is.connected && is.online && !is.suspended && isBrokerUp.at(steady));
  }
  return {
    memory,
    house,
    isReady,
    isBrokerUp,
    skew,
    doubtUntil,
    slowUntil,
    held: heldOn,
    heard: (topic) => heard.get(topic) ?? [],
    version,
    end: trace.events.at(-1)?.steady ?? 0,
  };
}

function edited({ book, settings }: Memory, before: House, after: House): Memory {
  const withoutService = before.hasService && !after.hasService ? perhapsWithout(book, "service") : book;
  return {
    book: before.hasRte && !after.hasRte ? perhapsWithout(withoutService, "rte") : withoutService,
    settings: afterEdit(settings, before, after),
  };
}

function mergeMemories(one: Memory, other: Memory): Memory {
  if (one === other) return one;
  return { book: mergeBooks(one.book, other.book), settings: mergeSettings(one.settings, other.settings) };
}

function withoutSimulation({ book, settings }: Memory): Memory {
  return { book, settings: { ...settings, simulation: [null] } };
}

const NOTHING: Memory = { book: EMPTY_BOOK, settings: NO_SETTINGS };
/** Milliseconds: vigie believes no source whose clock differs by less than five minutes from that of the machine. */
const WRONG_CLOCK = 4 * MINUTE;
/** An age that is over any limit. */
const LONG_AGO = Number.NEGATIVE_INFINITY;
