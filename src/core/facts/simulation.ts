import { z } from "zod";
import { addDays, dayStart, tariffDate } from "../calendar/dates.ts";
import { COLORS, type Color, type Instant, type Tariff } from "../calendar/tariff.ts";
import { dateSchema, instantSchema } from "../calendar/time-schemas.ts";
import type { DaysView } from "./days-view.ts";
import type { DayFacts, Simulation } from "./facts.ts";

/** What the command asks for: a colour, the tariff day it is pretended for, and how long (milliseconds). */
export interface SimulationRequest {
  color: Color;
  from: "now" | "next";
  for: number;
}

/** `rouge` and `rouge:now` are the tariff day in force, `rouge:next` is the one after it; undefined: it is neither. */
export function readPretendedDay(text: string): Omit<SimulationRequest, "for"> | undefined {
  const [word, from = "now", ...more] = text.toLowerCase().split(":");
  const color = COLORS.find((one) => one === word);
  return color && (from === "now" || from === "next") && more.length === 0 ? { color, from } : undefined;
}

/**
 * The date is fixed at the start: what was `next` stays pretended when it becomes `now`. The simulation ends with its day: it
 * would pretend nothing after it.
 */
export function startSimulation(request: SimulationRequest, at: Instant, tariff: Tariff): Simulation {
  const { color, from } = request;
  const now = tariffDate(at, tariff);
  const date = from === "now" ? now : addDays(now, 1);
  return endWithDay({ color, from, date, begun: at, until: at + request.for }, tariff);
}

/** The day may end earlier than it did at the start: its hours may be others after a reload. */
export function endWithDay(simulation: Simulation, tariff: Tariff): Simulation {
  const end = dayStart(addDays(simulation.date, 1), tariff);
  return end < simulation.until ? { ...simulation, until: end } : simulation;
}

/** The simulation, if it runs at this instant. Before its start it does not: the clock was set back since. */
export function runningSimulation(simulation: Simulation | null | undefined, at: Instant): Simulation | null {
  return simulation && simulation.begun <= at && at < simulation.until ? simulation : null;
}

/**
 * null if it would begin again by itself: because the clock was set back by more than its whole time, or to before its end, at
 * which it was looked at before. As long as the clock goes on it stays, also after its end: rules with a lag look back at it.
 */
export function endIfSetBack(
  simulation: Simulation | null,
  { at, before }: { at: Instant; before: Instant | null },
): Simulation | null {
  if (!simulation) return null;
  const { begun, until } = simulation;
  const isFarAhead = begun - at > until - begun;
  const wasOver = before !== null && before >= until && at < until;
  return isFarAhead || wasOver ? null : simulation;
}

/** The days as they are shown at the view's instant, with the colour that is pretended. */
export function simulateView(view: DaysView, simulation: Simulation | null | undefined): DaysView {
  const running = runningSimulation(simulation, view.at);
  return running ? { ...view, day: (date) => simulateDay(view.day(date), running) } : view;
}

/**
 * The day with the pretended colour. Like an official day, so all conditions accept it. Its rates stay the true ones,
 * and an official rouge stays rouge: a simulation must not hide a real rouge day.
 */
function simulateDay(day: DayFacts, { color, date }: Simulation): DayFacts {
  if (day.date !== date || (day.official && day.color === "rouge")) return day;
  return {
    ...day,
    color,
    confidence: 1,
    official: true,
    stage: "final",
    source: "simulation",
    explanation: null,
  };
}

/** Reads what the state file holds; anything but a simulation counts as none. */
export function readSimulation(kept: unknown): Simulation | null {
  return simulationSchema.safeParse(kept).data ?? null;
}

const simulationSchema: z.ZodType<Simulation> = z.object({
  color: z.enum(COLORS),
  from: z.enum(["now", "next"]),
  date: dateSchema,
  begun: instantSchema,
  until: instantSchema,
});
