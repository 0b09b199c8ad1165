import { addDays, parseTimeOfDay, wallInstant } from "../core/calendar/dates.ts";
import { memoize } from "../core/calendar/memoize.ts";
import { periodTimes } from "../core/calendar/period.ts";
import type { IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { allowedColors } from "../core/calendar/tariff-laws.ts";
import { NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { daysAt } from "../core/facts/days-view.ts";
import type { DayFacts } from "../core/facts/facts.ts";
import { isWithin } from "../core/rules/bounds.ts";
import type { EvaluationMoment } from "../core/rules/condition-types.ts";
import { datesOf, testDay } from "../core/rules/day-condition.ts";
import { kindOf } from "../core/rules/evaluate-condition.ts";
import {
  type Condition,
  type DayCondition,
  type Group,
  type NumberCondition,
  type Rule,
  rulesInChain,
  type SimpleCondition,
  simpleConditionsIn,
} from "../core/rules/rule.ts";
import { atLeast, both, either, opposite, type Truth } from "../core/rules/truth.ts";
import { NO_READINGS } from "../core/rules/value-readings.ts";

/** Beside which rules, and of which days, it is asked what a rule can be. */
export interface Asked {
  byId: ReadonlyMap<string, Rule>;
  tariff: Tariff;
  /** There is no forecast service: RTE names today and tomorrow, and no more. */
  isRteAlone: boolean;
}

/** Whether a rule is ever ON, and ever OFF: at sampled moments of a year, for all that can be known of the days then. */
export function outcomesOf(rule: Rule, asked: Asked): { on: boolean; off: boolean } {
  let [on, off] = [false, false];
  for (const moment of sampleMoments(rule, asked)) {
    const { least, most } = extremesOfRule(rule, moment);
    on ||= most === true;
    off ||= least === false;
    if (on && off) break;
  }
  return { on, off };
}

/** The least and the most that something can be, from OFF over unknown to ON. */
interface Extremes {
  least: Truth;
  most: Truth;
}

const ANYTHING: Extremes = { least: false, most: true };

/** A moment, and what is assumed of what nobody can know before. */
interface World {
  evaluation: EvaluationMoment;
  isRteAlone: boolean;
  /** All that can be known of a date then. */
  possibleDays: (date: IsoDate) => readonly DayFacts[];
  /** What another rule can be then, by its id. */
  referred: (id: string) => Extremes;
  /** The dates of which one of these is assumed; of the others all of them. */
  days: ReadonlyMap<IsoDate, DayFacts>;
  /** The same of counts and of the price; null: not known. */
  numbers: ReadonlyMap<string, number | null>;
}

/** Each time at which a period, a day or a window of the rule begins. */
function* sampleMoments(rule: Rule, { byId, tariff, isRteAlone }: Asked): Generator<World> {
  const windows = rulesInChain([rule.id], byId)
    .flatMap(({ when }) => simpleConditionsIn(when))
    .flatMap((simple) => kindOf(simple).boundaries(simple).times);
  const times = new Set(["00:00", tariff.day_starts_at, ...periodTimes(tariff), ...windows]);
  for (const date of sampleDates(tariff)) {
    for (const time of times) {
      const view = daysAt(NO_KNOWN_DAYS, wallInstant(date, time, tariff.time_zone), tariff);
      const world: World = {
        evaluation: {
          view,
          wallClock: parseTimeOfDay(time),
          threshold: 50,
          values: NO_READINGS,
          referred: expectNoRule,
        },
        isRteAlone,
        possibleDays: memoize((date: IsoDate) => possibleDays(date, world)),
        referred: memoize((id: string) => extremesOfReference(byId.get(id), world)),
        days: new Map(),
        numbers: new Map(),
      };
      yield world;
    }
  }
}

/** Only what the clock decides is evaluated with this. */
const expectNoRule = () => {
  throw new Error("Expected a condition on the clock to refer to no rule");
};

/** Each date of one year, and of those in which other off-peak hours begin and have begun. */
function* sampleDates({ off_peak }: Tariff): Generator<IsoDate> {
  const begins = off_peak.flatMap(({ from }) => (from === undefined ? [] : [Number(from.slice(0, 4))]));
  for (const year of new Set([2026, ...begins.flatMap((begin) => [begin, begin + 1])])) {
    for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = addDays(date, 1)) yield date;
  }
}

/** Nothing, or each colour that the tariff allows: official, or as a forecast that passes no `confidence` or every one. */
function possibleDays(date: IsoDate, { evaluation: { view }, isRteAlone }: World): DayFacts[] {
  const unknown = view.day(date);
  const allowed = allowedColors(date, view.tariff.laws);
  const isNamed = !isRteAlone || date <= addDays(view.today, 1);
  const official = allowed.flatMap((color) =>
    (["announced", "final"] as const).map(
      (stage): DayFacts => ({ ...unknown, color, stage, official: true, confidence: 1 }),
    ),
  );
  const forecasts = allowed.flatMap((color) =>
    [null, 1].map((confidence): DayFacts => ({ ...unknown, color, stage: "forecast", confidence })),
  );
  return [unknown, ...(isNamed ? official : []), ...(isRteAlone ? [] : forecasts)];
}

function extremesOfReference(rule: Rule | undefined, world: World): Extremes {
  // By its lead or its lag it follows its conditions at another time.
  if (!rule || rule.lead > 0 || rule.lag > 0) return ANYTHING;
  // A command can disable it: then it is OFF.
  return { least: false, most: extremesOfRule(rule, world).most };
}

function extremesOfRule({ when, when_unknown }: Rule, world: World): Extremes {
  const { least, most } = extremesOf(when, world);
  const settle = (truth: Truth) => (when_unknown === null ? truth : (truth ?? when_unknown === "on"));
  return { least: settle(least), most: settle(most) };
}

/** What is not assumed can be anything, each by itself: so the extremes may be too far apart, but never too near. */
function extremesOf(condition: Condition, world: World): Extremes {
  switch (condition.kind) {
    case "all":
    case "any":
      return extremesOfGroup(condition, world);
    case "not": {
      const { least, most } = extremesOf(condition.part, world);
      return { least: opposite(most), most: opposite(least) };
    }
    case "day":
      return extremesOfDays(condition, world);
    case "rate":
    case "left":
    case "remaining":
    case "days_remaining":
      return extremesOfNumber(condition, world);
    case "rule":
      return world.referred(condition.rule);
    case "mqtt":
      return ANYTHING;
    // The clock alone decides these.
    case "period":
    case "between":
    case "weekday":
    case "month":
      return exactly(kindOf(condition).evaluate(condition, world.evaluation).truth);
  }
}

/**
 * Parts that ask of one day, or of one number, cannot be judged each by itself: `{ day: now, color: rouge }` and
 * `{ day: now, color: bleu }` are never both ON. So all that can be known of it is assumed in turn.
 */
function extremesOfGroup(group: Group, world: World): Extremes {
  const shared = sharedSubject(group, world);
  if (shared) return unite(assume(shared, group, world), (one) => extremesOfGroup(group, one));
  const decisive = group.kind === "any";
  const join = decisive ? either : both;
  let [least, most]: [Truth, Truth] = [!decisive, !decisive];
  for (const part of group.parts) {
    const extremes = extremesOf(part, world);
    [least, most] = [join(least, extremes.least), join(most, extremes.most)];
    if (least === decisive && most === decisive) break;
  }
  return { least, most };
}

/** A day or a number that is not assumed yet, and that two parts ask of. */
function sharedSubject({ parts }: Group, world: World): Single | undefined {
  if (world.days.size + world.numbers.size >= MOST_ASSUMED) return undefined;
  const asked = new Set<string>();
  for (const part of parts) {
    const singles = simpleConditionsIn(part).filter(isSingle);
    const shared = singles.find((single) => asked.has(subjectOf(single, world)));
    if (shared) return shared;
    for (const single of singles) {
      const subject = subjectOf(single, world);
      if (!world.days.has(subject) && !world.numbers.has(subject)) asked.add(subject);
    }
  }
  return undefined;
}

/** More would take long, and parts seldom share so many. */
const MOST_ASSUMED = 2;

/** A condition on one day or on one number. */
type Single = DayCondition | NumberCondition;

function isSingle(condition: SimpleCondition): condition is Single {
  return condition.kind === "day" ? condition.range === null : "bounds" in condition;
}

/** The date of a day, the name of a number. */
function subjectOf(single: Single, { evaluation: { view } }: World): string {
  if (single.kind === "day") return datesOf(single, view).join();
  return "color" in single ? `${single.kind} ${single.color}` : single.kind;
}

/** A world for each state of what this condition asks of. */
function assume(single: Single, group: Group, world: World): World[] {
  const subject = subjectOf(single, world);
  if (single.kind === "day") {
    const states = world.possibleDays(subject);
    return states.map((facts) => ({ ...world, days: new Map(world.days).set(subject, facts) }));
  }
  const alike = simpleConditionsIn(group).filter(
    (other): other is NumberCondition => "bounds" in other && subjectOf(other, world) === subject,
  );
  const states = possibleNumbers(alike, world);
  return states.map((number) => ({ ...world, numbers: new Map(world.numbers).set(subject, number) }));
}

function extremesOfDays(condition: DayCondition, { evaluation, days, possibleDays }: World): Extremes {
  const { view, threshold } = evaluation;
  const confidence = condition.confidence === "threshold" ? threshold : condition.confidence;
  const each = datesOf(condition, view).map((date) => {
    const allowed = allowedColors(date, view.tariff.laws);
    const assumed = days.get(date);
    const possible = assumed ? [assumed] : possibleDays(date);
    return unite(possible, (facts) => exactly(testDay(condition, { facts, allowed }, confidence)));
  });
  const count = (extreme: "least" | "most") => {
    const truths = each.map((day) => ({ truth: day[extreme], by: "sure" }) as const);
    return atLeast(condition.least, truths).truth;
  };
  return { least: count("least"), most: count("most") };
}

function extremesOfNumber(condition: NumberCondition, world: World): Extremes {
  const assumed = world.numbers.get(subjectOf(condition, world));
  const possible = assumed === undefined ? possibleNumbers([condition], world) : [assumed];
  return unite(possible, (number) => exactly(number === null ? null : isWithin(number, condition.bounds)));
}

/** Not known, or beside, between and at the bounds of these. Days are whole numbers, a rate need not be. */
function possibleNumbers(conditions: readonly NumberCondition[], { isRteAlone }: World): (number | null)[] {
  const [{ kind } = { kind: "rate" }] = conditions;
  if (isRteAlone && (kind === "remaining" || kind === "days_remaining")) return [null];
  const bounds = conditions.flatMap((one) => Object.values(one.bounds)).filter((one) => one !== undefined);
  const numbers = bounds.flatMap((bound) =>
    kind === "rate"
      ? [bound - TINY, bound, bound + TINY]
      : [Math.ceil(bound) - 1, Math.floor(bound), Math.floor(bound) + 1],
  );
  return [null, 0, ...numbers.filter((number) => number > 0)];
}

/** Smaller than any difference of prices. */
const TINY = 1e-9;

/** What one of these states gives: it is not known which. */
function unite<State>(states: readonly State[], extremesIn: (state: State) => Extremes): Extremes {
  let [least, most]: [Truth, Truth] = [true, false];
  for (const state of states) {
    const extremes = extremesIn(state);
    [least, most] = [both(least, extremes.least), either(most, extremes.most)];
    if (least === false && most === true) break;
  }
  return { least, most };
}

function exactly(truth: Truth): Extremes {
  return { least: truth, most: truth };
}
