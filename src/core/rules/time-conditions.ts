import { monthName, parseTimeOfDay, weekdayName } from "../calendar/dates.ts";
import { periodAt } from "../calendar/period.ts";
import type { ConditionKind, Finding } from "./condition-types.ts";
import type { BetweenCondition, MonthCondition, PeriodCondition, WeekdayCondition } from "./rule.ts";

export const PERIOD: ConditionKind<PeriodCondition> = {
  evaluate: (condition, { view }) => {
    const period = periodAt(view.at, view.tariff);
    return finding(period === condition.period, () => `the period is ${period}`);
  },
  boundaries: () => ({ kinds: ["period"], times: [] }),
  describe: ({ period }) => (period === "hp" ? "in peak hours" : "in off-peak hours"),
};

export const BETWEEN: ConditionKind<BetweenCondition> = {
  evaluate: ({ from, to }, { wallClock }) => {
    const isAfter = wallClock >= parseTimeOfDay(from);
    const isBefore = wallClock < parseTimeOfDay(to);
    // 22:00 to 06:00 goes over midnight.
    const isWithin = from < to ? isAfter && isBefore : isAfter || isBefore;
    return { truth: isWithin, by: "sure", describeFinding: byTheClock, describeForOwner: itIs, days: [] };
  },
  // When the clocks are moved, the wall clock can jump into the window or out of it.
  boundaries: ({ from, to }) => ({ kinds: ["clock_shift"], times: [from, to] }),
  describe: ({ from, to }) => `between ${from} and ${to}`,
};

export const WEEKDAY: ConditionKind<WeekdayCondition> = {
  evaluate: ({ days }, { view }) => {
    const day = weekdayName(view.now);
    return finding(days.includes(day), () => `the tariff day is ${day}`);
  },
  boundaries: () => ({ kinds: ["tariff_day"], times: [] }),
  describe: ({ days }) => `weekday is ${days.join(" or ")}`,
};

export const MONTH: ConditionKind<MonthCondition> = {
  evaluate: ({ months }, { view }) => {
    const month = monthName(view.now);
    return finding(months.includes(month), () => `the tariff day is in ${month}`);
  },
  boundaries: () => ({ kinds: ["tariff_day"], times: [] }),
  describe: ({ months }) => `month is ${months.join(" or ")}`,
};

const byTheClock = () => "by the clock";
const itIs = (time: string) => `it is ${time}`;

function finding(truth: boolean, describeFinding: () => string): Finding {
  return { truth, by: "sure", describeFinding, days: [] };
}
