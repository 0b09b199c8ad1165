import { addDays, datesBetween, monthName, parseTimeOfDay, weekdayName } from "../core/calendar/dates.ts";
import { memoize } from "../core/calendar/memoize.ts";
import { offPeakRow, periodTimes } from "../core/calendar/period.ts";
import type { IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { allowedColors } from "../core/calendar/tariff-laws.ts";
import { NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { type DaysView, daysAt } from "../core/facts/days-view.ts";
import type { DayFacts } from "../core/facts/facts.ts";
import { isWithin } from "../core/rules/bounds.ts";
import { keyOfMqtt } from "../core/rules/compare-payload.ts";
import type { EvaluationMoment } from "../core/rules/condition-types.ts";
import { datesOf, testDay } from "../core/rules/day-condition.ts";
import { kindOf } from "../core/rules/evaluate-condition.ts";
import {
  type Condition,
  type DayCondition,
  type Group,
  inOrderOfReference,
  type NumberCondition,
  type Rule,
  rulesInChain,
  type SimpleCondition,
  simpleConditionsIn,
} from "../core/rules/rule.ts";
import { withWhenUnknown } from "../core/rules/timeline.ts";
import { atLeast, both, either, opposite, type Truth } from "../core/rules/truth.ts";
import { NO_READINGS } from "../core/rules/value-readings.ts";

/** What is needed to tell what a rule can be. */
export interface Asked {
  byId: ReadonlyMap<string, Rule>;
  /** On the wall clock of UTC: what a rule can be does not depend on the time zone, and this one makes all that is asked cheap. */
  tariff: Tariff;
  /** There is no forecast service: RTE names today and tomorrow, and no more. */
  isRteAlone: boolean;
  // Rules share these, as each that is never ON or never OFF asks for all years.
  /** The days at a date and a time, `2026-01-05T06:00`, of which nothing is known. */
  viewAt: (wallTime: string) => DaysView;
  /** One date of each kind. */
  datesOfYear: (year: number) => ReadonlyMap<string, IsoDate>;
}

export function askAbout(rules: readonly Rule[], given: Tariff, isRteAlone: boolean): Asked {
  const tariff = { ...given, time_zone: "UTC" };
  return {
    byId: new Map(rules.map((rule) => [rule.id, rule])),
    tariff,
    isRteAlone,
    viewAt: memoize((wallTime) => daysAt(NO_KNOWN_DAYS, Date.parse(`${wallTime}Z`), tariff)),
    datesOfYear: memoize((year) => datesOfYear(year, tariff)),
  };
}

/**
 * Whether a rule is ever ON, and ever OFF, for all that can be known of the days. It may say that a rule can be what it never is,
 * but not the opposite: nobody is to delete a good rule.
 */
export function outcomesOf(rule: Rule, asked: Asked): { on: boolean; off: boolean } {
  let [on, off] = [false, false];
  for (const world of sampleWorlds(rule, asked)) {
    const { lowest, highest } = extremesOfRule(rule, world);
    on ||= highest === true;
    off ||= lowest === false;
    if (on && off) break;
  }
  return { on, off };
}

/** What something can be. OFF is less than unknown, unknown is less than ON. */
interface Extremes {
  lowest: Truth;
  highest: Truth;
}

const ANYTHING: Extremes = { lowest: false, highest: true };

function exactly(truth: Truth): Extremes {
  return { lowest: truth, highest: truth };
}

/** The extremes over several states, one of which is true. */
function extremesOver<State>(states: Iterable<State>, extremesIn: (state: State) => Extremes): Extremes {
  let [lowest, highest]: [Truth, Truth] = [true, false];
  for (const state of states) {
    const extremes = extremesIn(state);
    [lowest, highest] = [both(lowest, extremes.lowest), either(highest, extremes.highest)];
    if (lowest === false && highest === true) break;
  }
  return { lowest, highest };
}

/** A moment, and what is assumed of some conditions then. */
interface World {
  evaluation: EvaluationMoment;
  isRteAlone: boolean;
  /** What another rule can be then, by its id, without what is assumed: by its hold it may follow an older forecast. */
  referred: (id: string) => Extremes;
  assumed: ReadonlyMap<SimpleCondition, Truth>;
}

/** Each kind of moment that the rule tells apart: on sampled dates, when a period, a tariff day or a window begins. */
function* sampleWorlds(rule: Rule, asked: Asked): Generator<World> {
  const { byId, tariff, isRteAlone } = asked;
  const chain = inOrderOfReference(rulesInChain([rule.id], byId));
  const conditions = chain.flatMap(({ when }) => simpleConditionsIn(when));
  const windows = conditions.flatMap((simple) => kindOf(simple).boundaries(simple).times);
  const times = new Set(["00:00", tariff.day_starts_at, ...periodTimes(tariff), ...windows]);
  const seen = new Set<string>();
  for (const date of sampleDates(asked)) {
    for (const time of times) {
      const evaluation = momentAt(date, time, asked);
      const kind = kindOfMoment(conditions, evaluation);
      if (seen.has(kind)) continue;
      seen.add(kind);
      const world: World = {
        evaluation,
        isRteAlone,
        referred: memoize((id: string) => extremesOfReference(byId.get(id), world)),
        assumed: new Map(),
      };
      // Those that others refer to come first, so each answer is kept when it is needed: 1,000 rules in a chain need no deep stack.
      for (const { id } of chain) if (id !== rule.id) world.referred(id);
      yield world;
    }
  }
}

function momentAt(date: IsoDate, time: string, { tariff, viewAt }: Asked): EvaluationMoment {
  // Its days are those from midnight on, or from the beginning of the tariff day on.
  const daysFrom = time < tariff.day_starts_at ? "00:00" : tariff.day_starts_at;
  return {
    view: { ...viewAt(`${date}T${daysFrom}`), at: Date.parse(`${date}T${time}Z`) },
    wallClock: parseTimeOfDay(time),
    threshold: null,
    values: NO_READINGS,
    referred: expectNoRule,
  };
}

/** All that conditions see of a moment, while nothing is known. */
function kindOfMoment(conditions: readonly SimpleCondition[], moment: EvaluationMoment): string {
  const { view } = moment;
  const seen = conditions.map((condition) => {
    if (isOnClock(condition)) return kindOf(condition).evaluate(condition, moment).truth;
    if (condition.kind !== "day") return "";
    return datesOf(condition, view).map((date) => allowedColors(date, view.tariff.laws).length);
  });
  return [view.now === view.today, ...seen].join();
}

/** Only what the clock decides is evaluated with this. */
const expectNoRule = () => {
  throw new Error("Expected a condition on the clock to refer to no rule");
};

/** One date of each kind, by all that conditions see of a date and of the dates around it: a Tuesday before All Saints' Day is one. */
function* sampleDates({ tariff: { off_peak }, datesOfYear }: Asked): Generator<IsoDate> {
  const begins = off_peak.flatMap(({ from }) => (from === undefined ? [] : [Number(from.slice(0, 4))]));
  const until = Math.max(FIRST_YEAR + YEARS, ...begins.map((begin) => begin + 2));
  const seen = new Set<string>();
  for (let year = FIRST_YEAR; year < until; year += 1) {
    for (const [kind, date] of datesOfYear(year)) {
      if (!seen.has(kind)) yield date;
      seen.add(kind);
    }
  }
}

/** The last date of each kind in a year, by what tells its kind. */
function datesOfYear(year: number, { laws, off_peak }: Tariff): ReadonlyMap<string, IsoDate> {
  const dates = datesBetween(`${year - 1}-12-31`, addDays(`${year}-12-31`, SEEN_AFTER));
  const allowed = dates.map((date) => allowedColors(date, laws).length);
  const places = dates.map((date) => {
    const row = offPeakRow(date, off_peak);
    return `${monthName(date)} ${row ? off_peak.indexOf(row) : ""}`;
  });
  // The tariff day in force may be that of the date before.
  return new Map(
    dates.slice(1, -SEEN_AFTER).map((date, index) => {
      const near = [...places.slice(index, index + 2), ...allowed.slice(index, index + 2 + SEEN_AFTER)];
      return [[weekdayName(date), ...near].join(), date];
    }),
  );
}

/** In twelve years each month ends on each weekday. */
const FIRST_YEAR = 2026;
const YEARS = 12;
/** The last day of `next_8_days` is so many days after a date. */
const SEEN_AFTER = 8;

function extremesOfReference(rule: Rule | undefined, world: World): Extremes {
  // With a lead or a lag its verdict comes from another time than this one.
  if (!rule || rule.lead > 0 || rule.lag > 0) return ANYTHING;
  // A command can disable it: then it is OFF.
  return { lowest: false, highest: extremesOfRule(rule, world).highest };
}

function extremesOfRule({ when, when_unknown }: Rule, world: World): Extremes {
  const { lowest, highest } = extremesOf(when, world);
  return {
    lowest: withWhenUnknown(lowest, when_unknown),
    highest: withWhenUnknown(highest, when_unknown),
  };
}

/** Conditions of which nothing is assumed are judged independently. So the extremes may be too far apart, but never too near. */
function extremesOf(condition: Condition, world: World): Extremes {
  switch (condition.kind) {
    case "all":
    case "any":
      return extremesOfGroup(condition, world);
    case "not": {
      const { lowest, highest } = extremesOf(condition.part, world);
      return { lowest: opposite(highest), highest: opposite(lowest) };
    }
    case "day":
      return condition.range === null ? extremesOfSimple(condition, world) : extremesOfDays(condition, world);
    default:
      return extremesOfSimple(condition, world);
  }
}

/**
 * Parts that ask of one day, or of one number, are not independent: `{ day: now, color: rouge }` and `{ day: now, color: bleu }` are
 * never both ON. So each possible state of it is assumed, one after the other.
 */
function extremesOfGroup(group: Group, world: World): Extremes {
  const independent = extremesOfParts(group, world);
  if (independent.lowest === independent.highest) return independent;
  const bySubject = sharedSubjects(group, world).map((conditions) =>
    extremesOver(possibleTruths(conditions, world), (truths) =>
      extremesOfParts(group, assume(conditions, truths, world)),
    ),
  );
  // None of them are too near, so the nearest are right.
  return {
    lowest: bySubject.map(({ lowest }) => lowest).reduce(either, independent.lowest),
    highest: bySubject.map(({ highest }) => highest).reduce(both, independent.highest),
  };
}

function extremesOfParts({ kind, parts }: Group, world: World): Extremes {
  const decisive = kind === "any";
  const join = decisive ? either : both;
  let [lowest, highest]: [Truth, Truth] = [!decisive, !decisive];
  for (const part of parts) {
    const extremes = extremesOf(part, world);
    [lowest, highest] = [join(lowest, extremes.lowest), join(highest, extremes.highest)];
    if (lowest === decisive && highest === decisive) break;
  }
  return { lowest, highest };
}

/** The conditions of each subject that two parts ask of, if nothing is assumed of it yet. */
function sharedSubjects({ parts }: Group, world: World): SimpleCondition[][] {
  const subjects = new Map<string, { conditions: SimpleCondition[]; parts: Set<Condition> }>();
  for (const part of parts) {
    for (const condition of simpleConditionsIn(part)) {
      const name = world.assumed.has(condition) ? null : subjectOf(condition, world);
      if (name === null) continue;
      const subject = subjects.get(name) ?? { conditions: [], parts: new Set() };
      subject.conditions.push(condition);
      subject.parts.add(part);
      subjects.set(name, subject);
    }
  }
  return [...subjects.values()].flatMap((subject) => (subject.parts.size > 1 ? [subject.conditions] : []));
}

/** The one thing that a condition asks of; null: it asks of the clock, or of several days. */
function subjectOf(condition: SimpleCondition, { evaluation: { view } }: World): string | null {
  if (condition.kind === "day") return condition.range === null ? datesOf(condition, view).join() : null;
  if (condition.kind === "rule") return `rule ${condition.rule}`;
  if (condition.kind === "mqtt") return keyOfMqtt(condition);
  if (!("bounds" in condition)) return null;
  return "color" in condition ? `${condition.kind} ${condition.color}` : condition.kind;
}

function assume(conditions: readonly SimpleCondition[], truths: readonly Truth[], world: World): World {
  const assumed = new Map(world.assumed);
  for (const [index, condition] of conditions.entries()) assumed.set(condition, truths[index] ?? null);
  return { ...world, assumed };
}

function extremesOfSimple(condition: SimpleCondition, world: World): Extremes {
  const assumed = world.assumed.get(condition);
  if (assumed !== undefined) return exactly(assumed);
  return extremesOfOne(possibleTruths([condition], world));
}

/** `possible`: what one condition can be. */
function extremesOfOne(possible: readonly Truth[][]): Extremes {
  return extremesOver(possible, ([truth = null]) => exactly(truth));
}

/** What these conditions on one subject can be at the same time: the truth of each, for each state of the subject. */
function possibleTruths(conditions: readonly SimpleCondition[], world: World): readonly Truth[][] {
  const [condition] = conditions;
  if (!condition) return [];
  const alike = (truths: readonly Truth[]) => truths.map((truth) => conditions.map(() => truth));
  switch (condition.kind) {
    case "day": {
      const [date = ""] = datesOf(condition, world.evaluation.view);
      return truthsOfDay(conditions.filter(isOnDay), date, world);
    }
    case "rate":
    case "left":
    case "remaining":
    case "days_remaining":
      return truthsOfNumber(conditions.filter(isOnNumber), world);
    case "rule": {
      const { lowest, highest } = world.referred(condition.rule);
      return alike(lowest === highest ? [lowest] : [lowest, null, highest]);
    }
    case "mqtt":
      return alike([true, false, null]);
    case "period":
    case "between":
    case "weekday":
    case "month":
      return alike([kindOf(condition).evaluate(condition, world.evaluation).truth]);
  }
}

/** The clock alone decides it. */
const isOnClock = ({ kind }: SimpleCondition) =>
  kind === "period" || kind === "between" || kind === "weekday" || kind === "month";
const isOnDay = (condition: SimpleCondition) => condition.kind === "day";
const isOnNumber = (condition: SimpleCondition) => "bounds" in condition;

function extremesOfDays(condition: DayCondition, world: World): Extremes {
  const days = datesOf(condition, world.evaluation.view).map((date) =>
    extremesOfOne(truthsOfDay([condition], date, world)),
  );
  const count = (extreme: keyof Extremes) => {
    // `atLeast` wants to know what decides; it changes no truth.
    const truths = days.map((day) => ({ truth: day[extreme], by: "sure" }) as const);
    return atLeast(condition.least, truths).truth;
  };
  return { lowest: count("lowest"), highest: count("highest") };
}

function truthsOfDay(conditions: readonly DayCondition[], date: IsoDate, world: World): Truth[][] {
  const allowed = allowedColors(date, world.evaluation.view.tariff.laws);
  const asked = conditions.flatMap(({ confidence }) => (typeof confidence === "number" ? [confidence] : []));
  // A command can move the threshold.
  const thresholds = conditions.some(({ confidence }) => confidence === "threshold") ? [0, 100] : [0];
  return distinct(
    possibleDays(date, conditions.length > 1 ? asked : [], world).flatMap((facts) =>
      thresholds.map((threshold) =>
        conditions.map((condition) => testDay(condition, { facts, allowed }, threshold)),
      ),
    ),
  );
}

/** Each list once. */
function distinct(lists: readonly Truth[][]): Truth[][] {
  return [...new Map(lists.map((truths) => [truths.join(), truths])).values()];
}

/**
 * Nothing, or each colour that the tariff allows: official, or as a forecast that passes no `confidence` or every one. If several
 * conditions ask for a confidence, also what lies between these.
 */
function possibleDays(
  date: IsoDate,
  asked: readonly number[],
  { evaluation: { view }, isRteAlone }: World,
): DayFacts[] {
  const unknown = view.day(date);
  const allowed = allowedColors(date, view.tariff.laws);
  const isNamed = !isRteAlone || date <= addDays(view.today, 1);
  const between = asked.flatMap((percent) => [percent / 100, Math.max(0, percent - 1) / 100]);
  const official = allowed.flatMap((color) =>
    (["announced", "final"] as const).map(
      (stage): DayFacts => ({ ...unknown, color, stage, official: true, confidence: 1 }),
    ),
  );
  const forecasts = allowed.flatMap((color) =>
    [null, 1, ...between].map(
      (confidence): DayFacts => ({ ...unknown, color, stage: "forecast", confidence }),
    ),
  );
  return [unknown, ...(isNamed ? official : []), ...(isRteAlone ? [] : forecasts)];
}

function truthsOfNumber(conditions: readonly NumberCondition[], world: World): Truth[][] {
  return distinct(
    possibleNumbers(conditions, world).map((number) =>
      conditions.map(({ bounds }) => (number === null ? null : isWithin(number, bounds))),
    ),
  );
}

/** Not known, or at each bound, just below it and just above it. Days are whole numbers, a rate need not be. */
function possibleNumbers(conditions: readonly NumberCondition[], { isRteAlone }: World): (number | null)[] {
  const isRate = conditions.some(({ kind }) => kind === "rate");
  const isOfService = conditions.some(({ kind }) => kind === "remaining" || kind === "days_remaining");
  if (isRteAlone && isOfService) return [null];
  const bounds = conditions.flatMap((one) => Object.values(one.bounds)).filter((one) => one !== undefined);
  const numbers = bounds.flatMap((bound) =>
    isRate
      ? [bound - TINY, bound, bound + TINY]
      : [Math.ceil(bound) - 1, Math.floor(bound), Math.floor(bound) + 1],
  );
  return [null, 0, ...numbers.filter((number) => number > 0)];
}

/** Smaller than any difference of prices. */
const TINY = 1e-9;
