import { parseTimeOfDay, weekday } from "../calendar/dates.ts";
import { periodAt } from "../calendar/period.ts";
import type { ConditionKind, Finding } from "./condition-kind.ts";
import { type BetweenCondition, type PeriodCondition, WEEKDAYS, type WeekdayCondition } from "./rule.ts";

/** What is known at any time is as possible as it is true. */

export const PERIOD: ConditionKind<PeriodCondition> = {
  evaluate: (condition, { view }) => {
    const period = periodAt(view.at, view.tariff);
    return finding(period, period === condition.period);
  },
  boundaries: () => ({ kinds: ["period"], times: [] }),
  possible: (condition, moment) => PERIOD.evaluate(condition, moment).truth,
  describe: ({ period }) => (period === "hp" ? "in peak hours" : "in off-peak hours"),
  describeFinding: ({ value }) => `the period is ${value}`,
};

export const BETWEEN: ConditionKind<BetweenCondition> = {
  evaluate: ({ from, to }, { wallClock }) => {
    const isAfter = wallClock >= parseTimeOfDay(from);
    const isBefore = wallClock < parseTimeOfDay(to);
    // 22:00 to 06:00 goes over midnight.
    return finding(wallClock, from < to ? isAfter && isBefore : isAfter || isBefore);
  },
  // Where the clocks are moved, the wall clock can jump into the window or out of it.
  boundaries: ({ from, to }) => ({ kinds: ["clock_shift"], times: [from, to] }),
  possible: (condition, moment) => BETWEEN.evaluate(condition, moment).truth,
  describe: ({ from, to }) => `between ${from} and ${to}`,
  describeFinding: ({ value }) =>
    `it is ${new Date(Number(value)).toISOString().slice("1970-01-01T".length, -8)}`,
};

export const WEEKDAY: ConditionKind<WeekdayCondition> = {
  evaluate: ({ days }, { view }) => {
    const day = WEEKDAYS[weekday(view.now) - 1] ?? "sun";
    return finding(day, days.includes(day));
  },
  boundaries: () => ({ kinds: ["tariff_day"], times: [] }),
  possible: (condition, moment) => WEEKDAY.evaluate(condition, moment).truth,
  describe: ({ days }) => `weekday is ${days.join(" or ")}`,
  describeFinding: ({ value }) => `the tariff day is ${value}`,
};

function finding(value: string | number, truth: boolean): Finding {
  return { truth, certain: truth, value, days: [] };
}
