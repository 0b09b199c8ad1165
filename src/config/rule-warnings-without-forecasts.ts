import { wallInstant } from "../core/calendar/dates.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import type { Tariff } from "../core/calendar/tariff.ts";
import { NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { daysAt } from "../core/facts/days-view.ts";
import { DAY } from "../core/rules/day-condition.ts";
import {
  type Condition,
  type DayCondition,
  type Rule,
  type SimpleCondition,
  simpleConditionsIn,
} from "../core/rules/rule.ts";
import { NO_READINGS } from "../core/rules/value-readings.ts";
import type { RuleWarning } from "./rule-warnings.ts";

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
    const reasons = [...conditions.flatMap(reasonsOf), ...unknown];
    if (on && off && reasons.length === 0) return [];
    return [{ index, id: rule.id, words: describe({ on, off }, reasons) }];
  });
}

function describe({ on, off }: Outcomes, reasons: readonly InLanguages[]): InLanguages {
  // French has a space before a colon and a semicolon.
  const why = (language: Language, space: string) => {
    const said = [...new Set(reasons.map((reason) => reason[language]))];
    return said.length === 0 ? "" : `${space}: ${said.join(`${space}; `)}`;
  };
  const what =
    on && off
      ? { en: "asks for forecasts", fr: "demande des prévisions" }
      : {
          en: `only a forecast service could turn it ${on ? "OFF" : "ON"}`,
          fr: `seul un service de prévision pourrait la faire passer à ${on ? "NON" : "OUI"}`,
        };
  return {
    en: `${what.en}, and service.base_url is none${why("en", "")}`,
    fr: `${what.fr}, et il n’y a pas d’adresse de service${why("fr", "\u00a0")}`,
  };
}

type InLanguages = Record<Language, string>;

/** What a condition asks that only a service says. */
function reasonsOf(condition: SimpleCondition): InLanguages[] {
  switch (condition.kind) {
    case "remaining":
      return [
        {
          en: "remaining is what the service says (left is what vigie counts)",
          fr: "remaining est ce que dit le service (left est ce que vigie compte)",
        },
      ];
    case "days_remaining":
      return [
        { en: "days_remaining is what the service says", fr: "days_remaining est ce que dit le service" },
      ];
    case "day": {
      const { day, range, confidence, stage } = condition;
      return [
        ...(confidence === null
          ? []
          : [
              {
                en: "confidence counts for forecasts only, and without a service there are none",
                fr: "la confiance ne compte que pour des prévisions, et sans service il n’y en a pas",
              },
            ]),
        ...(stage?.includes("forecast")
          ? [{ en: "no day has the stage forecast", fr: "aucun jour n’en est au stade forecast" }]
          : []),
        ...(range !== null && range > 2
          ? [
              {
                en: `of ${day} at most two days are ever known`,
                fr: `de ${day}, deux jours au plus sont connus`,
              },
            ]
          : []),
      ];
    }
    default:
      return [];
  }
}

function tooFarAhead(condition: SimpleCondition): InLanguages[] {
  const isTooFar = condition.kind === "day" && condition.range === null && isAhead(condition);
  if (!isTooFar) return [];
  const { day } = condition;
  return [
    {
      en: `RTE names no day so far ahead (${day})`,
      fr: `RTE n’annonce pas de jour aussi longtemps d’avance (${day})`,
    },
  ];
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
      const view = daysAt(NO_KNOWN_DAYS, at, tariff);
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
