import { type EventOf, isKind, type Trace } from "../trace.ts";
import { nearestMinute } from "./paris-time.ts";
import type { Part } from "./part.ts";
import { readObject, takeWordsOut } from "./words-apart.ts";

/**
 * The retained topics, except discovery messages: first those with JSON, then the others. Topics of one level that expire at the same
 * time stand on one line.
 */
export function describeTopics(look: EventOf<"look">, trace: Trace): Part[] {
  const part: Part = { title: "topics", data: [], words: [] };
  const untilWhen = readExpiries(look, trace);
  const levels = new Map<string, string[]>();
  for (const [topic, payload] of sorted(look.retained)) {
    if (isDiscovery(topic)) continue;
    const json = readObject(payload);
    if (json) {
      describeObject(json, { topic, until: untilWhen(topic), retained: look.retained }, part);
      continue;
    }
    const { data, words } = takeWordsOut(payload);
    for (const [, said] of words) part.words.push(`${topic}: ${said}`);
    const level = topic.slice(0, topic.lastIndexOf("/") + 1);
    const key = `${level}${untilWhen(topic)}`;
    levels.set(key, [...(levels.get(key) ?? []), `${topic.slice(level.length)}=${data}`]);
  }
  for (const [key, entries] of levels) part.data.push(`${key}: ${entries.join(", ")}`);
  return [part];
}

function sorted(topics: ReadonlyMap<string, string>): [topic: string, payload: string][] {
  return [...topics].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

interface TopicWithJson {
  topic: string;
  /** When it expires, in words; empty: never. */
  until: string;
  retained: ReadonlyMap<string, string>;
}

/** Adds the lines of a topic whose payload is JSON. */
function describeObject(json: object, { topic, until, retained }: TopicWithJson, part: Part): void {
  const { same, rest } = takeSameOut(json, topic, retained);
  const { data, words } = takeWordsOut(JSON.stringify(rest));
  for (const [place, said] of words) part.words.push(`${topic} ${place}: ${said}`);
  const [first, ...below] = linesOfJson(JSON.parse(data));
  const named = `as its topics: ${same.join(" ")}`;
  const shown = same.length === 0 ? [first] : Object.keys(rest).length === 0 ? [named] : [named, first];
  part.data.push(`${topic}${until}: ${shown.join("; ")}`);
  part.data.push(...below.map((line) => `${topic}: ${line}`));
}

export function isDiscovery(topic: string): boolean {
  return topic.endsWith("/config");
}

/** `same`: the keys whose value a topic below says, too, so that one change is one line. `rest`: the other keys. */
function takeSameOut(value: object, topic: string, retained: ReadonlyMap<string, string>) {
  const isSame = ([key, one]: [string, unknown]): boolean => {
    const below = `${topic}/${key}`;
    if (typeof one === "object" && one !== null) {
      const inner = takeSameOut(one, below, retained);
      return inner.same.length > 0 && Object.keys(inner.rest).length === 0;
    }
    return retained.get(below) === payloadOf(one);
  };
  const entries = Object.entries(value);
  const same = Array.isArray(value) ? [] : entries.filter(isSame).map(([key]) => key);
  const rest = Array.isArray(value)
    ? value
    : Object.fromEntries(entries.filter(([key]) => !same.includes(key)));
  return { same, rest };
}

/** As a topic says it. */
function payloadOf(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "ON" : "OFF";
  return String(value);
}

/** Each object of a list has a line of its own, so that one sees which of them have changed. */
function linesOfJson(value: object): string[] {
  const below: string[] = [];
  const takeOut = (list: unknown) => {
    if (!Array.isArray(list) || typeof list[0] !== "object") return list;
    below.push(...list.map((one) => `  ${JSON.stringify(one)}`));
    return `${list.length} below`;
  };
  const whole = Array.isArray(value) ? takeOut(value) : mapValues(value, takeOut);
  return [typeof whole === "string" ? whole : JSON.stringify(whole), ...below];
}

function mapValues(value: object, map: (one: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one)]));
}

/** When the broker drops a topic, to the minute by the true time; empty: never. */
function readExpiries(look: EventOf<"look">, { began, events }: Trace): (topic: string) => string {
  const until = new Map<string, number | undefined>();
  for (const event of events) {
    if (event.steady > look.steady) break;
    if (!isKind(event, "published")) continue;
    const { topic, steady, expiry } = event;
    until.set(topic, expiry === undefined ? undefined : began + steady + expiry * 1000);
  }
  return (topic) => {
    const at = until.get(topic);
    return at === undefined ? "" : ` (until ${nearestMinute(at)})`;
  };
}
