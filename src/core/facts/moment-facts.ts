import { addDays, dayStart, nextMidnight, wallInstant } from "../calendar/dates.ts";
import { nextPeriodChange, periodAt } from "../calendar/period.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { DaysView } from "./days-view.ts";
import type { MomentFacts, Simulation } from "./facts.ts";
import { simulateView } from "./simulation.ts";

/** What is true until the next boundary, with the colour that a running simulation pretends. */
export function momentFacts(view: DaysView, lateAfter: string, simulation: Simulation | null): MomentFacts {
  const { at, tariff, today } = view;
  const { day } = simulateView(view, simulation);
  const civilDay = (daysAhead: number) => day(addDays(today, daysAhead));
  const now = day(view.now);
  const period = periodAt(at, tariff);
  const nextStart = dayStart(view.next, tariff);
  const periodChange = nextPeriodChange(at, tariff);
  const midnight = nextMidnight(at, tariff.time_zone);
  const lateFrom = wallInstant(today, lateAfter, tariff.time_zone);
  // A pretended colour must expire on the broker when the simulation ends.
  const simulationEnd = simulation?.until ?? Number.POSITIVE_INFINITY;
  return {
    now: {
      ...now,
      period,
      rate: now.rates[period],
      color_until: nextStart,
      period_until: periodChange ?? null,
    },
    next: { ...day(view.next), at: nextStart },
    days: {
      today: civilDay(0),
      tomorrow: civilDay(1),
      d2: civilDay(2),
      d3: civilDay(3),
      d4: civilDay(4),
      d5: civilDay(5),
      d6: civilDay(6),
      d7: civilDay(7),
    },
    announcement: announcement(view, lateFrom),
    boundaries: {
      day: Math.min(nextStart, simulationEnd),
      period: Math.min(periodChange ?? nextStart, nextStart),
      midnight: Math.min(midnight, simulationEnd),
      late: lateFrom > at ? lateFrom : midnight,
    },
  };
}

/** It is about tomorrow's true colour: a simulation is no announcement. */
function announcement({ at, today, day }: DaysView, lateFrom: Instant): MomentFacts["announcement"] {
  const date = addDays(today, 1);
  const { stage, official } = day(date);
  return { stage, date, late: at >= lateFrom && !official };
}
