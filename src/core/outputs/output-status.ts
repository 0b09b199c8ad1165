import type { Instant } from "../calendar/tariff.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { type BothVerdicts, payloadHeldBack } from "./choose-outputs.ts";
import { isGivenUp, pendingMessage } from "./decide-message.ts";
import type { MessageMachine } from "./message-machine.ts";
import { describeOutput, type Output, type Outputs } from "./output.ts";
import { messageOf, type OutputsPart, passingOf } from "./outputs-part.ts";
import { lastSent, type Sent } from "./outputs-state.ts";

export const OUTPUT_STATES = [
  "nothing",
  "sent",
  "waiting",
  "confirmed",
  "contrary",
  "failed",
  "dry",
] as const;
export type OutputState = (typeof OUTPUT_STATES)[number];

/** What was sent last, as people are shown it. */
export type ShownSent = Pick<
  Sent,
  | "payload"
  | "expect"
  | "at"
  | "acknowledged"
  | "choice"
  | "because"
  | "tries"
  | "last_answer"
  | "answered_at"
  | "away_since"
>;

/** What is known of an output: what was sent, and whether its device has confirmed it. */
export interface OutputStatus {
  output: Output;
  state: OutputState;
  /** The device does not do what it was sent, and vigie cannot bring it to do so. */
  hasFailed: boolean;
  sent: ShownSent | undefined;
  /** When it is sent or told next, if vigie has slowed down because it was in vain; null: it has not. */
  next_try: Instant | null;
  /** What it would send if a simulation reached the devices, or in a demonstration; null: nothing else. */
  would_send: string | null;
}

interface StatusContext {
  outputs: Outputs;
  /** null: nothing is decided yet. */
  verdicts: BothVerdicts | null;
  /** In a demonstration no device gets anything: what goes to its own broker is only what would be sent. */
  isDemo: boolean;
  /** An output that throws is as it was. */
  before?: readonly OutputStatus[];
  protect?: Protect;
}

/** What is known of each output, in the order of the configuration. */
export function outputStatuses(
  part: OutputsPart,
  { outputs, verdicts, isDemo, before = [], protect = UNPROTECTED }: StatusContext,
): OutputStatus[] {
  const mayHoldBack = outputs.dry_when_simulated ? verdicts : null;
  const statusOf = (output: Output): OutputStatus => {
    const status = output.message
      ? statusOfMessage(output, messageOf(part, output.key), mayHoldBack)
      : statusOfDevice(output, part, mayHoldBack);
    const { sent } = status;
    return isDemo && sent
      ? { ...status, state: "dry" as const, hasFailed: false, would_send: sent.payload }
      : status;
  };
  return outputs.list.flatMap((output) => {
    let status = before.find((one) => one.output.id === output.id);
    protect(`the state of output ${output.id}`, () => {
      status = statusOf(output);
    });
    return status ?? [];
  });
}

function statusOfDevice(output: Output, part: OutputsPart, mayHoldBack: BothVerdicts | null): OutputStatus {
  const sent = lastSent(part.kept.devices, output.key);
  const { retry, isChoiceOn, nextTry } = passingOf(part, output.key);
  const { stands = false, stuck = null } = sent ?? {};
  return outputStatus(output, {
    sent,
    isRefused: retry?.isSlow ?? false,
    isStuck: stands && (retry?.isProblem || stuck === "missed" || (stuck !== null && isChoiceOn !== false)),
    next_try: nextTry,
    would_send: mayHoldBack && payloadHeldBack(output, mayHoldBack, { sent }),
  });
}

function statusOfMessage(
  output: Output,
  { kept, passing: { inFlight, retry, nextTry } }: MessageMachine,
  mayHoldBack: BothVerdicts | null,
): OutputStatus {
  const would_send = mayHoldBack && payloadHeldBack(output, mayHoldBack, { messages: kept });
  const status = { output, next_try: nextTry, would_send };
  const isDry = would_send !== null;
  const { stands } = kept;
  const last = inFlight ? pendingMessage(output, kept) : kept.last;
  if (!last) return { ...status, state: isDry ? "dry" : "nothing", hasFailed: false, sent: undefined };
  const { text: payload, at, taken: acknowledged, choice, because, tries } = last;
  const ofDevice = { expect: null, last_answer: null, answered_at: null, away_since: null };
  const sent = { payload, at, acknowledged, choice, because, tries, ...ofDevice };
  if (retry?.isSlow || (stands && isGivenUp(output, last)))
    return { ...status, state: "failed", hasFailed: true, sent };
  const state = isDry ? "dry" : inFlight || (stands && !last.taken) ? "waiting" : "sent";
  return { ...status, state, hasFailed: stands && retry?.isProblem === true, sent };
}

interface StatusInput {
  sent: Sent | undefined;
  /** The broker or the address does not take the payload. */
  isRefused: boolean;
  /** The payload was repeated in vain, or something switches the device back each time it is told. */
  isStuck: boolean;
  next_try: Instant | null;
  would_send: string | null;
}

export function outputStatus(output: Output, input: StatusInput): OutputStatus {
  const { sent, isStuck, next_try, would_send } = input;
  const status = { output, sent, next_try, would_send };
  if (hasFailed(output, input)) return { ...status, state: "failed", hasFailed: true };
  const state = would_send === null ? stateOf(output, sent) : "dry";
  return { ...status, state, hasFailed: isStuck };
}

function hasFailed(output: Output, { sent, isRefused }: StatusInput): boolean {
  if (isRefused) return true;
  if (!sent?.stands) return false;
  return output.confirm !== undefined && sent.answer === "missed";
}

function stateOf({ confirm }: Output, sent: Sent | undefined): OutputState {
  if (!sent) return "nothing";
  // A payload that is not wanted any more is not sent again, and what its device does then is its own business.
  if (!sent.stands) return "sent";
  // What it did before it went away, and what it says beside it, is no tick.
  if (confirm && sent.answer === "heard") return sent.away_since === null ? "confirmed" : "sent";
  if (confirm && sent.answer === "contrary") return "contrary";
  return !sent.acknowledged || (confirm && sent.answer === "awaited") ? "waiting" : "sent";
}

/** The outputs that have a problem, as people call them. */
export function nameFailedOutputs(statuses: readonly OutputStatus[]): string[] {
  return statuses.filter(({ hasFailed }) => hasFailed).map(({ output }) => describeOutput(output));
}
