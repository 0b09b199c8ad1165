import type { Instant, Tariff } from "../calendar/tariff.ts";
import { datedFacts } from "./dated-facts.ts";
import { withoutLaws } from "./day-facts.ts";
import type { Facts, FactsInput, MomentFacts, Simulation } from "./facts.ts";
import { momentFacts } from "./moment-facts.ts";
import { officialBoundaries, officialFacts } from "./official-facts.ts";
import { downFrom, serviceFacts } from "./service-facts.ts";
import { runningSimulation } from "./simulation.ts";
import { type View, viewAt } from "./view.ts";

/** Everything that is true at one instant, as far as it is known. */
export function deriveFacts(input: FactsInput, tariff: Tariff): Facts {
  const { at, right } = input.clock;
  const view = viewAt(input.knownDays, at, tariff);
  const running = runningSimulation(input.simulation, at);
  // What was pretended for `next` is `now` when its day has begun.
  const simulation: Simulation | null = running && {
    ...running,
    from: running.date === view.now ? "now" : "next",
  };
  const moment = momentFacts(view, input.late_after, simulation);
  const knownMoment = right ? moment : null;
  return {
    at,
    moment: knownMoment,
    dated: datedFacts(right ? view : viewWithoutLaws(view), input.service),
    service: serviceFacts(input, knownMoment),
    official: officialFacts(input.official, at),
    simulation,
    next_boundary: nextBoundary(moment, input, simulation?.until),
  };
}

/** By a clock that is wrong, vigie does not say what nobody has named. */
function viewWithoutLaws(view: View): View {
  return { ...view, day: (date) => withoutLaws(view.day(date), view.knownDays.days[date]) };
}

/** A price row begins with a tariff day, so it needs no boundary of its own. */
function nextBoundary(
  { boundaries }: MomentFacts,
  input: FactsInput,
  simulationEnd = Number.POSITIVE_INFINITY,
): Instant {
  const { clock, service, official } = input;
  const down = service.kind === "real" ? downFrom(input) : Number.POSITIVE_INFINITY;
  const instants = [...Object.values(boundaries), down, ...officialBoundaries(official), simulationEnd];
  return Math.min(...instants.filter((instant) => instant > clock.at));
}
