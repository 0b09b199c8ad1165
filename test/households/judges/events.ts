import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Kind, type Trace, within } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE, houseAt, readTopics } from "./topics.ts";

/** The topic `event`: "not retained, once each" (docs/topics.md). */
export const eventJudges: readonly Judge[] = [
  { name: "events", find: judgeEvents },
  { name: "each event", find: (trace) => [...missedRules(trace), ...missedDays(trace)] },
];

type Published = EventOf<"published">;

interface Said {
  published: Published;
  type: string;
  rule?: string;
  date?: string;
  color?: string;
}

const saidIn = onceForEach((trace: Trace): Said[] =>
  readTopics(trace)
    .published(EVENT)
    .map((published) => {
      const { event_type: type = "", ...rest } = JSON.parse(published.payload || "{}");
      return { published, type, ...rest };
    })
    // vigie clears what somebody else has retained there.
    .filter(({ published }) => published.payload !== ""),
);

const connectionsOf = onceForEach((trace: Trace) =>
  trace.events.filter((event) => isKind(event, "connected")),
);

/** An event is true when it is said, not retained, and not said twice. */
function judgeEvents(trace: Trace): Finding[] {
  const all = saidIn(trace);
  return all.map((said, index): Finding => {
    const { steady, payload } = said.published;
    const found = judgeEvent(trace, said, all.slice(0, index));
    if (found === "right" || found === "skipped") return found;
    return { at: steady, sentence: `event ${payload} ${found}` };
  });
}

/** A text is what is wrong. */
function judgeEvent(trace: Trace, said: Said, earlier: readonly Said[]): string {
  const { published, type } = said;
  if (published.retain) return "is retained";
  if (!TYPES.includes(type)) return "has no known event_type";
  if (isTwice(trace, said, earlier)) return "is said twice";
  if (!isQuick(trace, published.steady)) return "skipped";
  return said.rule === undefined ? judgeDay(trace, said) : judgeRule(trace, said);
}

function isTwice(trace: Trace, said: Said, earlier: readonly Said[]): boolean {
  const { published, type, color, rule } = said;
  const before = earlier.findLast((one) => isOfSame(one, said));
  if (before?.type !== type || before.color !== color) return false;
  const [from, to] = [before.published.steady, published.steady];
  // Turns that came while the broker was away are said one after the other when it is back.
  if (rule !== undefined && wasJustOpened(trace, from)) return false;
  return isOneProcess(trace, from, to) && (rule === undefined || !hasTurned(trace, rule, from, to));
}

function wasJustOpened(trace: Trace, steady: number): boolean {
  return within(connectionsOf(trace), steady - AROUND, steady).length > 0;
}

function judgeRule(trace: Trace, { published: { steady }, rule, type }: Said): string {
  const states = saidAround(trace, `${BASE}/rules/${rule}/state`, steady);
  const near = saidIn(trace).filter((one) => Math.abs(one.published.steady - steady) < AROUND);
  // The topic has the newest of several turns only.
  const isOneOfSeveral = near.some((one) => one.rule === rule && one.type !== type);
  if (states.length === 0 || isOneOfSeveral) return "skipped";
  return states.includes(type === "rule_on" ? "ON" : "OFF") ? "right" : `and the rule is ${states.at(-1)}`;
}

function judgeDay(trace: Trace, { published: { steady }, date, color }: Said): string {
  // An event is about the day as it is, and the topics about the pretended one.
  if (isPretended(trace, steady)) return "skipped";
  const days = DAYS.flatMap((topic) => saidAround(trace, topic, steady).map(readDay));
  // While the clock is wrong, no topic says what a day has become.
  if (days.some((day) => day.date === null)) return "skipped";
  const shown = days.filter(
    (day) => day.date === date && typeof day.color === "string" && day.source !== PRETENDED,
  );
  if (shown.length === 0) return "skipped";
  return shown.some((day) => day.color === color) ? "right" : `and the day is ${shown[0]!.color}`;
}

/** What a topic said anew in these seconds; if it did not, what it says. */
function saidAround(trace: Trace, topic: string, steady: number): string[] {
  const topics = readTopics(trace);
  const changes = topics.changes([topic], steady - AROUND, steady + AROUND);
  return (changes.length > 0 ? changes : [steady]).flatMap((at) => topics.at(topic, at) ?? []);
}

function readDay(payload: string): ShownDay {
  return JSON.parse(payload || "{}");
}

/** A day is announced and final at once, and may be corrected before it is final. */
function isOfSame(one: Said, other: Said): boolean {
  if (other.rule !== undefined) return one.rule === other.rule;
  return (
    one.rule === undefined && one.date === other.date && (one.type === "final") === (other.type === "final")
  );
}

interface ShownDay {
  date?: string | null;
  color?: string | null;
  official?: boolean | null;
  source?: string | null;
}

/** The rule was something else between two events of it. */
function hasTurned(trace: Trace, rule: string, from: number, to: number): boolean {
  const topics = readTopics(trace);
  const topic = `${BASE}/rules/${rule}/state`;
  const states = topics.changes([topic], from, to + AROUND).map((at) => topics.at(topic, at));
  return new Set([topics.at(topic, from), ...states]).size > 1 || !readCalm(trace).isSeen(from, to);
}

/** Each turn of a rule from ON to OFF, or from OFF to ON, has an event. */
function missedRules(trace: Trace): Finding[] {
  const topics = readTopics(trace);
  return topics
    .topics()
    .filter((topic) => /^vigie\/rules\/[^/]+\/state$/.test(topic))
    .flatMap((topic) => {
      const rule = topic.split("/")[2]!;
      return topics.published(topic).flatMap((published, index, all): Finding[] => {
        const before = all[index - 1];
        const isTurn =
          before && published.payload !== before.payload && isVerdict(before) && isVerdict(published);
        if (!isTurn) return [];
        const type = published.payload === "ON" ? "rule_on" : "rule_off";
        return isMissed(trace, before, published, (said) => said.rule === rule && said.type === type);
      });
    });
}

/** Each next day that becomes official has an event. */
function missedDays(trace: Trace): Finding[] {
  return readTopics(trace)
    .published(`${BASE}/tomorrow`)
    .flatMap((published, index, all): Finding[] => {
      const before = all[index - 1];
      if (!before || published.payload === "" || before.payload === "") return [];
      const [was, is] = [readDay(before.payload), readDay(published.payload)];
      if (is.date === undefined || is.date !== was.date || was.official !== false || is.official !== true)
        return [];
      const isReal = was.source !== PRETENDED && is.source !== PRETENDED;
      if (!isReal || isPretended(trace, before.steady)) return ["skipped"];
      return isMissed(trace, before, published, (said) => said.type === "announced" && said.date === is.date);
    });
}

function isMissed(
  trace: Trace,
  before: Published,
  published: Published,
  isIt: (said: Said) => boolean,
): Finding[] {
  const { steady, topic, payload } = published;
  const isKnown =
    isOneProcess(trace, Math.min(before.steady, steady - KNOWS), steady) &&
    houseAt(trace, before.steady) === houseAt(trace, steady) &&
    isQuick(trace, steady);
  if (!isKnown) return ["skipped"];
  const around = saidIn(trace).filter((said) => Math.abs(said.published.steady - steady) < AROUND);
  return [
    around.some(isIt) ? "right" : { at: steady, sentence: `${topic} is ${payload}, and no event says so` },
  ];
}

function isVerdict({ payload }: Published): boolean {
  return payload === "ON" || payload === "OFF";
}

function isPretended(trace: Trace, steady: number): boolean {
  return readTopics(trace).at(`${BASE}/simulation/color`, steady) !== "auto";
}

/** "Days and the states of rules are written while they are published: an `event` may be published twice" after a power cut. */
function isOneProcess(trace: Trace, from: number, to: number): boolean {
  return within(trace.events, from, to).every(({ kind }) => !ANEW.has(kind));
}

function isQuick(trace: Trace, steady: number): boolean {
  const calm = readCalm(trace);
  const [from, to] = [steady - AROUND, steady + AROUND];
  return (
    calm.isThrough(from, to) &&
    calm.isBrokerQuick(from, to) &&
    calm.isSure(from, to) &&
    calm.isAwake(from, to)
  );
}

const EVENT = `${BASE}/event`;
const PRETENDED = "simulation";
const TYPES = ["announced", "final", "revised", "rule_on", "rule_off"];
const DAYS = ["yesterday", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7", "now", "next"].map(
  (day) => `${BASE}/${day}`,
);
const ANEW: ReadonlySet<Kind> = new Set([
  "start",
  "connected",
  "disconnected",
  "state file",
  "jump",
  "kill",
  "suspend",
]);
/** Milliseconds. Nothing is new to a vigie that has just started: it asks its sources first, and they may be slow. */
const KNOWS = 5 * MINUTE;
const AROUND = 3 * SECOND;
