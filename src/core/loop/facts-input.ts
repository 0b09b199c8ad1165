import type { Clocks } from "../calendar/clocks.ts";
import type { FactsInput } from "../facts/facts.ts";
import { endIfSetBack } from "../facts/simulation.ts";
import type { SourceRecord } from "../facts/source-record.ts";
import type { SourceId } from "../sources/source.ts";
import type { Known } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { timeOf } from "./told-time.ts";

/** What facts are derived from. The outputs that have failed are added later. */
export function gatherFactsInput(known: Known, at: Clocks, config: LoopConfig): FactsInput {
  const { kept, passing } = known;
  const clock = timeOf(known, at, config);
  return {
    knownDays: kept.days,
    ...recordsOf(known),
    clock,
    late_after: config.late_after,
    poll_every: config.times.every,
    simulation: endIfSetBack(kept.simulation, { at: clock.at, before: kept.rules.at }),
    failed_outputs: [],
    vigie_failed: passing.vigieFailed,
  };
}

/** How each source answers. */
export function recordsOf({ passing }: Known): Pick<FactsInput, SourceId> {
  const { service, official } = passing.sources;
  return { service: service?.record ?? NO_SERVICE, official: official?.record ?? null };
}

const NO_SERVICE: SourceRecord = {
  started_at: 0,
  last_success: null,
  shown_success: null,
  shown_update: null,
  failure: null,
  light: null,
  season: null,
  kind: "none",
};
