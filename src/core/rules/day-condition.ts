import { addDays } from "../calendar/dates.ts";
import { COLORS, type Color, type IsoDate } from "../calendar/tariff.ts";
import { allowedColors, isSaidByLaws } from "../calendar/tariff-laws.ts";
import type { DaysView } from "../facts/days-view.ts";
import { CIVIL_DAYS, type CivilDay, type DayFacts } from "../facts/facts.ts";
import { percent } from "../facts/format-value.ts";
import type { ConditionKind, DayResult, RuleDay } from "./condition-types.ts";
import type { DayCondition } from "./rule.ts";
import { atLeast, type By, both, type Truth } from "./truth.ts";

export const DAY: ConditionKind<DayCondition> = {
  evaluate: (condition, { view, threshold }) => {
    const days = datesOf(condition, view).map((date): DayResult => {
      const day = { facts: view.day(date), allowed: allowedColors(date, view.tariff.laws) };
      const truth = testDay(condition, day, threshold);
      // Named one by one: with `...day` the forecasts of 200 rules take twice the time.
      return { facts: day.facts, allowed: day.allowed, truth, by: decidedBy(condition, day, truth) };
    });
    const { truth, by } = atLeast(condition.least, days);
    const describeFinding = () => describeDays(condition, days, truth);
    return { truth, by, describeFinding, days };
  },
  boundaries: ({ day, range }) => {
    if (range !== null || day === "now" || day === "next") return { kinds: ["tariff_day"], times: [] };
    // The stage of a civil day becomes final when its tariff day begins: the reasons say it, also if no condition asks for it.
    return { kinds: ["civil_day", "tariff_day"], times: [] };
  },
  describe: (condition, threshold) => {
    const { day, range, least, color, confidence, official, stage, known } = condition;
    const which = range === null ? day : least === range ? `every one of ${day}` : `${least} of ${day}`;
    const verb = range === null || least === 1 || least === range ? "is" : "are";
    const percentage =
      confidence === "threshold"
        ? `at least ${threshold} % sure (its threshold)`
        : `at least ${confidence} % sure`;
    const tests = [
      ...(color ? [color.join(" or ")] : []),
      ...(confidence === null ? [] : [percentage]),
      ...(official === null ? [] : [official ? "official" : "not official"]),
      ...(stage ? [stage.join(" or ")] : []),
      ...(known === null ? [] : [known ? "known" : "not known"]),
    ];
    return `${which} ${verb} ${tests.join(", ")}`;
  },
};

/** The day of this name, or each day of a range. */
export function datesOf({ day, range }: DayCondition, { now, next, today }: DaysView): IsoDate[] {
  if (range !== null) return Array.from({ length: range }, (_, days) => addDays(next, days));
  if (day === "now") return [now];
  if (day === "next") return [next];
  return [addDays(today, CIVIL_DAYS.indexOf(day as CivilDay))];
}

/** What one day gives. `threshold`: that of the rule, in percent; null: it has none. */
export function testDay(condition: DayCondition, day: RuleDay, threshold: number | null): Truth {
  const { color, official, stage, known } = condition;
  const confidence = condition.confidence === "threshold" ? threshold : condition.confidence;
  const { facts } = day;
  let truth: Truth = true;
  if (color) truth = testColor(color, day);
  if (confidence !== null && !isByLaws(color, day)) truth = both(truth, testConfidence(facts, confidence));
  if (official !== null) truth = both(truth, facts.official === official);
  if (stage) truth = both(truth, facts.stage === null ? null : stage.includes(facts.stage));
  if (known !== null) truth = both(truth, (facts.color !== null) === known);
  return truth;
}

/** No forecast can change an official colour, and what the tariff's laws allow. */
function decidedBy(condition: DayCondition, { facts, allowed }: RuleDay, truth: Truth): By {
  const { color, stage } = condition;
  if (truth === null) return "forecast";
  // The stage of an announced day can still become final.
  if (facts.official) return stage && facts.stage !== "final" ? "forecast" : "sure";
  if (!color) return "forecast";
  const isForbidden = !color.some((one) => allowed.includes(one));
  const isOnlyOne = isSaidByLaws(color, allowed) && testsColorOnly(condition);
  if (truth ? !isOnlyOne : !isForbidden) return "forecast";
  return facts.color === null ? "laws" : "sure";
}

function testColor(colors: readonly Color[], { facts, allowed }: RuleDay): Truth {
  if (facts.color !== null) return colors.includes(facts.color);
  if (isSaidByLaws(colors, allowed)) return true;
  return colors.some((color) => allowed.includes(color)) ? null : false;
}

/** Nobody has named the colour, and it can only be one of these. */
function isByLaws(colors: readonly Color[] | null, { facts, allowed }: RuleDay): boolean {
  return facts.color === null && colors !== null && isSaidByLaws(colors, allowed);
}

function testsColorOnly({ confidence, official, stage, known }: DayCondition): boolean {
  return [confidence, official, stage, known].every((test) => test === null);
}

/** Compares the same whole percent that is published. An official colour always passes. */
function testConfidence({ official, color, confidence }: DayFacts, least: number): Truth {
  if (official) return true;
  if (color === null) return null;
  const share = percent(confidence);
  return share !== null && share >= least;
}

function describeDays(condition: DayCondition, days: readonly DayResult[], truth: Truth): string {
  const [only] = days;
  if (condition.range === null && only) return describeDay(condition, only);
  return describeRange(condition, days, truth);
}

/** `2026-01-05 rouge, official`. */
function describeDay(condition: DayCondition, day: DayResult): string {
  const { date, color, confidence, official, stage, source, official_by } = day.facts;
  if (color === null) return `${date} not known${describeLaws(condition, day)}`;
  if (source === "simulation") return `${date} ${color}, simulated`;
  if (official) {
    const both = official_by
      ? ` while RTE says ${official_by.rte} and the service ${official_by.service}`
      : "";
    return `${date} ${color}, ${stage === "announced" ? "announced" : "official"}${both}`;
  }
  const share = percent(confidence);
  return `${date} ${color}, forecast${share === null ? "" : ` ${share} %`}`;
}

/** Why an unknown day has one of these colours, or cannot have one. */
function describeLaws({ color }: DayCondition, { truth, allowed }: DayResult): string {
  if (truth === null || !color || allowed.length === COLORS.length) return "";
  return `, by the laws of the tariff it can only be ${allowed.join(" or ")}`;
}

/** The days of a range that a reason names: those that pass the test; if each has to pass, and one does not, those that do not. */
export function tellingDays(
  { range, least }: DayCondition,
  days: readonly DayResult[],
  truth: Truth,
): readonly DayResult[] {
  const truthOfNamed = truth !== false || least !== range;
  return days.filter((day) => day.truth === truthOfNamed);
}

function describeRange(condition: DayCondition, days: readonly DayResult[], truth: Truth): string {
  const matching = tellingDays(condition, days, truth);
  const unknown = days.filter((day) => day.truth === null).length;
  const more = matching.length > DAYS_SHOWN ? [`${matching.length - DAYS_SHOWN} more`] : [];
  const none = truth === null ? "none so far" : "none";
  const shown = matching.slice(0, DAYS_SHOWN).map((day) => describeDay(condition, day));
  const found = matching.length === 0 ? [none] : [...shown, ...more];
  return [...found, ...(unknown > 0 ? [`${unknown} of ${days.length} are not known`] : [])].join("; ");
}

const DAYS_SHOWN = 3;
