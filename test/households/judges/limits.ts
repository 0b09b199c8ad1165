import { type EventOf, isKind, type Judge, type Trace, type Violation } from "../trace.ts";
import { judgeFailingPaths, judgeRequests } from "./request-limits.ts";
import { readSendings } from "./sendings.ts";
import { BASE, readTopics } from "./topics.ts";
import { DAY, HOUR } from "./truth/calendar.ts";

/** vigie is polite: requests a minute and a day, messages, writes. */
export const judgeLimits: Judge = (trace) => [
  ...judgeRequests(trace, "service"),
  ...judgeRequests(trace, "rte"),
  ...judgeFailingPaths(trace),
  ...messages(trace),
  ...lostSendings(trace),
  ...writes(trace),
];

/** Rules and reports are looked at once a second. So a topic changes once a second, and the state of an output three times. */
function messages(trace: Trace): Violation[] {
  const topics = readTopics(trace);
  const reasons = trace.events.flatMap((event) =>
    isReasonToPublish(event) ? [{ steady: event.steady, more: 1 }] : [],
  );
  return topics.topics().flatMap((topic) => {
    // Its own pings are how it waits for the broker.
    if (/owner\/p[io]ng$/.test(topic)) return [];
    const most = topic.startsWith("vigie/outputs/") ? 33 : 11;
    return bySubject(topics.published(topic)).flatMap((sent) => {
      const times = sent.map(({ steady }) => steady);
      return tooMany(`messages on ${topic} in 10 s`, times, reasons, { most, within: 10_000 });
    });
  });
}

/** All rules publish on one topic that they have turned, and may turn at once. */
function bySubject(sent: readonly EventOf<"published">[]): EventOf<"published">[][] {
  const groups = new Map<string, EventOf<"published">[]>();
  for (const one of sent) {
    const subject = one.topic === `${BASE}/event` ? String(JSON.parse(one.payload).rule) : "";
    const group = groups.get(subject);
    if (group) group.push(one);
    else groups.set(subject, [one]);
  }
  return [...groups.values()];
}

function isReasonToPublish(event: Trace["events"][number]): boolean {
  if (isKind(event, "connected", "jump", "resume")) return true;
  return isKind(event, "message") && event.by !== "device" && event.by !== "will";
}

/** A message at which the broker ends the connection is not sent at each new one. */
function lostSendings(trace: Trace): Violation[] {
  const reasons = trace.events.flatMap((event) =>
    isKind(event, "start", "reload") ? [{ steady: event.steady, more: 5 }] : [],
  );
  return [...readSendings(trace)].flatMap(([target, sendings]) => {
    const lost = sendings.filter(
      ({ how, payload, takenAt }, index) =>
        how === "mqtt" && takenAt === null && sendings[index - 1]?.payload === payload,
    );
    const times = lost.map(({ steady }) => steady);
    return tooMany(`tries of ${target} in an hour`, times, reasons, {
      most: 125,
      within: HOUR,
    });
  });
}

/** On a quiet day fewer than 50; and some for what happens: a start asks for everything, and each answer is saved. */
function writes({ events }: Trace): Violation[] {
  const written = events.flatMap((event) =>
    isKind(event, "write") && event.outcome === "done" ? [event.steady] : [],
  );
  const reasons = events.flatMap((event) =>
    isReasonToWrite(event) ? [{ steady: event.steady, more: isKind(event, "start", "reload") ? 12 : 2 }] : [],
  );
  return tooMany("writes a day", written, reasons, { most: 50, within: DAY });
}

function isReasonToWrite(
  event: Trace["events"][number],
): event is EventOf<"start" | "published" | "message" | "web request"> {
  if (isKind(event, "start", "reload", "stop", "log")) return true;
  if (isKind(event, "message")) return event.by === "command" || event.by === "device";
  if (isKind(event, "web request")) return event.what === "sending";
  // What an output was sent, and that a rule has turned, is known after a restart.
  return isKind(event, "published") && /^device|^vigie\/rules\/\w+\/state$/.test(event.topic);
}

interface Limit {
  most: number;
  within: number;
}

/** So many more are allowed for it. */
interface Reason {
  steady: number;
  more: number;
}

function tooMany(
  what: string,
  times: readonly number[],
  reasons: readonly Reason[],
  limit: Limit,
): Violation[] {
  const { most } = limit;
  for (let first = 0, next = 0; next < times.length; next += 1) {
    // vigie counts in whole milliseconds.
    while (times[next]! - times[first]! > limit.within - 1) first += 1;
    const count = next - first + 1;
    if (count <= most) continue;
    const from = times[first]! - 1_000;
    const inTime = reasons.filter(({ steady }) => steady >= from && steady <= times[next]!);
    const allowed = inTime.reduce((sum, { more }) => sum + more, most);
    if (count > allowed)
      return [{ judge: "limits", at: times[next]!, sentence: `${count} ${what}, at most ${allowed}` }];
  }
  return [];
}
