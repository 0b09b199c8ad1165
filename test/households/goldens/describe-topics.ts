import { type EventOf, isKind, type Trace } from "../trace.ts";
import type { Part } from "./compose-golden.ts";
import { nearestMinute } from "./paris-time.ts";
import { takeWordsOut } from "./words-apart.ts";

/** The retained topics, but for discovery messages. Topics of one level that expire at the same time stand on one line. */
export function describeTopics(look: EventOf<"look">, trace: Trace): Part[] {
  const part: Part = { title: "topics", data: [], words: [] };
  const lines = new Map<string, string[]>();
  for (const topic of [...look.retained.keys()].toSorted()) {
    if (isDiscovery(topic)) continue;
    const { data, words } = takeWordsOut(look.retained.get(topic)!);
    for (const [place, said] of words)
      part.words.push(`${[topic, place].filter(Boolean).join(" ")}: ${said}`);
    const until = untilWhen(topic, look, trace);
    if (/^[[{]/.test(data)) {
      part.data.push(...linesOfJson(JSON.parse(data)).map((line) => `${topic}${until}: ${line}`));
      continue;
    }
    const level = topic.slice(0, topic.lastIndexOf("/") + 1);
    const key = `${level}${until}`;
    lines.set(key, [...(lines.get(key) ?? []), `${topic.slice(level.length)}=${data}`]);
  }
  for (const [key, entries] of lines) part.data.push(`${key}: ${entries.join(", ")}`);
  return [part];
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
  return [JSON.stringify(whole), ...below];
}

function mapValues(value: object, map: (one: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one)]));
}

export function isDiscovery(topic: string): boolean {
  return topic.endsWith("/config");
}

/** When the broker drops it, to the minute; empty: never. */
function untilWhen(topic: string, look: EventOf<"look">, { began, events }: Trace): string {
  const last = events.findLast(
    (event) => isKind(event, "published") && event.topic === topic && event.steady <= look.steady,
  );
  if (!last || !isKind(last, "published") || last.expiry === undefined) return "";
  return ` (until ${nearestMinute(began + last.steady + last.expiry * 1000)})`;
}
