import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { LogLine } from "../log/log-line.ts";
import { quotePayload } from "../log/quote-payload.ts";
import {
  beginDue,
  decideMessage,
  isGivenUp,
  MOST_TRIES,
  oftenUntil,
  pauseAfter,
  pendingMessage,
  recordTry,
  type WantedMessage,
  withDue,
} from "./decide-message.ts";
import type { Flight } from "./due-send.ts";
import type { Message, Messages } from "./message.ts";
import { type Failure, nextRetry, type Retry, sayNotTaken, sayNotWanted, saySent } from "./not-taken.ts";
import { describeOutput, type Output } from "./output.ts";

/** The messages of one output: what is kept of them, and what passes. */
export interface MessageMachine {
  kept: Messages;
  passing: PassingMessage;
}

/** What ends with the process. Instants are those of the steady clock. */
export interface PassingMessage {
  /** A message was given out, and is not answered. */
  inFlight: Flight | null;
  /** `due` has to be saved before it is given out. */
  unsaved: Unsaved | null;
  /** `last` was tried in vain. */
  retry: Retry | null;
  /** When it is tried next, if vigie has slowed down; null: it has not. */
  nextTry: Instant | null;
}

export interface Unsaved {
  /** The change of what is kept that has to be saved. */
  change: number;
  /** From then on the save counts as failed. */
  limit: number;
}

export const NO_MESSAGE_PASSES: PassingMessage = {
  inFlight: null,
  unsaved: null,
  retry: null,
  nextTry: null,
};

/** What a machine is after something happened. */
export interface MessageStep extends MessageMachine {
  lines?: readonly LogLine[];
  /** When the change of what is kept has to be saved, if there is one. */
  saved: "before it is sent" | "now" | "with the next save";
}

/** The rules want this message now; null: none. */
export function followRules(
  { kept: before, passing }: MessageMachine,
  output: Output,
  { wanted, at, ...by }: { wanted: WantedMessage | null; facts: Facts; at: Clocks; mayBegin: boolean },
): MessageStep {
  const kept = decideMessage(output, wanted, before, { ...by, at: at.now });
  const pending = pendingMessage(output, kept);
  if (!pending) {
    const lines = passing.retry ? [sayNotWanted(output)] : [];
    return { kept, passing: { ...passing, unsaved: null, retry: null }, lines, saved: "now" };
  }
  const isSame = pendingMessage(output, before)?.at === pending.at;
  const retry = (isSame ? passing.retry : null) ?? retryOf(pending, output, at);
  const saved = kept.due === before.due ? "now" : "before it is sent";
  return { kept, passing: { ...passing, retry }, saved };
}

/**
 * One that may have arrived before a restart, or before its choice ended, is tried again when it would be without that. null: there was
 * no such try.
 */
function retryOf({ tried_at, tries }: Message, output: Output, at: Clocks): Retry | null {
  if (tried_at === null) return null;
  const pause = pauseAfter(output, tries);
  const due = at.steady + Math.min(Math.max(0, tried_at + pause - at.now), pause);
  return { since: at.steady, at: due, isSlow: false, isProblem: false, mayHaveArrived: true };
}

/** From when on a message may be given out; infinite: none is pending, or one is not answered yet. */
export function messageDueAt({ kept, passing }: MessageMachine, output: Output, at: Clocks): number {
  const { inFlight, unsaved, retry } = passing;
  if (inFlight || !pendingMessage(output, kept)) return NEVER;
  return Math.max(at.steady, unsaved?.limit ?? 0, retry?.at ?? 0);
}

/** When a message may be chosen again, as there were six within an hour; infinite: one may now. */
export function allowedAgainAt({ kept }: MessageMachine, at: Clocks): number {
  const often = oftenUntil(kept.tried, at.now);
  return often === null ? NEVER : at.steady + Math.max(1, often - at.now);
}

/** It was given out, and will never be written. */
export function noteWithdrawn({ kept, passing }: MessageMachine): MessageStep {
  return { kept: withDue(kept, null), passing: { ...passing, inFlight: null }, saved: "with the next save" };
}

export function noteTaken({ kept, passing }: MessageMachine, output: Output, at: Clocks): MessageStep {
  const taken = recordTry(kept, { isTaken: true, at: at.now });
  return {
    kept: taken,
    passing: { ...passing, inFlight: null, retry: null },
    lines: taken.last ? saySent(output, taken.last.text, taken.last.because) : [],
    saved: "now",
  };
}

/** `isLost`: the connection to the broker ended before it was acknowledged. The connection has its own problem. */
export function noteFailed(
  { kept: before, passing }: MessageMachine,
  output: Output,
  failure: Failure & { isLost?: boolean },
  at: Clocks,
): MessageStep {
  const { mayHaveArrived, isBusy, isLost } = failure;
  // A try counts if it may have arrived: a person reads each.
  const kept = mayHaveArrived ? recordTry(before, { isTaken: false, at: at.now }) : beginDue(before);
  const ended = { ...passing, inFlight: null, retry: null };
  const { last } = kept;
  if (!last) return { kept, passing: ended, saved: "now" };
  // One that is tried without end must not wear out the disk.
  const saved = last.tries > MOST_TRIES ? "with the next save" : "now";
  if (isGivenUp(output, last)) return { kept, passing: ended, lines: [sayGivenUp(last, output)], saved };
  const usual = () => (mayHaveArrived ? pauseAfter(output, last.tries) : EVERY);
  // A service that cannot be reached is no problem of the output.
  const slowAfter = isBusy && !mayHaveArrived ? BUSY_FOR : NEVER;
  const retry = nextRetry(passing.retry, failure, { usual, slowAfter }, at);
  const lines = isLost ? [] : [sayNotTaken(output, last.text, { failure, isSlow: retry.isSlow })];
  return { kept, passing: { ...ended, retry }, lines, saved };
}

/** It was sent for the last time, and nobody has said that it arrived. */
function sayGivenUp({ text, tries }: Message, output: Output): LogLine {
  return {
    level: "warn",
    sentence: `${describeOutput(output)} has not said whether it took ${quotePayload(text)}. It was sent ${tries} times, and may have arrived. It is not sent again`,
  };
}

const NEVER = Number.POSITIVE_INFINITY;
/** Milliseconds. */
const EVERY = 30_000;
const BUSY_FOR = 3_600_000;
