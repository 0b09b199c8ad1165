import { MINUTE } from "../calendar.ts";
import { isKind, type Trace } from "../trace.ts";
import { isWaiting, readCalm } from "./calm.ts";
import { choosePayload, decidingTopics } from "./chosen-payload.ts";
import { chainOf, type House, partsOf, type RuleText } from "./house.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { readSendings, targetOf } from "./sendings.ts";
import { BASE } from "./topics.ts";
import { verdictOf } from "./truth/conditions.ts";
import { readDuration } from "./truth/duration.ts";
import { type Truth, truthsOf, UNKNOWN } from "./truth/possible.ts";
import { type Life, readLife } from "./truth/read-life.ts";
import { hasForgotten } from "./verdicts-to-payloads.ts";

/**
 * vigie started while the broker was away, and the broker has not come back until values of the house stand no more. Nothing
 * publishes verdicts then, but devices over HTTP follow them: the last payload is one that unknown values choose.
 */
export const valuesAwayJudge: Judge = {
  name: "values without the broker",
  find: (trace) => {
    const life = readLife(trace);
    return startsAlone(trace).flatMap(({ from, to }) => {
      const house = life.house.at(to);
      if (!house || to - from < longestStanding(house) + CALM) return [];
      const outputs = house.outputs.filter(isFollowed);
      if (house.isSpecial || house.ignoresSimulation || !isPlain(life, to))
        return outputs.map(() => "skipped");
      return outputs.flatMap((output) => judgeDevice(output, trace, life, house, to));
    });
  },
};

/** "Until the broker has sent what it holds, at most 10 seconds, what the values were before decides". */
export const valuesArrivedJudge: Judge = {
  name: "values that have arrived",
  find: ({ events }) => {
    let connectedAt = Number.POSITIVE_INFINITY;
    return events.flatMap((event): Finding[] => {
      if (isKind(event, "connected")) connectedAt = event.steady;
      if (!isKind(event, "quiet")) return [];
      const reasons = [...event.retained].filter(([topic]) => REASONS.test(topic));
      return reasons.map(([topic, json]): Finding => {
        if (event.steady < connectedAt + MINUTE) return "skipped";
        if (!json.includes(AWAITED)) return "right";
        const sentence = `${topic} says that values "${AWAITED}", more than a minute after the connection`;
        return { at: event.steady, sentence };
      });
    });
  },
};

const REASONS = new RegExp(`^${BASE}/rules/\\w+$`);
const AWAITED = "have not arrived yet";

function judgeDevice(output: OutputText, trace: Trace, life: Life, house: House, to: number): Finding[] {
  if (output.needsSecretFile && !readCalm(trace).hasSecrets(to - CALM, to)) return ["skipped"];
  const decided = output.choose.map(({ when }) => [when, decide(when, trace, life, house, to)] as const);
  if (decided.some(([, state]) => state === null)) return ["skipped"];
  const states = new Map(decided.map(([when, state]) => [`${BASE}/rules/${when}/state`, state ?? ""]));
  const chosen = choosePayload(output, (topic) => states.get(topic));
  if (!("payload" in chosen)) return [];
  const target = targetOf(output);
  const last = readSendings(trace)
    .get(target)
    ?.findLast(({ steady }) => steady <= to);
  if (chosen.payload === last?.payload) return ["right"];
  // vigie does not undo what it did not do, or does not know of.
  if (!last || hasForgotten(trace, last.steady, to)) return ["skipped"];
  const sentence = `${target}: without the broker no value is known, so ${chosen.payload} is chosen (${chosen.kind}), and ${last.payload} was sent last`;
  return [{ at: to, sentence }];
}

/** Over HTTP, with payloads that say nothing of the days. */
function isFollowed(output: OutputText): boolean {
  const isHttp = output.to.kind === "http";
  return isHttp && !output.isMessage && decidingTopics(output).length === output.choose.length;
}

/** What the rule has been for a while; null: that is not certain. */
function decide(id: string, trace: Trace, life: Life, house: House, to: number): Truth | null {
  const rule = house.rules.find((one) => one.id === id);
  if (!rule || chainOf(rule, house.rules).some(({ hold }) => hold > 0)) return null;
  const found = [to - CALM, to - CALM / 2, to].map((steady) => stateAt(rule, trace, life, house, steady));
  const [first = null] = found;
  return found.every((state) => state === first) ? first : null;
}

function stateAt(rule: RuleText, trace: Trace, life: Life, house: House, steady: number): Truth | null {
  const { book, settings } = life.memory.at(steady);
  const at = trace.began + steady;
  const value = () => UNKNOWN;
  const moment = { at, house, book, settings, value, published: null, found: new Map() };
  const [state, ...others] = truthsOf(verdictOf(rule, moment));
  return others.length > 0 ? null : (state ?? null);
}

/** From a start to the instant before vigie has a connection, or is not there any more. */
function startsAlone({ events }: Trace): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const event of events) {
    const isEnd = isKind(event, ...ENDS);
    if (isEnd && from !== null) found.push({ from, to: event.steady - 1 });
    if (isEnd) from = null;
    if (isKind(event, "start") && !isWaiting(event, events)) from = event.steady;
  }
  return found;
}

/** The clock is right, and nothing was learnt for a while. */
function isPlain(life: Life, to: number): boolean {
  const isRight = life.skew.at(to) === 0 && life.skew.changes(0, to).length === 0;
  return isRight && life.doubtUntil.at(to) < to && life.memory.changes(to - CALM, to).length === 0;
}

/** Milliseconds for which a value that an earlier process heard may stand. */
function longestStanding({ rules }: House): number {
  const ages = rules.flatMap(({ when }) =>
    partsOf(when).flatMap(({ mqtt }) => (mqtt?.max_age === undefined ? [] : [readDuration(mqtt.max_age)])),
  );
  return Math.max(15 * MINUTE, ...ages);
}

const ENDS = [
  "connected",
  "reload",
  "suspend",
  "stop",
  "kill",
  "crash",
  "jump",
  "state file",
  "yield",
] as const;
/** What is due by then is sent, however slowly its device answers. */
const CALM = 4 * MINUTE;
