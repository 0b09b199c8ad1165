import { z } from "zod";
import { addDays, tariffDate } from "../calendar/dates.ts";
import { COLORS, type Color, type Instant, type Tariff } from "../calendar/tariff.ts";
import type { DayFacts, MomentFacts, Simulation } from "./facts.ts";
import type { View } from "./view.ts";

/** What its owner asks for: a colour, the tariff day it is pretended for, and for how long (milliseconds). */
export interface SimulationWish {
  color: Color;
  from: "now" | "next";
  for: number;
}

/** The day is settled at the beginning: what was `next` stays pretended when it becomes `now`. */
export function beginSimulation(wish: SimulationWish, at: Instant, tariff: Tariff): Simulation {
  const { color, from } = wish;
  const now = tariffDate(at, tariff);
  return { color, from, date: from === "now" ? now : addDays(now, 1), begun: at, until: at + wish.for };
}

/** The one that runs at this instant: it ends by itself, however long nobody was there to see it. */
export function runningSimulation(simulation: Simulation | null | undefined, at: Instant): Simulation | null {
  return simulation && simulation.begun <= at && at < simulation.until ? simulation : null;
}

/** The book as it is shown at the view's own instant, for rules. */
export function simulateView(view: View, simulation: Simulation | null | undefined): View {
  const running = runningSimulation(simulation, view.at);
  return running ? { ...view, day: (date) => simulateDay(view.day(date), running) } : view;
}

/**
 * A day as it is shown: like one whose colour is official, so that every rule passes, and marked. Its rates are the true
 * ones, and an official rouge is never shown as anything milder.
 */
function simulateDay<Day extends DayFacts>(day: Day, simulation: Simulation | null): Day {
  if (!simulation || day.date !== simulation.date) return day;
  if (day.official && day.color === "rouge") return day;
  const { color } = simulation;
  return { ...day, color, confidence: 1, official: true, stage: "final", ...MARK };
}

/** The moment as it is shown. How far the announcement is stays true. */
export function simulateMoment(moment: MomentFacts, simulation: Simulation | null): MomentFacts {
  if (!simulation) return moment;
  const { now, next, days, boundaries } = moment;
  const show = <Day extends DayFacts>(day: Day) => simulateDay(day, simulation);
  const { today, tomorrow, d2, d3, d4, d5, d6, d7 } = days;
  return {
    ...moment,
    now: show(now),
    next: show(next),
    days: {
      today: show(today),
      tomorrow: show(tomorrow),
      d2: show(d2),
      d3: show(d3),
      d4: show(d4),
      d5: show(d5),
      d6: show(d6),
      d7: show(d7),
    },
    // No pretended colour outlives its end on the broker.
    boundaries: {
      ...boundaries,
      day: Math.min(boundaries.day, simulation.until),
      midnight: Math.min(boundaries.midnight, simulation.until),
    },
  };
}

/** As the state file kept it; what is no simulation is none. */
export function readSimulation(kept: unknown): Simulation | null {
  return simulationSchema.safeParse(kept).data ?? null;
}

const MARK = { source: "simulation", explanation: null } as const;

const simulationSchema: z.ZodType<Simulation> = z.object({
  color: z.enum(COLORS),
  from: z.enum(["now", "next"]),
  date: z.iso.date(),
  begun: z.number(),
  until: z.number(),
});
