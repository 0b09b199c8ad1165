import { civilDate, nextDayStart, nextMidnight, wallInstant } from "../calendar/dates.ts";
import { nextPeriodChange } from "../calendar/period.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { FactsInput } from "./facts.ts";
import { downFrom } from "./service-facts.ts";
import { runningSimulation } from "./simulation.ts";

/** The earliest instant after this one at which time alone can change a fact. Price rows begin with their day. */
export function nextBoundary(known: FactsInput, tariff: Tariff): Instant {
  const { clock, polls, late_after } = known;
  const { at } = clock;
  const zone = tariff.time_zone;
  const boundaries = [
    nextMidnight(at, zone),
    nextDayStart(at, tariff),
    nextPeriodChange(at, tariff) ?? Number.POSITIVE_INFINITY,
    wallInstant(civilDate(at, zone), late_after, zone),
    polls.simulated ? Number.POSITIVE_INFINITY : downFrom(polls),
    runningSimulation(known.simulation, at)?.until ?? Number.POSITIVE_INFINITY,
  ];
  return Math.min(...boundaries.filter((boundary) => boundary > at));
}
