import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE, houseAt, readTopics, type TopicHistory } from "./topics.ts";

/**
 * What others write on vigie's topics or delete there, what a broker has lost, and what it holds from before: all is right again soon.
 * "vigie logs it once, and sends its own value again. It clears retained topics that it does not publish" (docs/what-if.md).
 */
export const ownTopicsJudges: readonly Judge[] = [
  {
    name: "own topics",
    find: (trace) => trace.events.flatMap((event) => (isKind(event, "quiet") ? ownTopics(event, trace) : [])),
  },
  { name: "own topics within seconds", find: (trace) => trace.events.flatMap((event) => soon(event, trace)) },
];

/** The broker holds what vigie published last, and nothing else. */
function ownTopics({ steady, retained }: EventOf<"quiet">, trace: Trace): Finding[] {
  const topics = readTopics(trace);
  const published = topics.topics().filter((topic) => topics.last(topic, steady)?.retain);
  const names = [...new Set([...published, ...retained.keys()])].filter((topic) => isOwn(topic, trace));
  const isSettled = readCalm(trace).isThrough(steady - SETTLES, steady);
  return names.map((topic): Finding => {
    const wanted = wantedAt(topics, topic, steady);
    const held = retained.get(topic);
    if (held === wanted) return "right";
    if (held === undefined && mayBeLost(trace, topics, topic, steady)) return "skipped";
    if (!isSettled || (wanted === undefined && mayStay(trace, topic, steady))) return "skipped";
    const sentence = `${topic}: the broker holds ${shown(held)}, and vigie published ${shown(wanted)} last`;
    return { at: steady, sentence };
  });
}

/** On MQTT 5. "vigie asks whoever is named there (`owner/ping`) for two seconds or more" (docs/what-if.md). */
function soon(event: TraceEvent, trace: Trace): Finding[] {
  if (!isKind(event, "message") || event.by !== "house" || !event.retain || !isOwn(event.topic, trace))
    return [];
  const { steady, topic, payload } = event;
  const end = steady + SOON;
  const calm = readCalm(trace);
  const isKnown =
    isMqtt5(trace, steady) && calm.isThrough(steady - SETTLES, end) && calm.isBrokerQuick(steady, end);
  if (!isKnown) return ["skipped"];
  const topics = readTopics(trace);
  // vigie may have something new to say, and somebody else may write again.
  const isAnswered = topics.changes([topic], steady - 1, end).length > 0;
  if (isAnswered || payload === (wantedAt(topics, topic, end) ?? "")) return ["right"];
  const sentence = `${topic}: somebody published ${shown(payload)}, and vigie has not answered`;
  return [{ at: end, sentence }];
}

/** What the broker has to hold there; undefined: nothing. */
function wantedAt(topics: TopicHistory, topic: string, steady: number): string | undefined {
  const own = topics.last(topic, steady);
  if (!own?.retain || own.payload === "") return undefined;
  const isOver = own.expiry !== undefined && own.steady + own.expiry * SECOND <= steady;
  return isOver ? undefined : own.payload;
}

/** The broker lost it, and the owner edited the configuration meanwhile: vigie may have nothing to say there any more. */
function mayBeLost(trace: Trace, topics: TopicHistory, topic: string, steady: number): boolean {
  const said = topics.last(topic, steady)?.steady ?? steady;
  const isLost = trace.events.some(
    (event) => isKind(event, "broker up") && event.retained !== "kept" && isIn(event.steady, said, steady),
  );
  return isLost && houseAt(trace, said) !== houseAt(trace, steady);
}

function isOwn(topic: string, trace: Trace): boolean {
  return topic.startsWith(`${BASE}/`) && !othersBelow(trace).some((base) => topic.startsWith(`${base}/`));
}

/** Base topics of other vigies that are below this one: what is below them is theirs. */
const othersBelow = onceForEach(({ events }: Trace): string[] =>
  events.flatMap((event) => {
    if (!isKind(event, "message") || event.by !== "house" || !event.topic.endsWith("/owner")) return [];
    const base = event.topic.slice(0, -"/owner".length);
    return base.startsWith(`${BASE}/`) ? [base] : [];
  }),
);

/** "on MQTT 3.1.1, which does not tell whether a new message is retained, within some ten minutes" (docs/what-if.md). */
function mayStay(trace: Trace, topic: string, steady: number): boolean {
  const isRecent = trace.events.some(
    (event) =>
      isKind(event, "message") && event.topic === topic && isIn(event.steady, steady - LATEST, steady),
  );
  return !isMqtt5(trace, steady) && (isRecent || !readCalm(trace).isThrough(steady - LATEST, steady));
}

function isIn(steady: number, from: number, to: number): boolean {
  return steady > from && steady <= to;
}

function isMqtt5({ events }: Trace, at: number): boolean {
  const last = events.findLast((event) => isKind(event, "connected") && event.steady <= at);
  return last !== undefined && isKind(last, "connected") && last.version === 5;
}

function shown(text: string | undefined): string {
  return text === undefined ? "nothing" : JSON.stringify(text.slice(0, 80));
}

const SETTLES = MINUTE;
const SOON = 20 * SECOND;
/** What is read after ten minutes is cleared soon. */
const LATEST = 12 * MINUTE;
