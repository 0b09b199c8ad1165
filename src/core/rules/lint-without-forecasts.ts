import { wallInstant } from "../calendar/dates.ts";
import type { Tariff } from "../calendar/tariff.ts";
import { NO_KNOWN_DAYS } from "../days/known-days.ts";
import { viewAt } from "../facts/view.ts";
import { DAY } from "./day-condition.ts";
import type { RuleWarning } from "./lint-rules.ts";
import {
  type Condition,
  type DayCondition,
  type Rule,
  type SimpleCondition,
  simpleConditionsIn,
} from "./rule.ts";
import { NO_READINGS } from "./value-readings.ts";

/** What a condition can be. */
interface Outcomes {
  on: boolean;
  off: boolean;
}

const BOTH: Outcomes = { on: true, off: true };

/** Where only official colours are known: rules that only a service could turn, and what they ask of forecasts. */
export function lintWithoutForecasts(rules: readonly Rule[], tariff: Tariff): RuleWarning[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return rules.flatMap((rule, index) => {
    const { on, off } = outcomesOfRule(rule, { byId, tariff });
    const conditions = simpleConditionsIn(rule.when);
    // Beside others that turn the rule, a day that is not known does no harm.
    const unknown = on && off ? [] : conditions.flatMap(tooFarAhead);
    const reasons = [...new Set([...conditions.flatMap(reasonsOf), ...unknown])];
    if (on && off && reasons.length === 0) return [];
    const what =
      on && off ? "asks for forecasts" : `only a forecast service could turn it ${on ? "OFF" : "ON"}`;
    const why = reasons.length === 0 ? "" : `: ${reasons.join("; ")}`;
    return [{ index, id: rule.id, words: `${what}, and service.base_url is none${why}` }];
  });
}

/** What a condition asks that only a service says. */
function reasonsOf(condition: SimpleCondition): string[] {
  switch (condition.kind) {
    case "remaining":
      return ["remaining is what the service says (left is what vigie counts)"];
    case "days_remaining":
      return ["days_remaining is what the service says"];
    case "day": {
      const { day, range, confidence, stage } = condition;
      return [
        ...(confidence === null
          ? []
          : ["confidence counts for forecasts only, and without a service there are none"]),
        ...(stage?.includes("forecast") ? ["no day has the stage forecast"] : []),
        ...(range !== null && range > 2 ? [`of ${day} at most two days are ever known`] : []),
      ];
    }
    default:
      return [];
  }
}

function tooFarAhead(condition: SimpleCondition): string[] {
  const isTooFar = condition.kind === "day" && condition.range === null && isAhead(condition);
  return isTooFar ? [`RTE names no day so far ahead (${condition.day})`] : [];
}

interface Surroundings {
  byId: ReadonlyMap<string, Rule>;
  tariff: Tariff;
}

function outcomesOfRule({ when, when_unknown }: Rule, surroundings: Surroundings): Outcomes {
  const { on, off } = outcomesOf(when, surroundings);
  return { on: on || when_unknown === "on", off: off || when_unknown === "off" };
}

function outcomesOf(condition: Condition, surroundings: Surroundings): Outcomes {
  switch (condition.kind) {
    case "all": {
      const parts = condition.parts.map((part) => outcomesOf(part, surroundings));
      return { on: parts.every(({ on }) => on), off: parts.some(({ off }) => off) };
    }
    case "any": {
      const parts = condition.parts.map((part) => outcomesOf(part, surroundings));
      return { on: parts.some(({ on }) => on), off: parts.every(({ off }) => off) };
    }
    case "not": {
      const { on, off } = outcomesOf(condition.part, surroundings);
      return { on: off, off: on };
    }
    case "day":
      if (condition.stage?.every((stage) => stage === "forecast")) return { on: false, off: true };
      return isAhead(condition) ? outcomesOfUnknownDay(condition, surroundings.tariff) : BOTH;
    case "rule": {
      const rule = surroundings.byId.get(condition.rule);
      // A command can disable the other rule: then it is OFF.
      return { on: rule === undefined || outcomesOfRule(rule, surroundings).on, off: true };
    }
    // Only the service counts these: without it they are unknown.
    case "remaining":
    case "days_remaining":
      return { on: false, off: false };
    case "period":
    case "between":
    case "weekday":
    case "month":
    case "rate":
    case "left":
    case "mqtt":
      return BOTH;
  }
}

/** Two days ahead at most have an official colour: before 06:00 the next tariff day and tomorrow. */
function isAhead({ day, range, least }: DayCondition): boolean {
  return range === null ? /^d\d$/.test(day) : least > 2;
}

/** What the tariff alone decides, in a week of each month. */
function outcomesOfUnknownDay(condition: DayCondition, tariff: Tariff): Outcomes {
  const outcomes: Outcomes = { on: false, off: false };
  for (let month = 1; month <= 12; month += 1) {
    for (let day = 12; day <= 18; day += 1) {
      const at = wallInstant(`2026-${String(month).padStart(2, "0")}-${day}`, "12:00", tariff.time_zone);
      const view = viewAt(NO_KNOWN_DAYS, at, tariff);
      const { truth } = DAY.evaluate(condition, {
        view,
        wallClock: 0,
        threshold: 100,
        values: NO_READINGS,
        referred,
      });
      outcomes.on ||= truth === true;
      outcomes.off ||= truth === false;
    }
  }
  return outcomes;
}

const referred = () => {
  throw new Error("Expected a condition of a day to refer to no rule");
};
