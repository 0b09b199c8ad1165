import { countUntil, type EventOf, isKind, type Trace, within } from "../trace.ts";
import { type House, readHouse } from "./house.ts";
import { onceForEach } from "./once-for-each.ts";

/** The base topic of all households. */
export const BASE = "vigie";

/** What vigie has published over time, by topic. */
export interface TopicHistory {
  /** The last payload that vigie published there by then; undefined: none. */
  at: (topic: string, steady: number) => string | undefined;
  /** The whole of it. */
  last: (topic: string, steady: number) => EventOf<"published"> | undefined;
  /** When vigie published there after `from` and until `to`, in order. */
  changes: (topics: readonly string[], from: number, to: number) => number[];
  published: (topic: string) => readonly EventOf<"published">[];
  topics: () => string[];
}

export const readTopics = onceForEach(findTopics);

function findTopics({ events }: Trace): TopicHistory {
  const byTopic = new Map<string, EventOf<"published">[]>();
  for (const event of events) {
    if (!isKind(event, "published")) continue;
    const list = byTopic.get(event.topic);
    if (list) list.push(event);
    else byTopic.set(event.topic, [event]);
  }
  const published = (topic: string) => byTopic.get(topic) ?? [];
  const last = (topic: string, steady: number) => {
    const list = published(topic);
    return list[countUntil(list, steady) - 1];
  };
  return {
    at: (topic, steady) => last(topic, steady)?.payload,
    last,
    changes: (topics, from, to) =>
      topics
        .flatMap((topic) => within(published(topic), from, to))
        .map(({ steady }) => steady)
        .sort((one, other) => one - other),
    published,
    topics: () => [...byTopic.keys()],
  };
}

/** The configurations in force, each from its instant on. */
export const housesInForce = onceForEach(findHouses);

interface HouseInForce {
  from: number;
  house: House;
}

function findHouses({ events }: Trace): readonly HouseInForce[] {
  return events.flatMap((event) =>
    isKind(event, "start", "reload") ? [{ from: event.steady, house: readHouse(event.yaml) }] : [],
  );
}

export function houseAt(trace: Trace, steady: number): House | undefined {
  return housesInForce(trace).findLast(({ from }) => from <= steady)?.house;
}

/** Those in force at some time between these two instants. */
export function housesBetween(trace: Trace, from: number, to: number): House[] {
  const houses = housesInForce(trace);
  const last = houses.findLastIndex((one) => one.from <= from);
  return houses
    .slice(Math.max(0, last))
    .filter((one) => one.from <= to)
    .map(({ house }) => house);
}
