import { parseTimeOfDay } from "../calendar/dates.ts";
import type { ConditionKind, ConditionMoment } from "./condition-kind.ts";
import type { Finding } from "./condition-result.ts";
import type { BetweenCondition, PeriodCondition, WeekdayCondition } from "./rule.ts";

export const PERIOD: ConditionKind<PeriodCondition> = {
  evaluate: evaluatePeriod,
  boundaries: () => ({ kinds: ["period"], times: [] }),
  possible: (condition, moment) => evaluatePeriod(condition, moment).truth,
  describe: ({ period }) => (period === "hp" ? "in peak hours" : "in off-peak hours"),
  describeFinding: ({ value }) => `the period is ${value}`,
};

export const BETWEEN: ConditionKind<BetweenCondition> = {
  evaluate: evaluateBetween,
  // Where the clocks are moved, the wall clock can jump into the window or out of it.
  boundaries: ({ from, to }) => ({ kinds: ["clock_shift"], times: [from, to] }),
  possible: (condition, moment) => evaluateBetween(condition, moment).truth,
  describe: ({ from, to }) => `between ${from} and ${to}`,
  describeFinding: ({ value }) => `it is ${timeText(Number(value))}`,
};

export const WEEKDAY: ConditionKind<WeekdayCondition> = {
  evaluate: evaluateWeekday,
  boundaries: () => ({ kinds: ["tariff_day"], times: [] }),
  possible: (condition, moment) => evaluateWeekday(condition, moment).truth,
  describe: ({ days }) => `weekday is ${days.join(" or ")}`,
  describeFinding: ({ value }) => `the tariff day is ${value}`,
};

function evaluatePeriod({ period }: PeriodCondition, { facts }: ConditionMoment): Finding {
  return finding(facts.period, facts.period === period);
}

function evaluateBetween(condition: BetweenCondition, { wallClock }: ConditionMoment): Finding {
  const [from, to] = [parseTimeOfDay(condition.from), parseTimeOfDay(condition.to)];
  const isAfter = wallClock >= from;
  const isBefore = wallClock < to;
  // 22:00 to 06:00 goes over midnight.
  return finding(wallClock, from < to ? isAfter && isBefore : isAfter || isBefore);
}

function evaluateWeekday({ days }: WeekdayCondition, { facts }: ConditionMoment): Finding {
  return finding(facts.weekday, days.includes(facts.weekday));
}

function finding(value: string | number, truth: boolean): Finding {
  return { truth, certain: truth, value, days: [] };
}

function timeText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
