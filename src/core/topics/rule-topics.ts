import { cutToFit, instant, payloadOf, percent, text, type Value } from "../facts/format-value.ts";
import type { EvaluationInput } from "../rules/evaluation-input.ts";
import type { Future, FutureSpan } from "../rules/futures.ts";
import { OWN_ERROR, reasonsOf } from "../rules/reasons.ts";
import type { Verdict } from "../rules/verdict.ts";
import type { Topic } from "./topic.ts";
import { type NamedTopics, renderAll, type TopicGroup } from "./topic-group.ts";

interface RuleTopicsOptions {
  verdicts: readonly Verdict[];
  /** In the order of the verdicts. */
  futures: readonly Future[];
  input: Pick<EvaluationInput, "at" | "tariff">;
  /** `mqtt.grace`. */
  grace: number;
  /** While the clock is wrong only the settings are known. */
  clockRight: boolean;
}

/** The verdict of each rule, why it is so, and what it will be; by topic below the base. */
export function ruleTopics(options: RuleTopicsOptions): NamedTopics {
  return renderAll(ruleGroups(options));
}

export function ruleGroups(options: RuleTopicsOptions): TopicGroup[] {
  const { verdicts, futures, input, grace, clockRight } = options;
  return verdicts.map((verdict, index) => {
    const { rule, reason } = verdict;
    const future = futures[index];
    const named = (topics: [string, Topic][]): NamedTopics => {
      const name = `rules/${rule.id}`;
      const all = [...topics, ...settingTopics(verdict, grace)];
      return all.map(([part, topic]) => [part === "" ? name : `${name}/${part}`, topic]);
    };
    const unknown = (why: string) => named([...unknownMoment(why), ...ruleDatedTopics(null)]);
    return {
      name: `topics of rule ${rule.id}`,
      render: () => {
        if (!clockRight || !future) return unknown("the clock of this machine is wrong");
        if (reason === "error") return unknown(OWN_ERROR);
        return named([...ruleMomentTopics(verdict, future, input, grace), ...ruleDatedTopics(future)]);
      },
      unknown: () => unknown(OWN_ERROR),
    };
  });
}

function ruleMomentTopics(
  verdict: Verdict,
  future: Future,
  input: RuleTopicsOptions["input"],
  grace: number,
): [string, Topic][] {
  const expiring = (payload: string, turn: number | null): Topic => {
    const until = Math.min(
      turn ?? Number.POSITIVE_INFINITY,
      verdict.values_until ?? Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(until) ? { payload, expires: until + grace } : { payload };
  };
  return [
    ["state", expiring(payloadOf(verdict.state), future.state_until)],
    ["since", expiring(payloadOf(instant(verdict.since)), future.state_until)],
    // The reasons can change where the state does not.
    ["", expiring(reasonsJson(verdict, input), future.next_boundary)],
  ];
}

function reasonsJson(verdict: Verdict, input: RuleTopicsOptions["input"]): string {
  const { day, deciding, complete, because } = reasonsOf(verdict, input);
  const facts = deciding?.facts;
  return cutToFit(because.map(text), (kept) =>
    JSON.stringify({
      state: verdict.state,
      since: instant(verdict.since),
      day,
      date: facts?.date ?? null,
      color: facts?.color ?? null,
      confidence: percent(facts?.confidence ?? null),
      official: facts?.official ?? null,
      complete,
      ...(verdict.enabled_until !== null && { enabled_until: instant(verdict.enabled_until) }),
      because: kept,
    }),
  );
}

function ruleDatedTopics(future: Future | null): [string, Topic][] {
  const { next_on = null, next_off = null, spans = [], until = null } = future ?? {};
  return [
    ["next_on", { payload: payloadOf(instant(next_on)) }],
    ["next_off", { payload: payloadOf(instant(next_off)) }],
    ["plan", { payload: planJson(spans, until) }],
  ];
}

/** What does not fit is left out from the end, and the plan then reaches less far. */
function planJson(spans: readonly FutureSpan[], until: number | null): string {
  return cutToFit(spans, (kept) => {
    const reach = kept.length < spans.length ? (kept.at(-1)?.end ?? null) : until;
    return JSON.stringify({ until: instant(reach), spans: kept.map(spanJson) });
  });
}

function spanJson({ start, end, state, sure }: FutureSpan): Record<string, Value> {
  return { start: instant(start), end: instant(end), state, sure };
}

function settingTopics({ reason, enabled_until, threshold }: Verdict, grace: number): [string, Topic][] {
  const enabled: Topic = { payload: payloadOf(reason !== "disabled") };
  return [
    ["enabled", enabled_until === null ? enabled : { ...enabled, expires: enabled_until + grace }],
    ...(threshold === null
      ? []
      : [["threshold", { payload: payloadOf(threshold) }] satisfies [string, Topic]]),
  ];
}

function unknownMoment(why: string): [string, Topic][] {
  return [
    ["state", { payload: payloadOf(null) }],
    ["since", { payload: payloadOf(null) }],
    ["", { payload: JSON.stringify({ ...UNKNOWN_REASONS, because: [why] }) }],
  ];
}

const UNKNOWN_REASONS = {
  state: null,
  since: null,
  day: null,
  date: null,
  color: null,
  confidence: null,
  official: null,
  complete: false,
};
