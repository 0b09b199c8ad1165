import { quotePayload } from "../log/quote-payload.ts";
import { describeOutput, type Output } from "./output.ts";

/** Why the broker or an address did not take what it was sent. */
export interface Failure {
  message: string;
  isRefused: boolean;
  /** There was an answer, which means "later". */
  isBusy: boolean;
  /** It was written, and nothing was answered. */
  mayHaveArrived: boolean;
  /** How many milliseconds vigie was asked to wait; null: it was not asked. */
  retryAfter: number | null;
}

export function isOverMqtt({ to }: Output): boolean {
  return to.kind === "mqtt";
}

/** Over MQTT each try may end the connection, which all devices need: the pause doubles. 30 s, then 60 s (tried for 30 s), 120 s (for 90 s). */
export function pauseOf(output: Output, every: number, triedFor: number): number {
  return isOverMqtt(output) ? Math.max(every, Math.min(triedFor + every, PAUSE)) : every;
}

export function describeNotTaken(output: Output, payload: string, why: string): string {
  return `${describeOutput(output)} did not take ${quotePayload(payload)}: ${why}`;
}

/** Several devices may be at one address. What a broker refuses has its topic. */
export function nameRefusal({ name, to }: Output, message: string): string {
  return to.kind === "http" ? `${name.en}: ${message}` : message;
}

/** Milliseconds between two tries, when some were in vain. */
export const PAUSE = 600_000;
