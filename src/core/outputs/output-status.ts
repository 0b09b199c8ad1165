import { MESSAGE_TRIES } from "./choose-outputs.ts";
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
  /** What it would send if a simulation reached the devices, or in a demonstration; null: nothing else. */
  would_send: string | null;
}

interface StatusInput {
  sent: Sent | undefined;
  /** The broker or the address does not take the payload. */
  isRefused: boolean;
  /** A payload is given out, or waits for its next try. */
  isUnderWay: boolean;
  /** The payload was repeated in vain, or something switches the device back each time it is told. */
  isStuck: boolean;
  would_send: string | null;
}

export function outputStatus(output: Output, input: StatusInput): OutputStatus {
  const { sent, isStuck, would_send } = input;
  if (hasFailed(output, input)) return { output, sent, would_send, state: "failed", hasFailed: true };
  const state = would_send === null ? stateOf(output, sent) : "dry";
  return { output, sent, would_send, state, hasFailed: isStuck };
}

function hasFailed({ confirm, message }: Output, { sent, isRefused, isUnderWay }: StatusInput): boolean {
  if (isRefused) return true;
  if (!sent?.stands) return false;
  if (message) return !(sent.acknowledged || isUnderWay) && sent.tries >= MESSAGE_TRIES;
  return confirm !== undefined && sent.answer === "missed";
}

function stateOf({ confirm }: Output, sent: Sent | undefined): OutputState {
  if (!sent) return "nothing";
  // A payload that is not wanted any more is not sent again, and what its device does then is its own business.
  if (!sent.stands) return "sent";
  if (confirm && sent.answer === "heard") return "confirmed";
  if (confirm && sent.answer === "contrary") return "contrary";
  return !sent.acknowledged || (confirm && sent.answer === "awaited") ? "waiting" : "sent";
}

/** The outputs that have a problem, as people call them. */
export function nameFailedOutputs(statuses: readonly OutputStatus[]): string[] {
  return statuses.filter(({ hasFailed }) => hasFailed).map(({ output }) => describeOutput(output));
}
