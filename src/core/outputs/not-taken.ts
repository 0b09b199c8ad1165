import type { Clocks } from "../calendar/clocks.ts";
import type { LogLine, ProblemLine } from "../log/log-line.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { describeOutput, describeTaken, type Output, placeOf } from "./output.ts";

/** Why the broker or an address did not take what it was sent. */
export interface Failure {
  why: string;
  isRefused: boolean;
  /** There was an answer, which means "later". */
  isBusy: boolean;
  /** It was written, and nothing was answered. */
  mayHaveArrived: boolean;
  /** How many milliseconds vigie was asked to wait; null: it was not asked. */
  retryAfter: number | null;
}

/** What was not taken is tried again: an access list may be corrected, and a device may come back. By the steady clock. */
export interface Retry {
  since: number;
  at: number;
  /** It was not taken for too long, or was refused: it is tried every ten minutes. */
  isSlow: boolean;
  /** It was slow once: the problem stays until it is taken. */
  isProblem: boolean;
  /** The last try was written, and not answered. */
  mayHaveArrived: boolean;
}

/** `usual`: milliseconds to the next try, when it was tried for so long; `slowAfter`: how long it is tried so often. */
export function nextRetry(
  before: Retry | null,
  { isRefused, mayHaveArrived, retryAfter }: Failure,
  { usual, slowAfter }: { usual: (triedFor: number) => number; slowAfter: number },
  { steady }: Clocks,
): Retry {
  const since = isRefused ? steady : (before?.since ?? steady);
  const isSlow = isRefused || steady - since >= slowAfter;
  const wait = Math.max(isSlow ? PAUSE : usual(steady - since), retryAfter ?? 0);
  const isProblem = isSlow || before?.isProblem === true;
  return { since, at: steady + wait, isSlow, isProblem, mayHaveArrived };
}

/** Over MQTT each try may end the connection, which all devices need: the pause doubles. 30 s, then 60 s (tried for 30 s), 120 s (for 90 s). */
export function pauseOf(output: Output, every: number, triedFor: number): number {
  return isOverMqtt(output) ? Math.max(every, Math.min(triedFor + every, PAUSE)) : every;
}

export function isOverMqtt({ to }: Output): boolean {
  return to.kind === "mqtt";
}

export function sayNotTaken(
  output: Output,
  payload: string,
  { failure, isSlow }: { failure: Failure; isSlow: boolean },
): ProblemLine {
  const then = isSlow ? "It is sent again every ten minutes" : "It is sent again";
  const why = describeNotTaken(output, payload, failure);
  const starts = failure.isRefused ? `${why}; ${quotePayload(payload)} was not sent` : `${why}. ${then}`;
  return { problem: problemOf(output), starts };
}

/** A broker that ends the connection gives no reason. What it refuses has its topic; several devices may be at one address. */
export function describeNotTaken(output: Output, payload: string, { isRefused, why }: Failure): string {
  if (!isRefused) return `${describeOutput(output)} did not take ${quotePayload(payload)}: ${why}`;
  return isOverMqtt(output) ? why : `${output.name.en}: ${why}`;
}

export function saySent(output: Output, payload: string, because: string): LogLine[] {
  const sentence = `Sent ${quotePayload(payload)} to ${describeOutput(output)}: ${because}`;
  return [{ level: "info", sentence }, sayTaken(output)];
}

export function sayTaken(output: Output): ProblemLine {
  return { problem: problemOf(output), isOver: describeTaken(output) };
}

/** What is not sent any more is no problem. */
export function sayNotWanted(output: Output): ProblemLine {
  return { problem: problemOf(output), isOver: `Nothing has to be sent to ${placeOf(output)} any more` };
}

export function problemOf({ key }: Output): string {
  return `output ${key}`;
}

/** Milliseconds between two tries, when some were in vain. */
export const PAUSE = 600_000;
