import { DAY_WORDS, tariffDay, wallClock } from "../calendar.ts";
import type { Trace } from "../trace.ts";
import { type ConditionText, chainOf, type House, isRange, partsOf, type RuleText } from "./house.ts";
import type { OutputText } from "./house-outputs.ts";
import { BASE, houseAt, housesBetween, readTopics } from "./topics.ts";

/** Whether a rule of this output looks at one day, also through other rules. */
export function looksAtOneDay(trace: Trace, output: OutputText, steady: number): boolean {
  return countDayWords(trace, output, steady) > 0;
}

/**
 * By how many words the rules of this output name single days, also through other rules. If several days make a rule ON,
 * the latest one decides: with two words it may be another day without another date, at the end of a `between` or by a value.
 */
export function countDayWords(trace: Trace, { choose }: OutputText, steady: number): number {
  const rules = houseAt(trace, steady)?.rules ?? [];
  return new Set(choose.flatMap(({ when }) => dayWordsOf(when, rules))).size;
}

/**
 * Whether a rule of this output may be ON by a condition that names no day: one alternative of an `any` may be a value of the house,
 * and another one a day.
 */
export function mayNameNoDay(trace: Trace, { choose }: OutputText, steady: number): boolean {
  const rules = houseAt(trace, steady)?.rules ?? [];
  return choose
    .flatMap(({ when }) => rules.filter(({ id }) => id === when))
    .flatMap((rule) => chainOf(rule, rules))
    .flatMap(({ when }) => partsOf(when).flatMap(({ any = [] }) => any))
    .some((alternative) => dayWordsIn(alternative, rules).length === 0);
}

/**
 * Whether a rule of this output that looks ahead reaches another day at the second instant than at the first one. With
 * `lead: 2h` a rule on `today` is ON from 22:00 on for a day that topics name from midnight on.
 */
export function reachesOtherDay(trace: Trace, { choose }: OutputText, from: number, to: number): boolean {
  const house = houseAt(trace, to);
  if (!house) return false;
  const lead = Math.max(0, ...choose.map(({ when }) => leadOf(when, house.rules)));
  if (lead === 0) return false;
  const [first, last] = [trace.began + from, trace.began + to + lead];
  return datesAt(house, first) !== datesAt(house, last);
}

/** The date, and that of the tariff day. */
function datesAt(house: House, at: number): string {
  return `${wallClock(at, house.timeZone).date} ${tariffDay(at, house)}`;
}

/** Whether there were other rules at some time between. */
export function wereRulesEdited(trace: Trace, from: number, to: number): boolean {
  const rules = housesBetween(trace, from, to).map((house) => JSON.stringify(house.rules));
  return new Set(rules).size > 1;
}

function dayWordsOf(id: string, rules: readonly RuleText[]): string[] {
  const rule = rules.find((one) => one.id === id);
  return rule ? dayWordsIn(rule.when, rules) : [];
}

/** The words by which it names single days, also through the rules that it refers to. */
function dayWordsIn(condition: ConditionText, rules: readonly RuleText[]): string[] {
  return partsOf(condition).flatMap(({ day, rule }) => [
    ...(day === undefined || isRange(day) ? [] : [day]),
    ...(rule === undefined ? [] : dayWordsOf(rule, rules)),
  ]);
}

/** Milliseconds: its own, and the longest one of the rules in it. */
function leadOf(id: string, rules: readonly RuleText[]): number {
  const rule = rules.find((one) => one.id === id);
  if (!rule) return 0;
  const referred = partsOf(rule.when).flatMap((part) => (part.rule === undefined ? [] : [part.rule]));
  return rule.lead + Math.max(0, ...referred.map((one) => leadOf(one, rules)));
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
