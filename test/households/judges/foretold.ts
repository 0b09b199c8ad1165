import { type EventOf, isKind, type Judge, type Trace, type TraceEvent, type Violation } from "../trace.ts";
import { readCalm } from "./calm.ts";
import { BASE, housesBetween, readTopics, type TopicHistory } from "./topics.ts";
import { rulesWithoutValues } from "./value-rules.ts";

/**
 * What a plan foretells happens if nothing is heard: between two events from outside a rule turns at the instants of the
 * plan that it published after the first of them, and at no other.
 */
export const judgeForetold: Judge = (trace) => {
  const topics = readTopics(trace);
  const calm = readCalm(trace);
  // What a slow broker gets waits until it has answered what came before.
  const late = (steady: number) => Math.max(TOLERANCE, calm.lag(steady));
  return gapsOf(trace).flatMap((gap) => {
    const [house, ...others] = housesBetween(trace, gap.from, gap.to);
    if (!house || others.length > 0) return [];
    return rulesWithoutValues(house.rules).flatMap(({ id }) => turns(id, gap, topics, late));
  });
};

/** A time in which nothing is heard, as `steady`. */
interface Gap {
  from: number;
  to: number;
  /** From an instant to `steady`. */
  toSteady: (at: number) => number;
}

function gapsOf({ began, events }: Trace): Gap[] {
  const gaps: Gap[] = [];
  let isOnline = false;
  let before: TraceEvent | undefined;
  // By a clock that is set wrong the plan's instants come at another time.
  const isClockRight = ({ at, steady }: TraceEvent) => at === Math.round(began + steady);
  for (const event of events) {
    if (!isNews(event) && event !== events.at(-1)) continue;
    const isLong = before && event.steady - before.steady > SHORTEST_GAP;
    if (before && isLong && isOnline && isClockRight(before) && isClockRight(event))
      gaps.push({ from: before.steady + SETTLES, to: event.steady - 1, toSteady: (at) => at - began });
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
): Violation[] {
  const stateTopic = `${BASE}/rules/${rule}/state`;
  const plan = readPlan(topics.at(`${BASE}/rules/${rule}/plan`, from));
  if (!plan || topics.at(stateTopic, from) === undefined) return [];
  const reach = toSteady(plan.spans.at(-1)?.end ?? 0);
  const foretold = (steady: number) =>
    steady < reach ? plan.spans.findLast(({ start }) => toSteady(start) <= steady) : undefined;
  // The instants on the broker have no milliseconds.
  const starts = plan.spans
    .map(({ start }) => toSteady(start))
    .filter((at) => at > from && at + late(at) < to);
  const changes = topics.changes([stateTopic], from, to - late(to));
  for (const at of [...starts, ...changes]) {
    const span = foretold(at + late(at));
    const isSteady = foretold(at + 2 * late(at)) === span;
    const state = topics.at(stateTopic, at + late(at));
    if (!span || !isSteady || state === STATES.get(span.state)) continue;
    const sure = span.sure ? "surely" : "perhaps";
    const sentence = `rule ${rule} was foretold to be ${STATES.get(span.state)} (${sure}), and is ${state}`;
    return [{ judge: "foretold", at, sentence }];
  }
  return [];
}

interface Plan {
  spans: { start: number; end: number; state: boolean | null; sure: boolean }[];
}

function readPlan(text: string | undefined): Plan | null {
  if (text === undefined) return null;
  const { spans } = JSON.parse(text) as {
    spans: { start: string; end: string; state: boolean | null; sure: boolean }[];
  };
  return {
    spans: spans.map((span) => ({ ...span, start: Date.parse(span.start), end: Date.parse(span.end) })),
  };
}

/** What may change what vigie knows or does; its own messages and writes do not. */
function isNews(event: TraceEvent): boolean {
  if (isKind(event, "published", "acknowledged", "write", "quiet", "request", "log")) return false;
  if (
    isKind(event, "web request", "web arrival", "web answer", "web failure", "leak", "latency", "secret file")
  )
    return false;
  if (isKind(event, "message")) return event.by === "command";
  return true;
}

const ENDS: EventOf<"disconnected" | "kill" | "stop" | "suspend" | "broker down">["kind"][] = [
  "disconnected",
  "kill",
  "stop",
  "suspend",
  "broker down",
];
const STATES = new Map<boolean | null, string>([
  [true, "ON"],
  [false, "OFF"],
  [null, "None"],
]);
const SHORTEST_GAP = 60_000;
const SETTLES = 15_000;
/** Milliseconds. */
const TOLERANCE = 4_000;
