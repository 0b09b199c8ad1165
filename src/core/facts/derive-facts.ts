import type { Instant, Tariff } from "../calendar/tariff.ts";
import { NO_KNOWN_DAYS } from "../days/known-days.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { datedFacts } from "./dated-facts.ts";
import { withoutLaws } from "./day-facts.ts";
import { type DaysView, daysAt } from "./days-view.ts";
import type { DatedFacts, Facts, FactsInput, MomentFacts, Simulation } from "./facts.ts";
import { momentFacts } from "./moment-facts.ts";
import { officialFacts, serviceFacts } from "./service-facts.ts";
import { runningSimulation } from "./simulation.ts";
import { sourceBoundaries } from "./source-record.ts";

/**
 * Everything that is true at one instant, as far as it is known. What carries its own date is only shown: an error of vigie itself in
 * it, which the known days bring about, leaves it empty, and the moment as it is.
 */
export function deriveFacts(input: FactsInput, tariff: Tariff, protect: Protect = UNPROTECTED): Facts {
  const { at, right } = input.clock;
  const view = daysAt(input.knownDays, at, tariff);
  const running = runningSimulation(input.simulation, at);
  // What was pretended for `next` is `now` when its day has begun.
  const simulation: Simulation | null = running && {
    ...running,
    from: running.date === view.now ? "now" : "next",
  };
  const moment = momentFacts(view, input.late_after, simulation);
  const knownMoment = right ? moment : null;
  const hasService = input.service !== null;
  let dated: DatedFacts | undefined;
  protect("facts that carry a date", () => {
    dated = datedFacts(right ? view : viewWithoutLaws(view), hasService);
  });
  return {
    at,
    moment: knownMoment,
    dated: dated ?? datedFacts(daysAt(NO_KNOWN_DAYS, at, tariff), hasService),
    service: serviceFacts(input, knownMoment),
    official: officialFacts(input.official, at),
    simulation,
    next_boundary: nextBoundary(moment, input, simulation?.until),
  };
}

/** By a clock that is wrong, vigie does not say what nobody has named. */
function viewWithoutLaws(view: DaysView): DaysView {
  return { ...view, day: (date) => withoutLaws(view.day(date), view.knownDays.days[date]) };
}

/** A price row begins with a tariff day, so it needs no boundary of its own. */
function nextBoundary(
  { boundaries }: MomentFacts,
  input: FactsInput,
  simulationEnd = Number.POSITIVE_INFINITY,
): Instant {
  const { clock, service, official } = input;
  const instants = [
    ...Object.values(boundaries),
    ...sourceBoundaries(service, clock.at),
    ...sourceBoundaries(official, clock.at),
    simulationEnd,
  ];
  return Math.min(...instants.filter((instant) => instant > clock.at));
}
