import { type EventOf, isKind, type Judge, type SourceName, type Trace, type Violation } from "../trace.ts";
import { readTopics } from "./topics.ts";

/** vigie is polite: requests a minute and a day, messages, writes. */
export const judgeLimits: Judge = (trace) => [
  ...requests(trace, "service", 150 + ESSENTIAL.service),
  ...requests(trace, "rte", 80 + ESSENTIAL.rte),
  ...messages(trace),
  ...writes(trace),
];

/** A start asks at once, and what a killed vigie had asked for may not be saved. */
function requests({ began, events }: Trace, source: SourceName, aDay: number): Violation[] {
  const sent = events.flatMap((event) =>
    isKind(event, "request") && event.source === source ? [event.steady] : [],
  );
  const starts = events.flatMap((event) => (isKind(event, "start") ? [event.steady] : []));
  return [
    ...tooMany(`requests to ${source} a minute`, sent, starts, { most: 10, within: 60_000, aStart: 10 }),
    ...requestsADay(source, sent, starts, aDay, began),
  ];
}

/** Of a day in UTC, by the true time. */
function requestsADay(
  source: SourceName,
  sent: number[],
  starts: number[],
  aDay: number,
  began: number,
): Violation[] {
  const dayOf = (steady: number) => Math.floor((began + steady) / DAY);
  return [...new Set(sent.map(dayOf))].flatMap((day) => {
    const ofDay = sent.filter((steady) => dayOf(steady) === day);
    const allowed = aDay + 10 * starts.filter((steady) => dayOf(steady) === day).length;
    if (ofDay.length <= allowed) return [];
    const sentence = `${ofDay.length} requests to ${source} on a day, at most ${allowed}`;
    return [{ judge: "limits", at: ofDay.at(-1) ?? 0, sentence }];
  });
}

function messages(trace: Trace): Violation[] {
  const topics = readTopics(trace);
  const connections = trace.events.flatMap((event) => (isKind(event, "connected") ? [event.steady] : []));
  return topics.topics().flatMap((topic) => {
    // Its own pings are how it waits for the broker. An output that turns each second has three states each time.
    if (/owner\/p[io]ng$/.test(topic)) return [];
    const sent = topics.published(topic).map(({ steady }) => steady);
    return tooMany(`messages on ${topic} in 10 s`, sent, connections, {
      most: 45,
      within: 10_000,
      aStart: 15,
    });
  });
}

function writes({ events }: Trace): Violation[] {
  const written = events.flatMap((event) =>
    isKind(event, "write") && event.outcome === "done" ? [event.steady] : [],
  );
  const reasons = events.flatMap((event) => (isReasonToWrite(event) ? [event.steady] : []));
  return tooMany("writes an hour", written, reasons, { most: 60, within: 3_600_000, aStart: 6 });
}

function isReasonToWrite(
  event: Trace["events"][number],
): event is EventOf<"start" | "published" | "message" | "web request"> {
  if (isKind(event, "start", "reload", "stop", "log")) return true;
  if (isKind(event, "message")) return event.by === "command" || event.by === "device";
  if (isKind(event, "web request")) return event.what === "sending";
  return isKind(event, "published") && event.topic.startsWith("device");
}

interface Limit {
  most: number;
  within: number;
  /** How many more for each reason in that time. */
  aStart: number;
}

function tooMany(
  what: string,
  times: readonly number[],
  reasons: readonly number[],
  limit: Limit,
): Violation[] {
  const { most, within, aStart } = limit;
  for (let first = 0, next = 0; next < times.length; next += 1) {
    // vigie counts in whole milliseconds.
    while (times[next]! - times[first]! > within - 1) first += 1;
    const count = next - first + 1;
    if (count <= most) continue;
    const from = times[first]! - 1_000;
    const allowed = most + aStart * reasons.filter((at) => at >= from && at <= times[next]!).length;
    if (count > allowed)
      return [{ judge: "limits", at: times[next]!, sentence: `${count} ${what}, at most ${allowed}` }];
  }
  return [];
}

/** What goes on beyond the day's budget: polls of several requests, four an hour where they come most often. */
const ESSENTIAL = { service: 300, rte: 60 };
const DAY = 86_400_000;
