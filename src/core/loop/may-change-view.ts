import type { Clocks } from "../calendar/clocks.ts";
import type { FactsInput } from "../facts/facts.ts";
import type { Protect } from "../log/protect.ts";
import { isShownOtherwise } from "../outputs/outputs-part.ts";
import { haveChanged } from "../rules/value-readings.ts";
import { readNow } from "./evaluate.ts";
import type { Event } from "./event.ts";
import type { Known } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { settleSaving } from "./saving.ts";
import { timeOf } from "./told-time.ts";

/**
 * Whether this event may change what is shown. A device may report ten times a second, and a value may come as often: most of them
 * change nothing, and cost no look. Nor does the end of a write that nothing has waited for.
 */
export function mayChangeView(
  event: Event,
  { before, known }: { before: Known; known: Known },
  at: Clocks,
  { config, shown, protect }: { config: LoopConfig; shown: FactsInput["clock"]; protect: Protect },
): boolean {
  if (event.kind === "values") return haveValuesChanged(before, known, at, { config, protect });
  // What a client has counted is only saved.
  if (event.kind === "source" && event.event.kind === "memory")
    return settleSaving(known, at, config) !== known;
  if (event.kind === "time") return before !== known || isClockOtherwise(known, at, config, shown);
  if (event.kind === "saved") return isSaveShown(before, known);
  if (event.kind !== "outputs" || event.event.kind !== "report") return true;
  const [one, other] = [before.passing.outputs, known.passing.outputs];
  return before.kept.outputs !== known.kept.outputs || isShownOtherwise(one, other);
}

/** Whether something has waited for this write, or whether the state can be saved is told otherwise. */
function isSaveShown({ passing: before }: Known, { passing }: Known): boolean {
  const [one, other] = [before.saving, passing.saving];
  return before.outputs !== passing.outputs || one.hangs !== other.hangs || one.problem !== other.problem;
}

/** By time alone: an answer counts for two hours, and the newest instant that is known passes. */
function isClockOtherwise(known: Known, at: Clocks, config: LoopConfig, shown: FactsInput["clock"]): boolean {
  const clock = timeOf(known, at, config);
  const isDoubted = clock.doubted_by !== undefined;
  return !clock.right || !shown.right || isDoubted !== (shown.doubted_by !== undefined);
}

function haveValuesChanged(
  before: Known,
  known: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): boolean {
  const [one, other] = [before.passing.values, known.passing.values];
  if (one.awaitedSince !== other.awaitedSince) return true;
  const { at: trueTime } = timeOf(known, at, config);
  return haveChanged(one.readings, readNow(known, { trueTime, steady: at.steady }, config, protect));
}
