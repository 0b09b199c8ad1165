import type { Instant } from "../calendar/tariff.ts";
import { isGivenUp } from "./messages.ts";
import { describeOutput, type Output } from "./output.ts";
import type { Sent } from "./outputs-state.ts";

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

/** What is known of an output: what was sent, and whether its device has confirmed it. */
export interface OutputStatus {
  output: Output;
  state: OutputState;
  /** The device does not do what it was sent, and vigie cannot bring it to do so. */
  hasFailed: boolean;
  sent: Sent | undefined;
  /** When it is sent or told next, if vigie has slowed down because it was in vain; null: it has not. */
  next_try: Instant | null;
  /** What it would send if a simulation reached the devices, or in a demonstration; null: nothing else. */
  would_send: string | null;
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
  if (output.message) return isGivenUp(output, sent);
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
