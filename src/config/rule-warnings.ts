import type { Tariff } from "../core/calendar/tariff.ts";
import {
  type Condition,
  type DayCondition,
  type MqttCondition,
  mqttConditionsIn,
  partsOf,
  type Rule,
  type SimpleCondition,
  simpleConditionsIn,
} from "../core/rules/rule.ts";
import { type Asked, askAbout, outcomesOf } from "./rule-outcomes.ts";
import type { Warning } from "./warning.ts";

/** What is allowed, but probably not what is meant. */
export function findRuleWarnings(rules: readonly Rule[], tariff: Tariff, hasService: boolean): Warning[] {
  const asked = askAbout(rules, tariff, false);
  return rules.flatMap((rule, index) =>
    [
      ...warnOfConstant(rule, asked, hasService),
      ...warnOfNegation(rule.when),
      ...warnOfMidnight(rule.when, tariff),
      ...warnOfTomorrowAtNight(rule.when, tariff),
      ...warnOfThreshold(rule),
      ...warnOfValues(rule),
    ].map((words): Warning => ({ path: ["rules", index], id: rule.id, words })),
  );
}

/** What is never ON, or never OFF, because of its conditions, or because only RTE is asked. */
function warnOfConstant(rule: Rule, asked: Asked, hasService: boolean): Warning["words"][] {
  const { on, off } = outcomesOf(rule, asked);
  if (!on) return [NEVER_ON];
  if (!off) return [NEVER_OFF];
  if (hasService) return [];
  const withRteAlone = outcomesOf(rule, { ...asked, isRteAlone: true });
  const lacking = [...(withRteAlone.on ? [] : ["ON"]), ...(withRteAlone.off ? [] : ["OFF"])];
  if (lacking.length === 0) return [];
  return [
    `only a forecast service could turn it ${lacking.join(" or ")}, and service.base_url is none: RTE names only today and tomorrow, and no count of days (left is what vigie counts)`,
  ];
}

const NEVER_OFF = {
  en: "can never be OFF: its conditions leave no other case",
  fr: "ne peut jamais valoir NON, car ses conditions ne laissent pas d’autre cas",
};
const NEVER_ON = {
  en: "can never be ON: its conditions exclude each other, or the tariff does not allow them",
  fr: "ne peut jamais valoir OUI, car ses conditions s’excluent, ou le contrat ne les permet pas",
};

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
function conjunctionsIn(condition: Condition): (readonly SimpleCondition[])[] {
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
