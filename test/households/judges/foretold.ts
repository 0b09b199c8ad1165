import { isKind, type Kind, type Trace, type TraceEvent } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { RuleText } from "./house.ts";
import type { Finding, Judge } from "./judge.ts";
import { judgeSnapshots, readAll, type Snapshot } from "./snapshots.ts";
import { BASE, housesBetween, readTopics, type TopicHistory } from "./topics.ts";
import { rulesWithoutValues, usesValues } from "./value-rules.ts";

/**
 * What a plan foretells happens if nothing is heard: between two events from outside a rule is what the plan says that it published
 * after the first of them; it turns at the instants of that plan, and at no other.
 */
const planJudge: Judge = {
  name: "foretold",
  find: (trace) => {
    const topics = readTopics(trace);
    const calm = readCalm(trace);
    // What a slow broker gets waits until it has answered what came before.
    const late = (steady: number) => Math.max(TOLERANCE, calm.lag(steady));
    return gapsOf(trace).flatMap((gap) => {
      const [house, ...others] = housesBetween(trace, gap.from, gap.to);
      if (!house || others.length > 0 || !gap.isClockRight) return ["skipped"];
      return rulesWithoutValues(house.rules).flatMap(({ id }) => turns(id, gap, topics, late));
    });
  },
};

/** "With these three, a home automation can act": `next_on` and `next_off` are the first such turns of the plan. */
const nextTurnJudge = judgeSnapshots("next on and off", (snapshot) =>
  snapshot.house.rules.flatMap((rule) => [true, false].map((state) => judgeNextTurn(rule, state, snapshot))),
);

export const foretoldJudges: readonly Judge[] = [planJudge, nextTurnJudge];

function judgeNextTurn(rule: RuleText, state: boolean, snapshot: Snapshot): string {
  const topic = `rules/${rule.id}/next_${state ? "on" : "off"}`;
  const [next, text] = readAll(snapshot, [topic, `rules/${rule.id}/plan`]) ?? [];
  if (next === undefined || text === undefined) return "skipped";
  const { spans, until } = readPlan(text)!;
  const turn = spans.find(
    (span, index) => index > 0 && span.state === state && spans[index - 1]?.state !== state,
  );
  // With a value: "`None` from the first of them on".
  const isOpen = next === "None" && usesValues(rule, snapshot.house.rules);
  if (isOpen) return "right";
  if (!turn) {
    // A long plan is cut.
    const isRight = next === "None" || (until !== null && Date.parse(next) >= until);
    return isRight ? "right" : `${topic} is ${next}, and the plan has no such turn`;
  }
  if (Date.parse(next) === turn.start) return "right";
  return `${topic} is ${next}, and by the plan it is ${new Date(turn.start).toISOString()}`;
}

/** A time in which nothing is heard, as `steady`. */
interface Gap {
  from: number;
  to: number;
  /** By a clock that is set wrong the plan's instants come at another time. */
  isClockRight: boolean;
  /** From an instant to `steady`. */
  toSteady: (at: number) => number;
}

function gapsOf({ began, events }: Trace): Gap[] {
  const gaps: Gap[] = [];
  let isOnline = false;
  let before: TraceEvent | undefined;
  const isRight = ({ at, steady }: TraceEvent) => at === Math.round(began + steady);
  for (const event of events) {
    if (!isNews(event) && event !== events.at(-1)) continue;
    if (before && event.steady - before.steady > SHORTEST_GAP && isOnline) {
      const [from, to] = [before.steady + SETTLES, event.steady - 1];
      gaps.push({ from, to, isClockRight: isRight(before) && isRight(event), toSteady: (at) => at - began });
    }
    before = event;
    if (isKind(event, "connected")) isOnline = true;
    if (isKind(event, ...ENDS)) isOnline = false;
  }
  return gaps;
}

/** `late`: by so many milliseconds a turn may be on its topic later than foretold. */
function turns(
  rule: string,
  { from, to, toSteady }: Gap,
  topics: TopicHistory,
  late: (steady: number) => number,
): Finding[] {
  const stateTopic = `${BASE}/rules/${rule}/state`;
  const plan = readPlan(topics.at(`${BASE}/rules/${rule}/plan`, from));
  if (!plan || topics.at(stateTopic, from) === undefined) return ["skipped"];
  const reach = toSteady(plan.spans.at(-1)?.end ?? 0);
  const foretold = (steady: number) =>
    steady < reach ? plan.spans.findLast(({ start }) => toSteady(start) <= steady) : undefined;
  // The instants on the broker have no milliseconds.
  const starts = plan.spans
    .map(({ start }) => toSteady(start))
    .filter((at) => at > from && at + late(at) < to);
  const changes = topics.changes([stateTopic], from, to - late(to));
  return [from, ...starts, ...changes].map((at): Finding => {
    const span = foretold(at + late(at));
    const isSteady = foretold(at + 2 * late(at)) === span;
    if (!span || !isSteady || at + late(at) >= to) return "skipped";
    const state = topics.at(stateTopic, at + late(at));
    if (state === STATES.get(span.state)) return "right";
    const sure = span.sure ? "surely" : "perhaps";
    const sentence = `rule ${rule} was foretold to be ${STATES.get(span.state)} (${sure}), and is ${state}`;
    return { at, sentence };
  });
}

interface Plan {
  /** How far it reaches. */
  until: number | null;
  spans: { start: number; end: number; state: boolean | null; sure: boolean }[];
}

function readPlan(text: string | undefined): Plan | null {
  if (text === undefined) return null;
  const { spans, until } = JSON.parse(text) as {
    until: string | null;
    spans: { start: string; end: string; state: boolean | null; sure: boolean }[];
  };
  return {
    until: until === null ? null : Date.parse(until),
    spans: spans.map((span) => ({ ...span, start: Date.parse(span.start), end: Date.parse(span.end) })),
  };
}

/** What may change what vigie knows or does; its own messages and writes do not, nor does what a device is told. */
function isNews(event: TraceEvent): boolean {
  if (isKind(event, "message")) return event.by === "command";
  return !isKind(event, ...NO_NEWS);
}

const NO_NEWS = [
  "published",
  "acknowledged",
  "write",
  "quiet",
  "request",
  "log",
  "note",
  "web request",
  "web arrival",
  "web answer",
  "web failure",
  "leak",
  "latency",
  "secret file",
] as const satisfies readonly Kind[];

const ENDS = ["disconnected", "kill", "stop", "suspend", "broker down"] as const satisfies readonly Kind[];
const STATES = new Map<boolean | null, string>([
  [true, "ON"],
  [false, "OFF"],
  [null, "None"],
]);
const SHORTEST_GAP = 60_000;
const SETTLES = 15_000;
/** Milliseconds. */
const TOLERANCE = 4_000;
