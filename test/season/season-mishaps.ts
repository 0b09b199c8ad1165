import { wallInstant } from "../../src/core/calendar/dates.ts";
import type { Instant } from "../../src/core/calendar/tariff.ts";
import { shiftDate } from "../support/intl-wall-clock.ts";
import type { Mishap } from "./mishap-plan.ts";

/** What is going on now, by the plan. */
export function createMishaps(plan: readonly Mishap[], now: () => Instant) {
  const edges = plan.flatMap(({ from, until }) => [from, until]).sort((one, other) => one - other);
  let passed = 0;
  return {
    due: () => edges[passed] ?? Number.POSITIVE_INFINITY,
    passed: () => passed,
    now: () => {
      while ((edges[passed] ?? Number.POSITIVE_INFINITY) <= now()) passed += 1;
      const active = plan.filter(({ from, until }) => from <= now() && now() < until);
      return {
        faults: active.flatMap(({ faults }) => faults),
        kinds: new Set(active.map(({ kind }) => kind)),
        skew: active.findLast(({ kind }) => kind === "clock")?.skew ?? 0,
      };
    },
  };
}

/** Each instant at which time alone changes something on the wall, and the last millisecond before it. */
export function createBoundaries(begin: Instant) {
  // The day before begins the list, so that the first day is in it.
  let date = new Date(begin - 43_200_000).toISOString().slice(0, 10);
  let ahead: { at: Instant; dayStart: boolean }[] = [];
  const fill = () => {
    while (ahead.length === 0) {
      date = shiftDate(date, 1);
      const edges = WALL_TIMES.flatMap((time) => {
        const at = wallInstant(date, time, "Europe/Paris");
        return [
          { at: at - 1, dayStart: false },
          { at, dayStart: time === "06:00" },
        ];
      });
      ahead = edges.filter(({ at }) => at > begin);
    }
  };
  fill();
  return {
    due: () => ahead[0]?.at ?? Number.POSITIVE_INFINITY,
    isDayStart: () => ahead[0]?.dayStart ?? false,
    pass: () => {
      ahead.shift();
      fill();
    },
  };
}

/** Of the days and periods, and of the shipped rules. */
const WALL_TIMES = ["00:00", "03:30", "05:55", "06:00", "22:00"];
