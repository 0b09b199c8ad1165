import { addDays, datesBetween } from "../calendar/dates.ts";
import type { Tariff } from "../calendar/tariff.ts";
import type { DatedFacts, DayFacts, Facts, FactsInput, PollRecord } from "./facts.ts";
import { momentFacts } from "./moment-facts.ts";
import { nextChange } from "./next-changes.ts";
import { nextDayOfColor } from "./next-day-of-color.ts";
import { pricesNow } from "./prices.ts";
import { rateSpans } from "./rate-spans.ts";
import { seasonFacts } from "./season-facts.ts";
import { serviceFacts } from "./service-facts.ts";
import { runningSimulation, simulateMoment } from "./simulation.ts";
import { type View, viewKnownDays } from "./view.ts";

/** Everything that is true at one instant, so far as it is known. */
export function deriveFacts(known: FactsInput, tariff: Tariff): Facts {
  const view = viewKnownDays(known, tariff);
  const moment = known.clock.right ? momentFacts(view, known.late_after) : null;
  const simulation = runningSimulation(known.simulation, view.at);
  return {
    at: view.at,
    moment: moment && simulateMoment(moment, simulation),
    dated: datedFacts(view, known.polls),
    service: serviceFacts(known, moment),
    ...(simulation && { simulation }),
  };
}

function datedFacts(view: View, { shown_update }: PollRecord): DatedFacts {
  return {
    yesterday: yesterdayFacts(view),
    next_change: nextChange(view),
    next_rouge: nextDayOfColor("rouge", view),
    next_blanc: nextDayOfColor("blanc", view),
    forecast: { updated_at: shown_update, days: forecastDays(view) },
    rates: rateSpans(view, (day) => day.official),
    rates_forecast: rateSpans(view, () => true),
    prices: pricesNow(view),
    ...seasonFacts(view),
  };
}

function yesterdayFacts({ knownDays, today }: View): DatedFacts["yesterday"] {
  const date = addDays(today, -1);
  const { official, prediction } = knownDays.days[date] ?? {};
  return {
    date,
    color: official?.color ?? null,
    predicted_color: prediction?.color ?? null,
    prediction_confidence: prediction?.confidence ?? null,
  };
}

/** The days of the horizon that the book knows anything of, be it only that they were named. */
function forecastDays({ knownDays, today, last, day }: View): DayFacts[] {
  return datesBetween(today, last)
    .filter((date) => knownDays.days[date]?.official ?? knownDays.days[date]?.forecast)
    .map(day);
}
