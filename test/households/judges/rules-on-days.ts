import { Temporal } from "temporal-polyfill";
import type { Config } from "../../../src/config/config.ts";
import type { Output } from "../../../src/core/outputs/output.ts";
import type { Condition, Rule } from "../../../src/core/rules/rule.ts";
import type { Trace } from "../trace.ts";
import { BASE, configsBetween, configsInForce, readTopics } from "./topics.ts";

/** As rules and topics call single days. */
export const DAY_WORDS = ["now", "next", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"];

/** Whether a rule of this output looks at one day, also through other rules. */
export function looksAtOneDay(trace: Trace, output: Output, steady: number): boolean {
  return countDayWords(trace, output, steady) > 0;
}

/**
 * By how many words the rules of this output name single days, also through other rules. Of those that make a rule ON the latest day
 * decides: with two words it may be another one without another date, at the end of a `between` or by a value.
 */
export function countDayWords(trace: Trace, { choose }: Output, steady: number): number {
  const rules = configInForce(trace, steady)?.rules ?? [];
  return new Set(choose.flatMap(({ when }) => dayWordsOf(when, rules))).size;
}

/**
 * Whether a rule of this output that looks ahead reaches another day at the second instant than at the first one. With
 * `lead: 2h` a rule on `today` is ON from 22:00 on for a day that topics name from midnight on.
 */
export function reachesOtherDay(trace: Trace, { choose }: Output, from: number, to: number): boolean {
  const config = configInForce(trace, to);
  if (!config) return false;
  const lead = Math.max(0, ...choose.map(({ when }) => leadOf(when, config.rules)));
  if (lead === 0) return false;
  const [first, last] = [trace.began + from, trace.began + to + lead];
  return datesAt(config.tariff, first) !== datesAt(config.tariff, last);
}

/** The date, and that of the tariff day, by the clock and the beginning of days of this tariff. */
function datesAt({ time_zone, day_starts_at }: Config["tariff"], at: number): string {
  const shown = Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(time_zone);
  const today = shown.toPlainDate();
  const hasBegun = shown.toPlainTime().toString() >= day_starts_at;
  return `${today} ${hasBegun ? today : today.subtract({ days: 1 })}`;
}

/** Whether there were other rules at some time between. */
export function wereRulesEdited(trace: Trace, from: number, to: number): boolean {
  const rules = configsBetween(configsInForce(trace), from, to).map((config) => JSON.stringify(config.rules));
  return new Set(rules).size > 1;
}

function configInForce(trace: Trace, steady: number): Config | undefined {
  return configsInForce(trace).findLast(({ from }) => from <= steady)?.config;
}

function dayWordsOf(id: string, rules: readonly Rule[]): string[] {
  const rule = rules.find((one) => one.id === id);
  return rule ? dayWordsIn(rule.when, rules) : [];
}

function dayWordsIn(condition: Condition, rules: readonly Rule[]): string[] {
  if ("parts" in condition) return condition.parts.flatMap((part) => dayWordsIn(part, rules));
  if ("part" in condition) return dayWordsIn(condition.part, rules);
  if (condition.kind === "rule") return dayWordsOf(condition.rule, rules);
  return condition.kind === "day" && condition.range === null ? [condition.day] : [];
}

/** Milliseconds: its own, and the longest one of the rules in it. */
function leadOf(id: string, rules: readonly Rule[]): number {
  const rule = rules.find((one) => one.id === id);
  if (!rule) return 0;
  return rule.lead + Math.max(0, ...referredIn(rule.when).map((one) => leadOf(one, rules)));
}

function referredIn(condition: Condition): string[] {
  if ("parts" in condition) return condition.parts.flatMap(referredIn);
  if ("part" in condition) return referredIn(condition.part);
  return condition.kind === "rule" ? [condition.rule] : [];
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
