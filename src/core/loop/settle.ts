import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { LogLine } from "../log/log-line.ts";
import type { Protect } from "../log/protect.ts";
import type { BothVerdicts } from "../outputs/choose-outputs.ts";
import { forgetSaid, nextOutputBoundary } from "../outputs/outputs-part.ts";
import { settleOutputs } from "../outputs/settle-outputs.ts";
import { endMeanwhile, switchedAt } from "../rules/rule-settings.ts";
import { pollEnd } from "../sources/poll.ts";
import { type Evaluation, evaluate } from "./evaluate.ts";
import { type Known, outputsOf, say, withOutputs, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { partOf, settlePolls } from "./poll-sources.ts";
import { hangsAt, nextSaving, noteHang, noteRules, settleSaving } from "./saving.ts";
import { trustInClock, waitsForTimeUntil } from "./told-time.ts";

export interface Settled {
  known: Known;
  /** What it was settled by. */
  evaluation: Evaluation;
}

/** What may be due at any instant, also if nobody looks: polls, commands that come in force, and that the disk hangs. */
export function settleDue(
  before: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): Known {
  let known = before;
  protect("commands that come in force", () => {
    known = settleCommands(known, at);
  });
  protect("a disk that hangs", () => {
    known = noteHang(known, at.steady, config);
  });
  return settlePolls(known, at, { config, protect });
}

/**
 * What has to be remembered of this instant: since when rules are as they are, what is sent to devices, what is saved. A second
 * time at the same instant changes nothing. A rule or an output that throws is remembered as it was.
 */
export function settle(
  before: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): Settled {
  const evaluation = evaluate(before, at, config, protect);
  const { right, at: trueTime } = evaluation.known.clock;
  let known = withPassing(before, { values: { ...before.passing.values, readings: evaluation.readings } });
  if (right) known = endSettings(settleRules(known, evaluation), evaluation);
  protect("outputs", () => {
    const settled = settleOutputs(outputsOf(known), at, {
      outputs: config.outputs,
      verdicts: waitsForTimeUntil(known, at.steady) === null ? verdictsFor(known, evaluation) : null,
      clock: trustInClock(known, evaluation.known.clock, at),
      protect,
    });
    known = withOutputs(say(known, settled.passing.said), forgetSaid(settled));
  });
  return { known: settleSaving(known, { trueTime, steady: at.steady }, config), evaluation };
}

/** When time alone makes something else due; `trueTime` by the true time, `steady` by the clock that is never set. */
export function nextSettling(
  known: Known,
  { steady }: Clocks,
  config: LoopConfig,
): { trueTime: Instant; steady: number } {
  const { commands, saving } = known.passing;
  const polls = config.sources.map((source) => {
    const part = partOf(known, source);
    return (part && pollEnd(part)) ?? NEVER;
  });
  return {
    trueTime: nextSaving(saving, config),
    steady: Math.min(
      ...polls,
      commands.waiting ? commands.waiting.since + SAVED_WITHIN : NEVER,
      nextOutputBoundary(outputsOf(known)).steady ?? NEVER,
      hangsAt(saving, config) ?? NEVER,
      waitsForTimeUntil(known, steady) ?? NEVER,
    ),
  };
}

/** null: nothing is decided before the end of the first polls ever. While the clock is wrong, each rule is unknown. */
export function verdictsFor(
  known: Known,
  { facts, factsAt, verdicts, real, known: { clock } }: Evaluation,
): BothVerdicts | null {
  if (!known.passing.isPolled) return null;
  const byId = (list: Evaluation["verdicts"]) =>
    new Map((clock.right ? list : []).map((verdict) => [verdict.rule.id, verdict]));
  return {
    withSimulation: { verdicts: byId(verdicts), facts, factsAt },
    withoutSimulation: { verdicts: byId(real.verdicts), facts: real.facts, factsAt: real.factsAt },
  };
}

/** A disk that hangs keeps no command from being in force. */
function settleCommands(known: Known, { steady }: Clocks): Known {
  const { commands, saving } = known.passing;
  const { waiting } = commands;
  if (!waiting) return known;
  if (saving.ended < waiting.write && steady < waiting.since + SAVED_WITHIN) return known;
  const { settings, simulation } = known.kept;
  return say(withPassing(known, { commands: { settings, simulation, waiting: null } }), waiting.lines);
}

function settleRules(known: Known, { next, saving }: Evaluation): Known {
  const { rules } = known.kept;
  const isSame = next.at === rules.at && next.heard === rules.heard && next.rules === rules.rules;
  if (isSame || next.at === null) return known;
  return {
    kept: { ...known.kept, rules: next },
    passing: { ...known.passing, saving: noteRules(known.passing.saving, saving, next.at) },
  };
}

/** After the evaluation, which may need to know when a time was over for which a command had switched a rule, or pretended a colour. */
function endSettings(known: Known, { known: { clock, simulation } }: Evaluation): Known {
  const { kept, passing } = known;
  const { commands } = passing;
  const { settings, ended } = endMeanwhile(commands.settings, clock.at);
  if (ended.length === 0 && simulation === commands.simulation) return known;
  const changed: Known = {
    kept: {
      ...kept,
      settings: endMeanwhile(kept.settings, clock.at).settings,
      // Another one may be kept already, which is not in force before it is saved.
      simulation: kept.simulation === commands.simulation ? simulation : kept.simulation,
    },
    passing: { ...passing, commands: { ...commands, settings, simulation } },
  };
  return say(
    changed,
    ended.map((id) => describeSwitchedBack(id, switchedAt(settings, id, clock.at).enabled)),
  );
}

function describeSwitchedBack(rule: string, enabled: boolean): LogLine {
  const [now, before] = enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
  const sentence = `Rule ${rule} is ${now} again: the time for which a command had ${before} it is over`;
  return { level: "info", sentence };
}

const NEVER = Number.POSITIVE_INFINITY;
/** Milliseconds. */
const SAVED_WITHIN = 2_000;
