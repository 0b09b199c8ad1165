import type { Output } from "../../../src/core/outputs/output.ts";
import type { Condition, Rule } from "../../../src/core/rules/rule.ts";
import type { Trace } from "../trace.ts";
import { BASE, configsInForce, readTopics } from "./topics.ts";

/** As rules and topics call single days. */
export const DAY_WORDS = ["now", "next", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"];

/** Whether a rule of this output looks at one day, also through other rules. */
export function looksAtOneDay(trace: Trace, { choose }: Output, steady: number): boolean {
  const rules = configsInForce(trace).findLast(({ from }) => from <= steady)?.config.rules ?? [];
  return choose.some(({ when }) => isOnOneDay(when, rules));
}

function isOnOneDay(id: string, rules: readonly Rule[]): boolean {
  const rule = rules.find((one) => one.id === id);
  return rule !== undefined && hasOneDay(rule.when, rules);
}

function hasOneDay(condition: Condition, rules: readonly Rule[]): boolean {
  if ("parts" in condition) return condition.parts.some((part) => hasOneDay(part, rules));
  if ("part" in condition) return hasOneDay(condition.part, rules);
  if (condition.kind === "rule") return isOnOneDay(condition.rule, rules);
  return condition.kind === "day" && condition.range === null;
}

/** Whether vigie has published another date or another official colour for one of the days. */
export function isOtherDay(trace: Trace, from: number, to: number): boolean {
  const topics = readTopics(trace);
  const names = DAY_WORDS.flatMap((word) =>
    ["date", "color", "official"].map((part) => `${BASE}/${word}/${part}`),
  );
  return names.some((topic) =>
    topics.changes([topic], from, to).some((steady) => topics.at(topic, steady) !== topics.at(topic, from)),
  );
}
