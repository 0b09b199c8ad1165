import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { LogLine } from "../log/log-line.ts";
import { quotePayload } from "../log/quote-payload.ts";
import {
  decideMessage,
  isGivenUp,
  isTried,
  MOST_TRIES,
  oftenUntil,
  pauseAfter,
  recordArrival,
  stopTrying,
  type WantedMessage,
} from "./decide-message.ts";
import type { Flight } from "./due-send.ts";
import type { Message, Messages } from "./message.ts";
import {
  type Failure,
  nextRetry,
  pauseOf,
  type Retry,
  sayNotTaken,
  sayNotWanted,
  saySent,
} from "./not-taken.ts";
import { describeOutput, type Output } from "./output.ts";

/** The messages of one output: what is kept of them, and what passes. Each step returns another one, or the same if nothing changes. */
export interface MessageMachine {
  /** undefined: it never had one. */
  kept: Messages | undefined;
  passing: PassingMessage;
}

/** What ends with the process. Instants are those of the steady clock. */
export interface PassingMessage {
  /** The last message was given out, and is not answered. */
  inFlight: Flight | null;
  /** The last message has to be saved before it is given out. */
  unsaved: Unsaved | null;
  /** It was tried in vain. */
  retry: Retry | null;
  /** When it is tried next, if vigie has slowed down; null: it has not. */
  nextTry: Instant | null;
}

export interface Unsaved {
  /** The change of what is kept that has to be saved. */
  change: number;
  /** From then on the save counts as failed: a disk that hangs must not keep messages back. */
  limit: number;
}

export const NO_MESSAGE_PASSES: PassingMessage = {
  inFlight: null,
  unsaved: null,
  retry: null,
  nextTry: null,
};

export interface MessageStep extends MessageMachine {
  lines: readonly LogLine[];
  saved: "before it is sent" | "now" | "with the next save";
}

interface ChosenBy {
  wanted: WantedMessage | "none";
  facts: Facts;
  at: Clocks;
  mayBegin: boolean;
}

/** By the rules: which message is the last one, and whether it stands. */
export function chooseMessage(
  { kept: before, passing }: MessageMachine,
  output: Output,
  { wanted, facts, at, mayBegin }: ChosenBy,
): MessageStep {
  const kept =
    wanted === "none"
      ? before && stopTrying(before, facts)
      : decideMessage(output, wanted, before, { facts, at: at.now, mayBegin });
  if (!kept || !isTried(output, kept)) {
    const lines = passing.retry ? [sayNotWanted(output)] : [];
    return { kept, passing: { ...passing, unsaved: null, retry: null }, lines, saved: "now" };
  }
  const isSame = before?.last.at === kept.last.at;
  const retry = (isSame ? passing.retry : null) ?? retryOf(kept.last, output, at);
  const saved = kept.last === before?.last ? "now" : "before it is sent";
  return { kept, passing: retry === passing.retry ? passing : { ...passing, retry }, lines: [], saved };
}

/**
 * One that may have arrived before a restart, or before its choice ended, is tried again when it would be without that. null: there was
 * no such try.
 */
function retryOf({ tried_at, tries }: Message, output: Output, at: Clocks): Retry | null {
  if (tried_at === null) return null;
  const pause = pauseAfter(output, tries);
  const due = at.steady + Math.min(Math.max(0, tried_at + pause - at.now), pause);
  return { ...FIRST_TRY, since: at.steady, at: due, mayHaveArrived: true };
}

/** From when on the last message may be given out; infinite: it is not tried, or not answered yet. */
export function messageDueAt({ kept, passing }: MessageMachine, output: Output, at: Clocks): number {
  const { inFlight, unsaved, retry } = passing;
  if (!kept || inFlight || !isTried(output, kept)) return NEVER;
  return Math.max(at.steady, unsaved?.limit ?? 0, retry?.at ?? 0);
}

/** When a message may begin again, as there were six within an hour; infinite: one may now. */
export function allowedAgainAt({ kept }: MessageMachine, at: Clocks): number {
  const often = kept ? oftenUntil(kept.delivered, at.now) : null;
  return often === null ? NEVER : at.steady + Math.max(1, often - at.now);
}

export function noteTaken({ kept, passing }: MessageMachine, output: Output, at: Clocks): MessageStep {
  return {
    kept: kept && recordArrival(kept, { isTaken: true, at: at.now }),
    passing: { ...passing, inFlight: null, retry: null },
    lines: kept ? saySent(output, kept.last.text, kept.last.because) : [],
    saved: "now",
  };
}

/** `isLost`: the connection to the broker ended before it was acknowledged. Nothing is said of that: the connection has its own problem. */
export function noteFailed(
  { kept: before, passing }: MessageMachine,
  output: Output,
  failure: Failure & { isLost?: boolean; isEnding: boolean },
  at: Clocks,
): MessageStep {
  const ended = { ...passing, inFlight: null };
  if (!before?.stands) return { kept: before, passing: ended, lines: [], saved: "now" };
  const { mayHaveArrived, isBusy, isEnding, isLost } = failure;
  // A try counts if it may have arrived: a person reads each. One that is tried without end must not wear out the disk.
  const isWorthWrite = !isEnding && before.last.tries < MOST_TRIES;
  const kept = mayHaveArrived ? recordArrival(before, { isTaken: false, at: at.now }) : before;
  const { last } = kept;
  const saved = isWorthWrite ? "now" : "with the next save";
  if (isGivenUp(output, last))
    return { kept, passing: { ...ended, retry: null }, lines: [sayGivenUp(last, output)], saved };
  const usual = (triedFor: number) =>
    mayHaveArrived ? pauseAfter(output, last.tries) : pauseOf(output, EVERY, triedFor);
  // Nobody is troubled by a message that finds no way to its service.
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
const FIRST_TRY = { isSlow: false, isProblem: false };
/** Milliseconds. */
const EVERY = 30_000;
const BUSY_FOR = 3_600_000;
