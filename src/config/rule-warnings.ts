import { parseTimeOfDay, wallInstant } from "../core/calendar/dates.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import { memoize } from "../core/calendar/memoize.ts";
import { periodTimes } from "../core/calendar/period.ts";
import type { IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { daysAt } from "../core/facts/days-view.ts";
import type { EvaluationMoment } from "../core/rules/condition-types.ts";
import { kindOf } from "../core/rules/evaluate-condition.ts";
import { canBeWithin } from "../core/rules/number-conditions.ts";
import {
  type Condition,
  type DayCondition,
  type MqttCondition,
  mqttConditionsIn,
  partsOf,
  type Rule,
  rulesInChain,
  rulesReferredTo,
  type SimpleCondition,
  simpleConditionsIn,
} from "../core/rules/rule.ts";
import { BARE_SPAN } from "../core/rules/timeline.ts";
import { both, either, opposite, type Truth } from "../core/rules/truth.ts";
import { NO_READINGS } from "../core/rules/value-readings.ts";

type RulesById = ReadonlyMap<string, Rule>;

/** What is allowed, but probably not what is meant. */
export function lintRules(rules: readonly Rule[], tariff: Tariff): RuleWarning[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return rules.flatMap((rule, index) =>
    [
      ...warnOfConstant(rule, byId, tariff),
      ...warnOfNegation(rule.when),
      ...warnOfMidnight(rule.when, tariff),
      ...warnOfTomorrowAtNight(rule.when, tariff),
      ...warnOfThreshold(rule),
      ...warnOfValues(rule),
    ].map((words): RuleWarning => ({ index, id: rule.id, words })),
  );
}

export interface RuleWarning {
  /** Of the rule in the list of rules. */
  index: number;
  id: string;
  /** In both languages if the form of the Home Assistant app can make such a rule. */
  words: string | Record<Language, string>;
}

/** A verdict that is the same at each sampled moment of a year, whatever becomes known of the days. */
function warnOfConstant({ when }: Rule, byId: RulesById, tariff: Tariff): Record<Language, string>[] {
  let [canBeOn, canBeOff] = [false, false];
  for (const moment of sampleMoments(when, byId, tariff)) {
    const truth = possibleTruth(when, moment);
    canBeOn ||= truth !== false;
    canBeOff ||= truth !== true;
    if (canBeOn && canBeOff) return [];
  }
  return [canBeOn ? NEVER_OFF : NEVER_ON];
}

const NEVER_OFF = {
  en: "can never be OFF: its conditions leave no other case",
  fr: "ne peut jamais valoir NON, car ses conditions ne laissent pas d’autre cas",
};
const NEVER_ON = {
  en: "can never be ON: its conditions exclude each other, or the tariff does not allow them",
  fr: "ne peut jamais valoir OUI, car ses conditions s’excluent, ou le contrat ne les permet pas",
};

/** Dates without a holiday in the rouge months, at each time at which a period, a day or a window of the rule begins. */
function* sampleMoments(condition: Condition, byId: RulesById, tariff: Tariff): Generator<EvaluationMoment> {
  const conditions = [condition, ...rulesInChain(rulesReferredTo(condition), byId).map(({ when }) => when)];
  const windows = conditions
    .flatMap(simpleConditionsIn)
    .flatMap((simple) => kindOf(simple).boundaries(simple).times);
  const times = new Set([tariff.day_starts_at, ...periodTimes(tariff), ...windows]);
  for (const date of sampleDates(tariff)) {
    for (const time of times) {
      const view = daysAt(NO_KNOWN_DAYS, wallInstant(date, time, tariff.time_zone), tariff);
      const moment: EvaluationMoment = {
        view,
        wallClock: parseTimeOfDay(time),
        threshold: null,
        values: NO_READINGS,
        referred: memoize((id: string) => {
          const state = possibleVerdict(byId.get(id), moment);
          const span = { start: view.at, end: view.at + 1 };
          return { ...BARE_SPAN, ...span, decided: span, truth: state, state };
        }),
      };
      yield moment;
    }
  }
}

/** A week of each month: of one year, and of those in which other off-peak hours begin and have begun. */
function* sampleDates({ off_peak }: Tariff): Generator<IsoDate> {
  const begins = off_peak.flatMap(({ from }) => (from === undefined ? [] : [Number(from.slice(0, 4))]));
  for (const year of new Set([2026, ...begins.flatMap((begin) => [begin, begin + 1])])) {
    for (let month = 1; month <= 12; month += 1) {
      for (let day = 12; day <= 18; day += 1) yield `${year}-${String(month).padStart(2, "0")}-${day}`;
    }
  }
}

/** What another rule can be. It can always be OFF, for a command can disable it. */
function possibleVerdict(rule: Rule | undefined, moment: EvaluationMoment): Truth {
  // By its lead or its lag it follows its conditions at another time.
  if (!rule || rule.lead > 0 || rule.lag > 0 || rule.when_unknown === "on") return null;
  return possibleTruth(rule.when, moment) === false ? false : null;
}

/** true: cannot be OFF at this moment; false: cannot be ON; null: can be either, as far as is easily told. */
function possibleTruth(condition: Condition, moment: EvaluationMoment): Truth {
  switch (condition.kind) {
    case "all": {
      const isExcluded = excludeEachOther(condition);
      return isExcluded
        ? false
        : condition.parts.map((part) => possibleTruth(part, moment)).reduce(both, true);
    }
    case "any":
      return condition.parts.map((part) => possibleTruth(part, moment)).reduce(either, false);
    case "not":
      return opposite(possibleTruth(condition.part, moment));
    default:
      return kindOf(condition).possible(condition, moment);
  }
}

/** Whether two parts ask for different colours of one day, or have bounds that no number is within. */
function excludeEachOther(all: Condition): boolean {
  const parts = conjuncts(all);
  return parts.some((one, index) => parts.slice(index + 1).some((other) => areOpposed(one, other)));
}

/** The parts of an `all`, and those of an `all` in it: an object with several keys is one. */
function conjuncts(condition: Condition): Condition[] {
  return condition.kind === "all" ? condition.parts.flatMap(conjuncts) : [condition];
}

function areOpposed(one: Condition, other: Condition): boolean {
  if (one.kind === "day" && other.kind === "day") {
    const isSameDay = one.range === null && one.day === other.day;
    return (
      isSameDay && one.color !== null && other.color?.every((color) => !one.color?.includes(color)) === true
    );
  }
  if (!("bounds" in one) || !("bounds" in other) || one.kind !== other.kind) return false;
  const isSameColor = !("color" in one) || !("color" in other) || one.color === other.color;
  return isSameColor && !canBeWithin([one.bounds, other.bounds], one.kind);
}

/** Rouge at 79 % would count as "not rouge". */
function warnOfNegation(condition: Condition): string[] {
  const doubtful = negatedDays(condition).find(
    ({ confidence, official }) => confidence !== null || official !== null,
  );
  if (!doubtful) return [];
  const { confidence } = doubtful;
  const key = confidence === null ? "official" : confidence === "threshold" ? "threshold" : "confidence";
  const test = key === "official" ? "official" : "sure enough";
  const what = doubtful.color?.join(" or ") ?? doubtful.day;
  return [
    `not over ${key}: a day whose colour is not ${test} yet counts as "not ${what}", too; leave out ${key} below not`,
  ];
}

/** The days that are tested below a `not`. */
function negatedDays(condition: Condition): DayCondition[] {
  if (condition.kind !== "not") return partsOf(condition).flatMap(negatedDays);
  return simpleConditionsIn(condition).filter((simple) => simple.kind === "day");
}

/** `today` and `tomorrow` change at 00:00, in the middle of the night. */
function warnOfMidnight(condition: Condition, tariff: Tariff): string[] {
  const group = conjunctionsIn(condition).find((all) => all.some(isCivilDay) && all.some(isNight));
  const day = group?.find(isCivilDay)?.day;
  if (!day) return [];
  const instead = day === "today" ? "now (or next)" : day === "tomorrow" ? "next" : "now or next";
  return [
    `${day} together with the night: ${day} changes at 00:00, in the middle of the night, and not at ${tariff.day_starts_at}; ${instead} changes with the tariff day`,
  ];
}

/** In a window that lies between 00:00 and the day start, `tomorrow` is no more what it was in the evening. */
function warnOfTomorrowAtNight(condition: Condition, { day_starts_at }: Tariff): string[] {
  const isTomorrow = (part: SimpleCondition) => part.kind === "day" && part.day === "tomorrow";
  const isAfterMidnight = (part: SimpleCondition) =>
    part.kind === "between" && part.from < part.to && part.to <= day_starts_at;
  return conjunctionsIn(condition).some((all) => all.some(isTomorrow) && all.some(isAfterMidnight))
    ? [
        `tomorrow together with a time after midnight: tomorrow changes at 00:00, so it is then the day after the one that begins at ${day_starts_at}; that one is called next`,
      ]
    : [];
}

/** For each `all` every simple condition in it, at any depth: what may have to hold at one time. */
function conjunctionsIn(condition: Condition): SimpleCondition[][] {
  const below = partsOf(condition).flatMap(conjunctionsIn);
  return condition.kind === "all" ? [simpleConditionsIn(condition), ...below] : below;
}

function isCivilDay(condition: SimpleCondition): condition is DayCondition {
  return (
    condition.kind === "day" &&
    condition.range === null &&
    condition.day !== "now" &&
    condition.day !== "next"
  );
}

function isNight(condition: SimpleCondition): boolean {
  if (condition.kind === "between") return condition.from > condition.to;
  return condition.kind === "period" && condition.period === "hc";
}

function warnOfThreshold({ threshold, when }: Rule): string[] {
  const isUsed = simpleConditionsIn(when).some(
    (simple) => simple.kind === "day" && simple.confidence === "threshold",
  );
  return threshold === null || isUsed
    ? []
    : ["has a threshold that no condition asks for (confidence: threshold)"];
}

/** A number may come and go around its bound, and its device may die. */
function warnOfValues({ when, hold }: Rule): string[] {
  const numbers = mqttConditionsIn(when).filter(({ test }) => test.kind === "bounds");
  const topics = (some: readonly MqttCondition[]) => [...new Set(some.map(({ topic }) => topic))].join(", ");
  const ageless = numbers.filter(({ max_age }) => max_age === null);
  return [
    ...(ageless.length > 0
      ? [
          `${topics(ageless)} without max_age: if the device dies, its last number counts for ever; add how long a number may be relied on, such as max_age: 2h`,
        ]
      : []),
    ...(numbers.length > 0 && hold === 0
      ? [
          `a number of ${topics(numbers)} without hold: each time that it passes its bound, the rule changes; add how long the verdict then stands, such as hold: 10m`,
        ]
      : []),
  ];
}
