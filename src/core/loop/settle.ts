import type { Clocks } from "../calendar/clocks.ts";
import type { LogLine } from "../log/log-line.ts";
import type { Protect } from "../log/protect.ts";
import type { BothVerdicts } from "../outputs/choose-outputs.ts";
import { nextOutputBoundary } from "../outputs/outputs-part.ts";
import { settleOutputs } from "../outputs/settle-outputs.ts";
import { endMeanwhile, switchedAt } from "../rules/rule-settings.ts";
import { pollEnd } from "../sources/poll.ts";
import { type Evaluation, evaluate } from "./evaluate.ts";
import { type Known, outputsOf, say, withOutputs, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { mayDecide, partOf } from "./poll-sources.ts";
import { hangsAt, nextSaving, noteRules } from "./saving.ts";
import { trustInClock, waitsForTimeUntil } from "./told-time.ts";

export interface Settled {
  known: Known;
  /** What it was settled by. */
  evaluation: Evaluation;
}

/**
 * What has to be remembered of this instant: since when rules are as they are, what is sent to devices. A second time at the same
 * instant changes nothing. A rule or an output that throws is remembered as it was.
 */
export function settle(
  before: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): Settled {
  const evaluation = evaluate(before, at, config, protect);
  let known = withPassing(before, { values: { ...before.passing.values, readings: evaluation.readings } });
  if (evaluation.factsInput.clock.right) known = endSettings(settleRules(known, evaluation), evaluation);
  protect("outputs", () => {
    const outputs = settleOutputs(outputsOf(known), at, {
      outputs: config.outputs,
      verdicts: waitsForTimeUntil(known, at.steady) === null ? verdictsFor(known, config, evaluation) : null,
      clock: trustInClock(known, evaluation.factsInput.clock, at),
      protect,
    });
    known = withOutputs(known, outputs);
  });
  return { known, evaluation };
}

/** When time alone makes something else due, by the clock that is never set. */
export function nextSettling(known: Known, { steady }: Clocks, config: LoopConfig): number {
  const { saving } = known.passing;
  const polls = config.sources.map((source) => {
    const part = partOf(known, source);
    return (part && pollEnd(part)) ?? NEVER;
  });
  return Math.min(
    ...polls,
    nextSaving(saving, config),
    nextOutputBoundary(outputsOf(known)),
    hangsAt(saving, config) ?? NEVER,
    waitsForTimeUntil(known, steady) ?? NEVER,
  );
}

/** null: nothing is decided before the end of the first polls ever. While the clock is wrong, each rule is unknown. */
export function verdictsFor(
  known: Known,
  config: LoopConfig,
  { factsAt, verdicts, real, factsInput: { clock } }: Evaluation,
): BothVerdicts | null {
  if (!mayDecide(known, config)) return null;
  const byId = (list: Evaluation["verdicts"]) =>
    new Map((clock.right ? list : []).map((verdict) => [verdict.rule.id, verdict]));
  return {
    withSimulation: { at: clock.at, verdicts: byId(verdicts), factsAt },
    withoutSimulation: { at: clock.at, verdicts: byId(real.verdicts), factsAt: real.factsAt },
  };
}

function settleRules(known: Known, { at, next, holds, saving }: Evaluation): Known {
  const { rules } = known.kept;
  const isSame = next.at === rules.at && next.rules === rules.rules && next.truths === rules.truths;
  if (isSame && next.official === rules.official && holds === known.passing.holds) return known;
  return {
    kept: { ...known.kept, rules: next },
    passing: { ...known.passing, holds, saving: noteRules(known.passing.saving, saving, at.steady) },
  };
}

/** After the evaluation, which may need to know when a time was over for which a command had switched a rule, or pretended a colour. */
function endSettings(known: Known, { factsInput: { clock, simulation } }: Evaluation): Known {
  const { kept } = known;
  const { settings, ended } = endMeanwhile(kept.settings, clock.at);
  if (settings === kept.settings && simulation === kept.simulation) return known;
  return say(
    { ...known, kept: { ...kept, settings, simulation } },
    ended.map((id) => describeSwitchedBack(id, switchedAt(settings, id, clock.at).enabled)),
  );
}

function describeSwitchedBack(rule: string, enabled: boolean): LogLine {
  const [now, before] = enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
  const sentence = `Rule ${rule} is ${now} again: the time for which a command had ${before} it is over`;
  return { level: "info", sentence };
}

const NEVER = Number.POSITIVE_INFINITY;
