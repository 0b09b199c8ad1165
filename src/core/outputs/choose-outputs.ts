import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import type { Verdict } from "../rules/verdict.ts";
import { markSimulated } from "./mark-simulated.ts";
import type { Choice, Output, Outputs, Payload } from "./output.ts";
import {
  expectationOf,
  isOfChoice,
  isStillTried,
  isTriedSoon,
  lastSent,
  type OutputsState,
  recentDelivery,
  recordOf,
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

interface ChosenSends {
  sends: Sending[];
  /** Those that are no longer wanted are marked. */
  state: OutputsState;
  /** The keys of the outputs that have the payload of a choice whose rule is ON: not that of `else` or `unknown`. */
  choicesOn: ReadonlySet<string>;
}

/**
 * The payloads that each output has to send now. An output that throws keeps its state and sends nothing.
 */
export function chooseOutputs(
  { list, dry_when_simulated }: Outputs,
  both: BothVerdicts,
  state: OutputsState,
  at: Instant,
  protect: Protect = UNPROTECTED,
): ChosenSends {
  const known = dry_when_simulated ? both.withoutSimulation : both.withSimulation;
  const sends: Sending[] = [];
  const choicesOn = new Set<string>();
  let next = state;
  const chooseOne = (output: Output) => {
    const { key } = output;
    const sent = lastSent(state, key);
    const chosen = choosePayload(output, known.verdicts);
    if (typeof chosen !== "string" && chosen.kind === "choice") choicesOn.add(key);
    const { send, change } = output.message
      ? decideMessage(output, chosen, sent, { known, real: both.withoutSimulation, at })
      : decidePayload(output, chosen, sent, known.facts);
    if (send) sends.push(send);
    if (change) next = recordOf(next, key, change);
  };
  for (const output of list) protect(`the payload of output ${output.id}`, () => chooseOne(output));
  return { sends, state: next, choicesOn };
}

/** What is sent now, or what changes of what was sent last. */
interface Decision {
  send?: Sending;
  change?: Partial<Sent>;
}

function decidePayload(output: Output, chosen: Chosen, sent: Sent | undefined, facts: Facts): Decision {
  if (chosen === "nothing") return { change: { stands: false } };
  if (chosen === "what was sent last")
    return sent && isStillTried(sent, sent.payload) ? { send: sendAgain(output, sent) } : {};
  const send = composeSend(output, chosen, facts);
  if (!sent) return chosen.kind === "else" ? {} : { send };
  if (isPayloadDue(send.payload, chosen.kind, sent)) return { send };
  const { choice, because } = send;
  return { change: { stands: true, choice, because, ...expectationOf(sent, send.expect) } };
}

/**
 * A message is sent once when its choice begins, also if what it says changes later: each try of it says the same. If nobody knows
 * whether it has arrived, it is sent twice more. If its choice comes back soon with the same text, nobody has to read it again.
 */
function decideMessage(
  output: Output,
  chosen: Chosen,
  sent: Sent | undefined,
  { known, real, at }: { known: VerdictsAndFacts; real: VerdictsAndFacts; at: Instant },
): Decision {
  if (chosen === "nothing") return { change: { stands: false } };
  if (chosen === "what was sent last") return {};
  const send = composeMessage(output, chosen, known.facts, real);
  if (!sent) return { send };
  const { choice, because, pretended } = send;
  if (sent.stands && sent.choice === choice && sent.pretended === pretended)
    return sent.acknowledged || sent.tries >= MESSAGE_TRIES ? {} : { send: sendAgain(output, sent) };
  const delivered = recentDelivery(sent, send.payload, at);
  if (!delivered && isTriedSoon(sent, send.payload, at) && sent.tries >= MESSAGE_TRIES)
    return { change: { choice, because, pretended, stands: true } };
  if (!delivered) return { send };
  return { change: { ...delivered, choice, because, pretended, stands: true, acknowledged: true } };
}

/** A choice that is in force without the simulation, too, says what is true then. */
function composeMessage(
  output: Output,
  chosen: ChosenPayload,
  facts: Facts,
  { verdicts, facts: realFacts }: VerdictsAndFacts,
): Sending {
  const real = choosePayload(output, verdicts);
  if (typeof real !== "string" && real.choice === chosen.choice) return composeSend(output, real, realFacts);
  const send = composeSend(output, chosen, facts);
  const { to } = output;
  const contentType = to.kind === "http" ? to.content_type : undefined;
  return { ...send, payload: markSimulated(send.payload, contentType), pretended: true };
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
  if (isPayloadDue(payload, chosen.kind, sent)) return null;
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
  return !isReal && isPayloadDue(payload, pretended.kind, sent) ? payload : null;
}

interface ChosenPayload extends Payload {
  kind: "choice" | "else" | "unknown";
  /** The id of the rule that decides, `else` or `unknown`. */
  choice: string;
  because: string;
}

type Chosen = ChosenPayload | "nothing" | "what was sent last";

/** The first choice that is not OFF decides. */
function choosePayload(output: Output, verdicts: VerdictsAndFacts["verdicts"]): Chosen {
  const stateOf = ({ when }: Choice) => verdicts.get(when)?.state ?? null;
  const choice = output.choose.find((one) => stateOf(one) !== false);
  if (!choice) {
    if (output.else === undefined) return "nothing";
    const because = describeAllOff(output.choose);
    return { ...output.else, kind: "else", choice: "else", because };
  }
  const { when, ...payload } = choice;
  if (stateOf(choice) === true) return { ...payload, kind: "choice", choice: when, because: `${when} is ON` };
  const reason = verdicts.get(when)?.reason;
  // Within seconds the rule may be known; and an error of vigie itself must switch nothing.
  const isUndecided = reason === "waiting" || reason === "error";
  if (output.unknown === undefined || isUndecided) return "what was sent last";
  const because = `${when} is unknown`;
  return { ...output.unknown, kind: "unknown", choice: "unknown", because };
}

function describeAllOff(choices: readonly Choice[]): string {
  const rules = [...new Set(choices.map(({ when }) => when))];
  const last = rules.pop();
  return rules.length === 0 ? `${last} is OFF` : `${rules.join(", ")} and ${last} are OFF`;
}

/**
 * A payload without an acknowledgement is sent again. So is the payload of a choice that begins, though it is the one that was
 * sent last, before or as `else`: the device may have been switched by hand in between. `else` is sent only if a choice was sent
 * before: vigie does not undo what it did not do.
 */
function isPayloadDue(payload: string, kind: ChosenPayload["kind"], sent: Sent | undefined): boolean {
  if (!sent) return kind !== "else";
  if (sent.payload !== payload || !sent.acknowledged) return true;
  return (kind !== "else" && !sent.stands) || (kind === "choice" && !isOfChoice(sent));
}

/** How many times a message is sent of which nobody knows whether it has arrived. */
export const MESSAGE_TRIES = 3;

function composeSend(
  output: Output,
  { payload: template, expect = template, choice, because }: ChosenPayload,
  facts: Facts,
): Sending {
  return {
    key: output.key,
    id: output.id,
    message: output.message,
    payload: fillPlaceholders(template, facts),
    expect: output.confirm ? fillPlaceholders(expect, facts) : null,
    choice,
    because,
    pretended: false,
  };
}

/** What was sent last stands, but has not arrived, as far as is known. */
function sendAgain(output: Output, { payload, expect, choice, because, pretended }: Sent): Sending {
  return {
    key: output.key,
    id: output.id,
    message: output.message,
    payload,
    expect,
    choice: choice ?? "unknown",
    because: because ?? "what was sent last stands",
    pretended,
  };
}
