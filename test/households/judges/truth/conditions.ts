import {
  addDays,
  COLORS,
  type Day,
  dateOf,
  instantsOf,
  monthOf,
  possibleColors,
  readMonth,
  readTime,
  tariffDay,
  wallClock,
  weekdayOf,
} from "../../calendar.ts";
import { type ConditionText, type House, listOf, partsOf, type RuleText, type ValueText } from "../house.ts";
import { onceForEach } from "../once-for-each.ts";
import { isWithin } from "./house-values.ts";
import { type Book, type DayFact, factsOf, type KnownDays, unique } from "./known-days.ts";
import { periodAt } from "./off-peak.ts";
import { ANY, all, any, atLeast, either, not, OFF, ON, type Possible, UNKNOWN, when } from "./possible.ts";
import { ratesOf } from "./prices.ts";
import { daysRemaining, leftDays, type Numbers, remainingDays } from "./season.ts";
import { enabledAt, pretends, type Settings, thresholdsOf } from "./settings.ts";

/** All that decides what is true at one instant. */
export interface Moment {
  /** What the clock of the machine shows. */
  at: number;
  house: House;
  book: Pick<Book, "season"> & { days: KnownDays };
  settings: Settings;
  /** What may be so of a value of the house now. */
  value: (test: ValueText) => Possible;
  /** The verdicts of other rules as they are published now; null: not judged by what is published. */
  published: ((rule: string) => Possible | null) | null;
  /** Verdicts of other rules at some time, so that each is worked out once. */
  found: Map<string, Possible>;
}

/** What the day of this date may be shown as, with the simulation. */
export function shownFacts({ book, house, settings }: Moment, date: Day, at: number): readonly DayFact[] {
  const facts = factsOf(book, date, { at, house });
  const { simulation: simulations } = settings;
  if (!simulations.some((one) => one && pretends(one, date, at, house))) return facts;
  return unique(
    simulations.flatMap((simulation): readonly DayFact[] => {
      if (!simulation || !pretends(simulation, date, at, house)) return facts;
      return facts.map((fact): DayFact => {
        // An announced rouge is never hidden behind a milder colour.
        if (fact.official && fact.color === "rouge") return fact;
        return {
          color: simulation.color,
          official: false,
          stage: null,
          confidence: null,
          isPretended: true,
          isUnlawful: false,
        };
      });
    }),
  );
}

/** What a rule may say at `moment.at`. */
export function verdictOf(rule: RuleText, moment: Moment): Possible {
  return either(
    enabledAt(moment.settings, rule.id, moment.at).map((isEnabled) =>
      isEnabled ? settle(rule, widen(rule, moment, moment.at)) : OFF,
    ),
  );
}

function settle({ whenUnknown }: RuleText, given: Possible): Possible {
  if (whenUnknown === null || (given & UNKNOWN) === 0) return given;
  return (given - UNKNOWN) | (whenUnknown === "on" ? ON : OFF);
}

/** `lead` and `lag`: ON if it is ON at any instant of the window around this one. */
function widen(rule: RuleText, moment: Moment, at: number): Possible {
  if (rule.lead === 0 && rule.lag === 0) return evaluate(rule.when, rule, moment, at);
  const [from, to] = [at - rule.lag, at + rule.lead];
  const pretended = moment.settings.simulation.flatMap((one) => (one ? [one.begun, one.until - 1] : []));
  const inside = pretended.filter((edge) => edge >= from && edge <= to);
  const edges = [...edgesOf(rule.when, moment.house, from, to), ...inside];
  return any(
    [...new Set([from, at, to, ...edges])].map((instant) => evaluate(rule.when, rule, moment, instant)),
  );
}

/** When the clock may change what a condition says. */
function edgesOf(condition: ConditionText, house: House, from: number, to: number): number[] {
  const edges: number[] = [];
  const times = [house.dayStarts, ...timesOf(condition), ...house.offPeak.times];
  const { date: last } = wallClock(to);
  for (let { date } = wallClock(from); date <= last; date = addDays(date, 1))
    for (const time of times)
      for (const edge of instantsOf(date, time)) if (edge >= from && edge <= to) edges.push(edge);
  for (const { rule: id } of partsOf(condition)) {
    const other = house.rules.find((one) => one.id === id);
    if (other) edges.push(...turnsOf(other, house, from, to));
  }
  return edges;
}

/** Minutes since midnight. The clocks are moved at 02:00 and 03:00. */
const timesOf = onceForEach((condition: ConditionText): readonly number[] => {
  const times = partsOf(condition).flatMap(({ between }) => between?.map(readTime) ?? []);
  return [...new Set([0, 2 * 60, 3 * 60, ...times])];
});

/** When the clock may turn a rule. */
export function turnsOf(rule: RuleText, house: House, from: number, to: number): number[] {
  return edgesOf(rule.when, house, from - rule.lag, to + rule.lead)
    .flatMap((edge) => [edge - rule.lead, edge + rule.lag])
    .filter((edge) => edge >= from && edge <= to);
}

/** What a condition says if the clock shows `at`, by what is known at `moment`. */
function evaluate(condition: ConditionText, rule: RuleText, moment: Moment, at: number): Possible {
  const found: Possible[] = [];
  const inner = (one: ConditionText) => evaluate(one, rule, moment, at);
  const { day, period, between, weekday, month } = condition;
  if (condition.all) found.push(all(condition.all.map(inner)));
  if (condition.any) found.push(any(condition.any.map(inner)));
  if (condition.not) found.push(not(inner(condition.not)));
  if (day !== undefined) found.push(testDays(condition, rule, moment, at));
  if (period !== undefined) found.push(when(periodAt(at, moment.house.offPeak) === period));
  if (between) found.push(when(isBetween(wallClock(at).minutes, between)));
  if (weekday !== undefined)
    found.push(when(listOf(weekday).includes(weekdayOf(tariffDay(at, moment.house)))));
  if (month !== undefined)
    found.push(when(listOf(month).some((one) => readMonth(one) === monthOf(tariffDay(at, moment.house)))));
  if (condition.rate) found.push(compare(ratesAt(moment, at), condition.rate));
  if (condition.days_remaining) found.push(compare(daysRemaining(moment, at), condition.days_remaining));
  for (const color of COLORS) {
    const [remaining, left] = [condition.remaining?.[color], condition.left?.[color]];
    if (remaining) found.push(compare(remainingDays(moment, at, color), remaining));
    if (left) found.push(compare(leftDays(moment, at, color), left));
  }
  if (condition.rule !== undefined) found.push(testRule(condition.rule, moment, at));
  if (condition.mqtt) found.push(moment.value(condition.mqtt));
  return all(found);
}

function testRule(id: string, moment: Moment, at: number): Possible {
  const key = `${id}/${at}`;
  const found = moment.found.get(key) ?? findRule(id, moment, at);
  moment.found.set(key, found);
  return found;
}

function findRule(id: string, moment: Moment, at: number): Possible {
  const rule = moment.house.rules.find((one) => one.id === id);
  if (!rule) return ANY;
  const published = moment.published?.(id) ?? null;
  if (at === moment.at && published) return published;
  const enabled = unique([
    ...enabledAt(moment.settings, id, at),
    ...enabledAt(moment.settings, id, moment.at),
  ]);
  const found = enabled.map((isEnabled) => (isEnabled ? settle(rule, widen(rule, moment, at)) : OFF));
  // What a hold makes of it at another time, and what was published in the past, is not followed here.
  return rule.hold > 0 || (at < moment.at && published)
    ? either([...found, published ?? ANY, ...(rule.hold > 0 ? [ANY] : [])])
    : either(found);
}

function testDays(condition: ConditionText, rule: RuleText, moment: Moment, at: number): Possible {
  const { day = "" } = condition;
  const test = (date: Day) =>
    either(shownFacts(moment, date, at).map((fact) => testDay(condition, fact, date, rule, moment)));
  const [, length] = /^next_(\d)_days$/.exec(day) ?? [];
  if (length === undefined) {
    const date = dateOf(day, at, moment.house);
    return date === undefined ? ANY : test(date);
  }
  const first = addDays(tariffDay(at, moment.house), 1);
  const days = Array.from({ length: Number(length) }, (_, index) => test(addDays(first, index)));
  return atLeast(condition.every ? days.length : (condition.at_least ?? 1), days);
}

function testDay(
  condition: ConditionText,
  fact: DayFact,
  date: Day,
  rule: RuleText,
  moment: Moment,
): Possible {
  const found: Possible[] = [];
  const { color, confidence, official, stage, known } = condition;
  if (color !== undefined) found.push(testColor(listOf(color), fact, possibleColors(date, moment.house)));
  if (confidence !== undefined) {
    const configured = rule.threshold ?? 0;
    const percents =
      confidence === "threshold" ? thresholdsOf(moment.settings, rule.id, configured) : [confidence];
    found.push(
      either(
        percents.map((percent) =>
          testConfidence(
            percent,
            fact,
            possibleColors(date, moment.house),
            color === undefined ? null : listOf(color),
          ),
        ),
      ),
    );
  }
  if (official !== undefined) found.push(testOfficial(official, fact));
  if (stage !== undefined)
    found.push(
      fact.isPretended ? ANY : fact.stage === null ? UNKNOWN : when(listOf(stage).includes(fact.stage)),
    );
  if (known !== undefined) {
    const isOpen =
      fact.isPretended ||
      fact.isUnlawful ||
      (fact.color === null && possibleColors(date, moment.house).length === 1);
    found.push(isOpen ? either([ON, OFF]) : when((fact.color !== null) === known));
  }
  return all(found);
}

function testColor(wanted: readonly string[], { color }: DayFact, possible: readonly string[]): Possible {
  if (color !== null) return when(wanted.includes(color));
  if (!possible.some((one) => wanted.includes(one))) return OFF;
  if (!possible.every((one) => wanted.includes(one))) return UNKNOWN;
  // The documents do not say what is so if several colours are possible, and all of them are asked for.
  return possible.length === 1 ? ON : either([ON, UNKNOWN]);
}

function testConfidence(
  percent: number,
  fact: DayFact,
  possible: readonly string[],
  wanted: readonly string[] | null,
): Possible {
  if (fact.isPretended) return ANY;
  if (fact.color === null) {
    if (wanted && possible.length === 1) return ON;
    // "By the laws any `confidence` passes", and "of an unknown day `confidence` is unknown": both are said.
    const isByLaws = wanted ? possible.every((one) => wanted.includes(one)) : possible.length === 1;
    return isByLaws ? either([ON, UNKNOWN]) : UNKNOWN;
  }
  if (fact.official) return ON;
  if (fact.confidence === null) return OFF;
  // Whether 79.5 counts as 80 is not said.
  return either([when(fact.confidence >= percent), when(Math.round(fact.confidence) >= percent)]);
}

function testOfficial(wanted: boolean, fact: DayFact): Possible {
  if (fact.isPretended) return ANY;
  // "Of an unknown day `official` is OFF": whether `official: false` is ON then is not said.
  if (fact.color === null && !wanted) return either([ON, OFF]);
  return when(fact.official === wanted);
}

function isBetween(minutes: number, [from, to]: readonly [string, string]): boolean {
  const [start, end] = [readTime(from), readTime(to)];
  return start < end ? minutes >= start && minutes < end : minutes >= start || minutes < end;
}

function compare(numbers: Numbers, bounds: Parameters<typeof isWithin>[1]): Possible {
  return either(numbers.map((number) => (number === null ? UNKNOWN : when(isWithin(number, bounds)))));
}

/** The price in force. A simulation does not change it. */
function ratesAt({ book, house }: Moment, at: number): Numbers {
  const [date, period] = [tariffDay(at, house), periodAt(at, house.offPeak)];
  return unique(
    factsOf(book, date, { at, house }).flatMap(({ color }): Numbers => {
      const rates = ratesOf({ book, house }, date, color, period);
      // Whether a price by the laws alone counts for a rule is not said.
      return color === null ? [...rates, null] : rates;
    }),
  );
}
