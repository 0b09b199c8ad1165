import { parse, stringify } from "yaml";
import { isKind, type Trace, type TraceEvent } from "../trace.ts";
import { type House, readHouse } from "./house.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE } from "./topics.ts";

/**
 * The trace of a household with another base topic or another discovery prefix, as it would be with the usual ones: the other judges know
 * these alone. What is on the usual ones there is not vigie's.
 */
export const withUsualNames = onceForEach(rename);

/** The same judge, which reads each trace with the usual names. */
export function judgeUsualNames({ name, find }: Judge): Judge {
  return { name, find: (trace) => find(withUsualNames(trace)) };
}

/** "All topics of vigie are below this topic": a message of vigie is there, or is for Home Assistant or a device. */
export const ownNamesJudge: Judge = {
  name: "own names",
  find: (trace) => {
    const given: House[] = [];
    return trace.events.flatMap((event): Finding[] => {
      if (isKind(event, "start", "reload")) given.push(readHouse(event.yaml));
      if (!isKind(event, "published")) return [];
      if (given.some((house) => mayPublish(house, event.topic))) return ["right"];
      return [
        { at: event.steady, sentence: `vigie publishes on ${event.topic}, which is not its own topic` },
      ];
    });
  },
};

function mayPublish({ baseTopic, prefix, outputs }: House, topic: string): boolean {
  const isOfDiscovery = topic.startsWith(`${prefix}/`) && topic.endsWith("/config");
  const isOfOutput = outputs.some(({ to }) => to.kind === "mqtt" && to.topic === topic);
  return topic.startsWith(`${baseTopic}/`) || isOfDiscovery || isOfOutput;
}

const PREFIX = "homeassistant";
/** Not read by any judge. */
const ELSEWHERE = "elsewhere";

type Change = (topic: string) => string;

function rename(trace: Trace): Trace {
  const [first] = trace.events.flatMap((event) => (isKind(event, "start") ? [readHouse(event.yaml)] : []));
  if (!first || (first.baseTopic === BASE && first.prefix === PREFIX)) return trace;
  const pairs = [
    [first.baseTopic, BASE],
    [first.prefix, PREFIX],
  ] as const;
  const change: Change = (topic) => {
    for (const [given, usual] of pairs)
      if (isBelow(topic, given)) return `${usual}${topic.slice(given.length)}`;
    const isTaken = pairs.some(([given, usual]) => given !== usual && isBelow(topic, usual));
    return isTaken && topic !== STATUS ? `${ELSEWHERE}/${topic}` : topic;
  };
  return { ...trace, events: trace.events.map((event) => renameIn(event, change)) };
}

/** It has an option of its own. */
const STATUS = "homeassistant/status";

function isBelow(topic: string, parent: string): boolean {
  return topic === parent || topic.startsWith(`${parent}/`);
}

function renameIn(event: TraceEvent, change: Change): TraceEvent {
  if (isKind(event, "start", "reload")) return { ...event, yaml: withoutNames(event.yaml) };
  if (isKind(event, "quiet", "look")) {
    const retained = [...event.retained].map(([topic, payload]) => renameMessage(topic, payload, change));
    return { ...event, retained: new Map(retained) };
  }
  if (!isKind(event, "published", "refused", "message", "heard")) return event;
  const [topic, payload] = renameMessage(event.topic, event.payload, change);
  return { ...event, topic, payload };
}

function withoutNames(yaml: string): string {
  const { mqtt, homeassistant, ...others } = parse(yaml);
  const { base_topic: _base, ...broker } = mqtt ?? {};
  const { prefix: _prefix, ...entities } = homeassistant ?? {};
  return stringify({ ...others, mqtt: broker, homeassistant: entities });
}

/** What Home Assistant is told names topics, too. */
function renameMessage(given: string, text: string, change: Change): [topic: string, payload: string] {
  const topic = change(given);
  if (!isBelow(topic, PREFIX) || !topic.endsWith("/config")) return [topic, text];
  try {
    const renamed: unknown = JSON.parse(text, (key, value) =>
      typeof value === "string" && (key === "topic" || key.endsWith("_topic")) ? change(value) : value,
    );
    return [topic, JSON.stringify(renamed)];
  } catch {
    return [topic, text];
  }
}
