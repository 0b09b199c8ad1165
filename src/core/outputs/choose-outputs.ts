import type { Facts } from "../facts/facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import type { Verdict } from "../rules/verdict.ts";
import { type Choice, describeOutput, type Output, type Outputs, type Payload } from "./output.ts";
import {
  lastSent,
  type OutputsState,
  recordExpectation,
  recordWanted,
  type Sending,
  type Sent,
} from "./outputs-state.ts";
import { fillPlaceholders } from "./placeholders.ts";

/** What decides the payloads: the verdict of each rule (null: unknown), and the facts for the placeholders. */
export interface VerdictsAndFacts {
  verdicts: ReadonlyMap<string, Pick<Verdict, "state"> & Partial<Pick<Verdict, "reason">>>;
  facts: Facts;
}

/** With the colour that is pretended, and without it; the same object while no simulation runs. */
export interface BothVerdicts {
  withSimulation: VerdictsAndFacts;
  withoutSimulation: VerdictsAndFacts;
}

/** One message to a device. */
export interface Send extends Sending {
  qos: Output["qos"];
  retain: boolean;
  /** What people call the device. */
  device: string;
}

/**
 * The payloads that each output has to send now, and the state in which those that are no longer wanted are marked. An output
 * that throws keeps its state and sends nothing.
 */
export function chooseOutputs(
  { list, dry_when_simulated }: Outputs,
  { withSimulation, withoutSimulation }: BothVerdicts,
  state: OutputsState,
  protect: Protect = UNPROTECTED,
): { sends: Send[]; state: OutputsState } {
  const { verdicts, facts } = dry_when_simulated ? withoutSimulation : withSimulation;
  const sends: Send[] = [];
  let next = state;
  const chooseOne = (output: Output) => {
    const chosen = choosePayload(output, verdicts);
    if (chosen === "what was sent last") return;
    if (chosen === "nothing") {
      next = recordWanted(next, output.topic, false);
      return;
    }
    const send = composeSend(output, chosen, facts);
    if (isDue(send.payload, chosen.isElse, lastSent(state, output.topic))) sends.push(send);
    else next = recordExpectation(recordWanted(next, output.topic, true), output.topic, send.expect);
  };
  for (const output of list) protect(`the payload for ${output.topic}`, () => chooseOne(output));
  return { sends, state: next };
}

/** Why an output sends nothing now, in words; null where it sends something. */
export function whyNothing(
  output: Output,
  { verdicts, facts }: VerdictsAndFacts,
  sent: Sent | undefined,
): string | null {
  const chosen = choosePayload(output, verdicts);
  if (chosen === "nothing") return `${describeAllOff(output.choose)}, and there is no else`;
  if (chosen === "what was sent last") {
    const deciding = output.choose.find(({ when }) => (verdicts.get(when)?.state ?? null) !== false);
    return `${deciding?.when} is unknown, so what was sent last stands`;
  }
  const payload = fillPlaceholders(chosen.payload, facts);
  if (isDue(payload, chosen.isElse, sent)) return null;
  const why = sent ? `${payload} was sent already` : "else is not sent before a choice was";
  return `${chosen.because}, and ${why}`;
}

/**
 * What an output does not send during a simulation because of `dry_when_simulated`; null where it sends the same as without
 * the simulation, or nothing.
 */
export function payloadHeldBack(
  output: Output,
  { withSimulation, withoutSimulation }: BothVerdicts,
  sent: Sent | undefined,
): string | null {
  const pretended = choosePayload(output, withSimulation.verdicts);
  if (typeof pretended === "string") return null;
  const payload = fillPlaceholders(pretended.payload, withSimulation.facts);
  const real = choosePayload(output, withoutSimulation.verdicts);
  const isReal =
    typeof real !== "string" && fillPlaceholders(real.payload, withoutSimulation.facts) === payload;
  return !isReal && isDue(payload, pretended.isElse, sent) ? payload : null;
}

interface Chosen extends Payload {
  isElse: boolean;
  choice: string;
  because: string;
}

/** The first choice that is not OFF decides. */
function choosePayload(
  output: Output,
  verdicts: VerdictsAndFacts["verdicts"],
): Chosen | "nothing" | "what was sent last" {
  const stateOf = ({ when }: Choice) => verdicts.get(when)?.state ?? null;
  const choice = output.choose.find((one) => stateOf(one) !== false);
  if (!choice) {
    if (output.else === undefined) return "nothing";
    return { ...output.else, isElse: true, choice: "else", because: describeAllOff(output.choose) };
  }
  const { when, ...payload } = choice;
  if (stateOf(choice) === true) return { ...payload, isElse: false, choice: when, because: `${when} is ON` };
  const reason = verdicts.get(when)?.reason;
  // Within seconds the rule may be known; and an error of vigie itself must switch nothing.
  const isUndecided = reason === "waiting" || reason === "error";
  if (output.unknown === undefined || isUndecided) return "what was sent last";
  return { ...output.unknown, isElse: false, choice: "unknown", because: `${when} is unknown` };
}

function describeAllOff(choices: readonly Choice[]): string {
  const rules = [...new Set(choices.map(({ when }) => when))];
  const last = rules.pop();
  return rules.length === 0 ? `${last} is OFF` : `${rules.join(", ")} and ${last} are OFF`;
}

/**
 * A payload without an acknowledgement is sent again. So is the payload of a choice that begins again, though it is the
 * one that was sent last: the device may have been switched by hand in between. `else` is sent only if a choice was
 * sent before: vigie does not undo what it did not do.
 */
function isDue(payload: string, isElse: boolean, sent: Sent | undefined): boolean {
  if (!sent) return !isElse;
  if (sent.payload !== payload || !sent.acknowledged) return true;
  return !isElse && !sent.stands;
}

function composeSend(
  output: Output,
  { payload: template, expect = template, choice, because }: Chosen,
  facts: Facts,
): Send {
  const { topic, qos, retain, confirm } = output;
  const payload = fillPlaceholders(template, facts);
  return {
    topic,
    payload,
    qos,
    retain,
    device: describeOutput(output),
    expect: confirm ? fillPlaceholders(expect, facts) : null,
    choice,
    because,
  };
}
