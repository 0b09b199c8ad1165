import { DAY, MINUTE } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent, within } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { OutputText } from "./house-outputs.ts";
import { type Finding, type Judge, untilWrong } from "./judge.ts";
import { expectedOf, judgeOutputs, type Look, targetsOf } from "./output-life.ts";
import { requestJudges } from "./request-limits.ts";
import { readSendings, type Sending, targetOf } from "./sendings.ts";
import { BASE, houseAt, housesInForce, readTopics } from "./topics.ts";

/** vigie is polite: requests a minute and a day, messages, writes. */
export const limitJudges: readonly Judge[] = [
  ...requestJudges,
  { name: "messages on a topic", find: judgeMessages },
  judgeOutputs("payloads at which the broker ends the connection", judgeLost),
  { name: "writes a day", find: judgeWrites },
];

/**
 * "Rules are evaluated at most once a second" (docs/rules.md, "Limits"), and "vigie looks at the reports of a device at most once a second"
 * (docs/outputs.md): so a topic changes once a second. An output changes its topics twice more for each payload that it sends: it
 * waits, and the broker or the address has taken it; and once more for one that it cannot send.
 */
function judgeMessages(trace: Trace): Finding[] {
  const topics = readTopics(trace);
  const calm = readCalm(trace);
  const reasons = trace.events.filter(isReasonToPublish).map(({ steady }) => ({ steady, more: 1 }));
  const foreign = trace.events.filter(isForeign);
  return topics.topics().flatMap((topic) => {
    // Its own pings are how it waits for the broker.
    if (/owner\/p[io]ng$/.test(topic)) return [];
    const own = [
      ...sendingsOf(topic, trace).map(({ steady }) => ({ steady, more: 2 })),
      ...unsentOf(topic, trace).map(({ steady }) => ({ steady, more: 1 })),
      // vigie sends its own value again.
      ...foreign.flatMap((event) => (event.topic === topic ? [{ steady: event.steady, more: 1 }] : [])),
    ];
    // Events wait for each other at a slow broker, and arrive together when it is quick again.
    const isOnTime = ({ steady }: TraceEvent) =>
      topic !== `${BASE}/event` || calm.isBrokerQuick(steady - EVENTS_WAIT, steady);
    return bySubject(topics.published(topic).filter(isOnTime)).flatMap((sent) => {
      const times = sent.map(({ steady }) => steady);
      const limit = { most: 11, within: 10_000 };
      return tooMany(`messages on ${topic} in 10 s`, times, [...reasons, ...own], limit);
    });
  });
}

/** What was sent by the output that this topic of vigie tells about. */
function sendingsOf(topic: string, trace: Trace): Sending[] {
  const [, kind, id] = topic.split("/");
  if (kind !== "outputs") return [];
  const outputs = housesInForce(trace).flatMap(({ house }) => house.outputs.filter((one) => one.id === id));
  return [...new Set(outputs.map(targetOf))].flatMap((target) => readSendings(trace).get(target) ?? []);
}

/** Payloads that vigie could not send because their secret was not there. The trace has no request for them. */
function unsentOf(topic: string, trace: Trace): { steady: number }[] {
  const [, kind, id] = topic.split("/");
  const calm = readCalm(trace);
  const isSecret = (output: OutputText) => output.id === id && output.needsSecretFile;
  return kind === "outputs"
    ? readTopics(trace)
        .published(`${BASE}/outputs/${id}/payload`)
        .filter(({ steady }) => !calm.hasSecrets(steady, steady))
        .filter(({ steady }) => houseAt(trace, steady)?.outputs.some(isSecret))
    : [];
}

/** All rules publish on one topic that they have turned, and may turn at once. */
function bySubject(sent: readonly EventOf<"published">[]): EventOf<"published">[][] {
  const groups = new Map<string, EventOf<"published">[]>();
  for (const one of sent) {
    const subject = one.topic === `${BASE}/event` ? String(JSON.parse(one.payload || "{}").rule) : "";
    const group = groups.get(subject);
    if (group) group.push(one);
    else groups.set(subject, [one]);
  }
  return [...groups.values()];
}

/** Somebody else publishes on a topic of vigie. */
function isForeign(event: TraceEvent): event is TraceEvent & EventOf<"message"> {
  return isKind(event, "message") && event.topic.startsWith(`${BASE}/`);
}

/** All topics are sent again, or somebody commands. */
function isReasonToPublish(event: TraceEvent): boolean {
  if (isKind(event, "connected", "jump", "resume")) return true;
  return isKind(event, "message") && (event.by === "command" || event.by === "home assistant");
}

/**
 * "If the connection to the broker ends before the broker has acknowledged a payload, vigie sends it again after `confirm.every` (30 s
 * without `confirm`), and then after pauses that double, up to ten minutes: a broker may end the connection at a topic that it forbids"
 * (docs/outputs.md). A payload with QoS 0 is acknowledged by nobody.
 */
function judgeLost(look: Look): Finding[] {
  return targetsOf(look.life).flatMap((sendings) => {
    let tries = 0;
    return sendings.flatMap((sending, index): Finding[] => {
      const before = sendings[index - 1];
      const output = look.life.at(sending.steady);
      const isAgain = before?.payload === sending.payload && endsConnection(look.trace, before);
      tries = isAgain ? tries + 1 : 0;
      if (!isAgain || !output || output.qos === 0) return [];
      if (beginsAnew(look, before, sending)) {
        tries = 0;
        return ["skipped"];
      }
      const pause = sending.steady - before.steady;
      const least = Math.min(10 * MINUTE, (output.confirm?.every ?? USUAL_EVERY) * 2 ** (tries - 1));
      const sentence = `${sending.target} is tried again after ${seconds(pause)} s, not after ${seconds(least)} s`;
      return [pause < least ? { at: sending.steady, sentence } : "right"];
    });
  });
}

function endsConnection({ events }: Trace, { how, failure, steady }: Sending): boolean {
  if (how !== "mqtt" || failure !== "refused") return false;
  return within(events, steady - 1, steady).some(({ kind }) => kind === "disconnected");
}

/** The payload may be due anew, the device has done it meanwhile, or the time was not the machine's. */
function beginsAnew({ trace, life, calm }: Look, before: Sending, sending: Sending): boolean {
  const output = life.at(before.steady);
  const expected = output?.confirm ? expectedOf(output, before.payload) : null;
  const isDone = within(life.reports, before.steady, sending.steady).some(
    ({ isLive, meaning }) => isLive !== "no" && expected !== null && meaning(expected) === "expected",
  );
  const isNew = within(trace.events, before.steady, sending.steady).some((event) =>
    isKind(event, "start", "reload", "resume", "jump"),
  );
  return isDone || isNew || life.isOrderedAnew(before, sending, calm);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(0);
}

/**
 * "Disk writes of a quiet day: at most 50" (docs/figures.md). What happens is saved besides: a start asks its sources, and the first ten
 * requests after it are saved at once (docs/sources.md), and each answer is; what is sent and taken, and what a command sets.
 */
function judgeWrites({ events }: Trace): Finding[] {
  const written = events.flatMap((event) =>
    isKind(event, "write") && event.outcome === "done" ? [event.steady] : [],
  );
  const reasons = events.flatMap((event) =>
    isReasonToWrite(event) ? [{ steady: event.steady, more: isKind(event, "start", "reload") ? 12 : 2 }] : [],
  );
  return tooMany("writes a day", written, reasons, { most: 50, within: DAY });
}

function isReasonToWrite(
  event: TraceEvent,
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
  { most, within: length }: Limit,
): Finding[] {
  const inOrder = reasons.toSorted((one, other) => one.steady - other.steady);
  let first = 0;
  return untilWrong(times, (time, index) => {
    // vigie counts in whole milliseconds.
    while (time - times[first]! > length - 1) first += 1;
    const count = index - first + 1;
    if (count <= most) return "right";
    // `within` leaves its first instant out; what happened just then counts.
    const inTime = within(inOrder, times[first]! - 1_000 - 0.001, time);
    const allowed = inTime.reduce((sum, { more }) => sum + more, most);
    return count > allowed ? { at: time, sentence: `${count} ${what}, at most ${allowed}` } : "right";
  });
}

/** Milliseconds, without `confirm`. */
const USUAL_EVERY = 30_000;
/** Milliseconds: for so long after a slow time, events that waited for each other may still arrive together. */
const EVENTS_WAIT = 3 * MINUTE;
