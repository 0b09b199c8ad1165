import { month, tariffDate, weekday } from "../../core/calendar/dates.ts";
import { periodAt } from "../../core/calendar/period.ts";
import { COLORS, MONTHS, WEEKDAYS } from "../../core/calendar/tariff.ts";
import { percent } from "../../core/facts/format-value.ts";
import { describeLength } from "../../core/log/duration.ts";
import { testPayload } from "../../core/rules/compare-payload.ts";
import {
  type ConditionResult,
  type DayResult,
  type SimpleResult,
  simpleResultsIn,
} from "../../core/rules/condition-types.ts";
import { tellingDays } from "../../core/rules/day-condition.ts";
import type { Bounds, DayCondition, MqttCondition, NumberCondition } from "../../core/rules/rule.ts";
import type { Truth } from "../../core/rules/truth.ts";
import type { Verdict } from "../../core/rules/verdict.ts";
import { foreign, type Html, html, type Part } from "./html.ts";
import type { Page } from "./words.ts";

/** The conditions of a rule with what they found, as a tree. What has no room is counted. */
export function conditionTree(verdict: Verdict, page: Page, room: number): Html {
  // After an error of vigie itself there is none.
  if ("parts" in verdict.conditions && verdict.conditions.parts.length === 0) return html``;
  let left = room;
  const branch = (result: ConditionResult, isWanted: boolean): Html | null => {
    left -= 1;
    if (left < 0) return null;
    if (!("parts" in result)) return html`<li>${conditionLine(result, verdict, page, isWanted)}</li>`;
    const { kind } = result.condition;
    return html`<li>${mark(result.truth, page)} ${page.t.group[kind]}<ul>${result.parts.map((part) =>
      branch(part, isWanted && kind !== "not"),
    )}</ul></li>`;
  };
  const tree = branch(verdict.conditions, true);
  return html`<ul class="tree">${tree}</ul>${left < 0 && html`<p class="note">${page.t.more(-left)}</p>`}`;
}

/** One condition: whether it is so, what it asks, and what it found. `isWanted`: the rule is ON if it is so, not if it is not. */
function conditionLine(result: SimpleResult, verdict: Verdict, page: Page, isWanted: boolean): Html {
  const isMissing = isWanted && result.truth !== true;
  return html`${mark(result.truth, page)} ${isMissing && page.t.is(page.t.needed, "")}${findingOf(result, verdict, page)}`;
}

/** The condition that decides, with the mark of all conditions together: it may be negated. */
export function decidingLine(result: SimpleResult, verdict: Verdict, page: Page): Html {
  const { t } = page;
  const { condition, truth } = result;
  if (!isNegated(result, verdict.conditions)) return conditionLine(result, verdict, page, true);
  const whole = verdict.conditions.truth;
  if (condition.kind === "rule") {
    const words = t.is(t.rule(nameOf(condition.rule, page)), page.state(truth));
    return html`${mark(whole, page)} ${foreign(words, VALUE_LENGTH)}`;
  }
  return html`${mark(whole, page)} ${t.is(t.group.not, "")}${findingOf(result, verdict, page)}`;
}

/** Whether an odd number of `not` stands above it. */
function isNegated(one: SimpleResult, within: ConditionResult): boolean {
  if (!("parts" in within)) return false;
  const part = within.parts.find((each) => each === one || simpleResultsIn(each).includes(one));
  if (!part) return false;
  return isNegated(one, part) !== (within.condition.kind === "not");
}

function findingOf(result: SimpleResult, verdict: Verdict, page: Page): Html {
  const { t, view, when } = page;
  const { decided_at } = verdict;
  const found = saw(result, verdict, page);
  // By a lead or a lag a rule looks at another time; a value of the house is always that of now.
  const isNow = decided_at === view.input.at || result.condition.kind === "mqtt";
  const time = isNow ? t.at_present : when(decided_at, t.at);
  return html`${asks(result, verdict, page)}${found !== null && html`${t.semicolon}${t.is(time, "")}${found}`}`;
}

export function mark(truth: Truth, { t }: Page): Html {
  const name = truth === null ? "null" : truth ? "true" : "false";
  const sign = { true: "✓", false: "✗", null: "?" }[name];
  return html`<span class="mark ${name}"><span aria-hidden="true">${sign}</span><span class="sr">${t.mark[name]}</span></span>`;
}

function asks({ condition }: SimpleResult, { threshold }: Verdict, page: Page): Part {
  const { t } = page;
  switch (condition.kind) {
    case "day":
      return t.is(daysAsked(condition, page), dayTests(condition, threshold, page));
    case "period":
      return condition.period === "hp" ? t.peak : t.off_peak;
    case "between":
      return t.between(condition.from, condition.to);
    case "weekday":
      return t.is(
        t.weekday_is,
        condition.days.map((day) => t.weekdays_short[WEEKDAYS.indexOf(day)]).join(t.or),
      );
    case "month":
      return t.is(
        t.month_is,
        condition.months.map((month) => t.months_short[MONTHS.indexOf(month)]).join(t.or),
      );
    case "rate":
    case "days_remaining":
    case "remaining":
    case "left":
      return t.is(numberAsked(condition, page), boundsAsked(condition.bounds, page));
    case "mqtt":
      return valueAsked(condition, page);
    case "rule":
      return foreign(t.is(t.rule(nameOf(condition.rule, page)), t.on), VALUE_LENGTH);
  }
}

/**
 * A closed vocabulary, so that French has words of its own: what core writes is English. null where it would repeat what
 * is asked.
 */
function saw(result: SimpleResult, verdict: Verdict, page: Page): Part {
  const { t, view } = page;
  const { decided_at: at } = verdict;
  const { condition } = result;
  const { tariff } = view;
  switch (condition.kind) {
    case "day":
      return daysFound(result, condition, page);
    case "period":
      if (result.truth) return null;
      return periodAt(at, tariff) === "hp" ? t.peak : t.off_peak;
    case "between":
      // The page is older than the moment at which somebody reads it.
      return null;
    case "weekday":
    case "month": {
      const date = tariffDate(at, tariff);
      return condition.kind === "weekday"
        ? (t.weekdays_short[weekday(date) - 1] ?? "")
        : (t.months_short[month(date) - 1] ?? "");
    }
    case "rate":
    case "days_remaining":
    case "remaining":
    case "left": {
      const { number = null } = result;
      if (number === null) return t.unknown;
      return condition.kind === "rate" ? page.price(number) : page.number(number);
    }
    case "mqtt":
      return valueFound(condition, page);
    case "rule":
      return result.truth ? null : page.state(result.truth);
  }
}

export function nameOf(id: string, { view, language }: Page): string {
  return view.rules.find((rule) => rule.id === id)?.name[language] ?? id;
}

function daysAsked({ day, range, least }: DayCondition, { t }: Page): string {
  if (range !== null) return least === range ? t.days.every(range) : t.days.some(least, range);
  if (day === "now" || day === "next" || day === "today" || day === "tomorrow") return t.days[day];
  return t.days.ahead(Number(day.slice(1)));
}

function dayTests(condition: DayCondition, threshold: number | null, { t }: Page): string {
  const { color, confidence, official, stage, known } = condition;
  const tests = [
    ...(color ? [color.join(t.or)] : []),
    ...(confidence === null
      ? []
      : [confidence === "threshold" ? t.sure_threshold(threshold) : t.sure(confidence)]),
    ...(official === null ? [] : [official ? t.official : t.not_official]),
    ...(stage ? [stage.map((one) => t.stage[one]).join(t.or)] : []),
    ...(known === null ? [] : [known ? t.known : t.unknown_f]),
  ];
  return tests.join(", ");
}

function daysFound({ days, truth }: SimpleResult, condition: DayCondition, page: Page): string {
  const { t } = page;
  const { range } = condition;
  const [only] = days;
  if (range === null && only) return describeDay(only, condition, page);
  const matching = tellingDays(condition, days, truth);
  const unknown = days.filter((day) => day.truth === null).length;
  const shown = matching.slice(0, DAYS_SHOWN).map((day) => describeDay(day, condition, page));
  return [
    ...(matching.length === 0 ? [truth === null ? t.none_so_far : t.none] : shown),
    ...(matching.length > DAYS_SHOWN ? [t.more(matching.length - DAYS_SHOWN)] : []),
    ...(unknown > 0 ? [t.unknown_days(unknown, days.length)] : []),
  ].join(t.semicolon);
}

function describeDay(
  { facts, truth, allowed }: DayResult,
  condition: DayCondition,
  { t, shortDay }: Page,
): string {
  const { date, color, confidence, stage, source } = facts;
  if (color === null) {
    const isByLaws = truth !== null && condition.color !== null && allowed.length < COLORS.length;
    return `${shortDay(date)} ${t.unknown_f}${isByLaws ? `, ${t.only_by_laws(allowed.join(t.or))}` : ""}`;
  }
  const share = stage === "forecast" ? percent(confidence) : null;
  const reliable = source === "simulation" ? t.pretended : stage && t.stage[stage];
  return `${shortDay(date)} ${color}, ${reliable}${share === null ? "" : ` ${share}\u00a0%`}`;
}

function numberAsked(condition: NumberCondition, { t }: Page): string {
  switch (condition.kind) {
    case "rate":
      return t.price;
    case "days_remaining":
      return t.days_remaining;
    default:
      return t[condition.kind](condition.color);
  }
}

function boundsAsked(bounds: Bounds, { t, number }: Page): string {
  const names = ["above", "at_least", "below", "at_most"] as const;
  return names
    .flatMap((name) => (bounds[name] === undefined ? [] : [`${t.bounds[name]} ${number(bounds[name])}`]))
    .join(t.and);
}

function valueAsked({ topic, path, test, max_age }: MqttCondition, page: Page): Html {
  const { t } = page;
  const place = path === null ? topic : `${topic} ${path.join(".")}`;
  const tests =
    test.kind === "bounds" ? boundsAsked(test.bounds, page) : foreign(test.values.join(t.or), VALUE_LENGTH);
  const age = max_age === null ? null : `, ${t.max_age(describeLength(max_age))}`;
  return html`${foreign(place, VALUE_LENGTH)}${t.is("", "")}${tests}${age}`;
}

/** The value of the house and since when it holds. It is shown to the owner only: topics never have it. */
function valueFound(condition: MqttCondition, page: Page): Html {
  const { t, view } = page;
  const { problem, found } = view.input.values.read(condition);
  const heard = found && view.values.get(condition.topic);
  const value =
    heard &&
    html`${problem && ", "}<code>${foreign(testPayload(condition, heard.payload).value, VALUE_LENGTH)}</code>, ${page.ago(heard.at)}`;
  return html`${problem && foreign(t.problem(problem, condition.path?.join(".") ?? ""), VALUE_LENGTH)}${value ?? null}`;
}

const DAYS_SHOWN = 3;
const VALUE_LENGTH = 80;
