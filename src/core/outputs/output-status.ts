import { describeOutput, type Output } from "./output.ts";
import { isUnconfirmed, type Sent } from "./outputs-state.ts";

export const OUTPUT_STATES = ["nothing", "sent", "waiting", "confirmed", "failed", "dry"] as const;
export type OutputState = (typeof OUTPUT_STATES)[number];

/** What is known of an output: what was sent, and whether its device has confirmed it. */
export interface OutputStatus {
  output: Output;
  state: OutputState;
  sent: Sent | undefined;
  /** What it would send if a simulation reached the devices, or in a demonstration; null: nothing else. */
  would_send: string | null;
}

interface StatusInput {
  sent: Sent | undefined;
  /** The broker refuses the payload. */
  isRefused: boolean;
  would_send: string | null;
}

export function outputStatus(output: Output, { sent, isRefused, would_send }: StatusInput): OutputStatus {
  const hasFailed = isRefused || (output.confirm && sent && isUnconfirmed(sent) && sent.answer === "missed");
  if (hasFailed) return { output, sent, would_send, state: "failed" };
  return { output, sent, would_send, state: would_send === null ? stateOf(output, sent) : "dry" };
}

function stateOf({ confirm }: Output, sent: Sent | undefined): OutputState {
  if (!sent) return "nothing";
  if (confirm && sent.answer === "heard") return "confirmed";
  // A payload that is not wanted any more is not sent again.
  if (!sent.stands) return "sent";
  return !sent.acknowledged || (confirm && sent.answer === "awaited") ? "waiting" : "sent";
}

/** The outputs that have a problem, as people call them. */
export function nameFailedOutputs(statuses: readonly OutputStatus[]): string[] {
  return statuses.filter(({ state }) => state === "failed").map(({ output }) => describeOutput(output));
}
