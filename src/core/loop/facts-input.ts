import type { Clocks } from "../calendar/clocks.ts";
import type { FactsInput } from "../facts/facts.ts";
import { endIfSetBack } from "../facts/simulation.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { Known } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { timeOf } from "./told-time.ts";

/** What facts are derived from. The outputs that have failed are added later. */
export function gatherFactsInput(known: Known, at: Clocks, config: LoopConfig): FactsInput {
  const { kept, passing } = known;
  const clock = timeOf(known, at, config);
  return {
    knownDays: kept.days,
    ...recordsOf(known, config),
    isInvented: config.isInvented,
    clock,
    late_after: config.late_after,
    simulation: endIfSetBack(kept.simulation, { at: clock.at, before: kept.rules.at }),
    failed_outputs: [],
    vigie_failed: passing.vigieFailed,
  };
}

/** How each source that is asked answers. */
export function recordsOf({ kept }: Known, { sources }: LoopConfig): Pick<FactsInput, SourceId> {
  const recordOf = (source: SourceId) =>
    (sources.some(({ id }) => id === source) && kept.sources[source]) || null;
  return { service: recordOf("service"), official: recordOf("official") };
}
