import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { byTopic } from "../rules/by-topic.ts";

/** What was sent last to each output, by its topic; plain data for the state file. */
export type OutputsState = Readonly<Record<string, Sent>>;

/** The payload that was given to the broker last. The names of the keys are those of the state file. */
export interface Sent {
  payload: string;
  /** What the device reports when it has done it; null: it does not confirm. */
  expect: string | null;
  at: Instant;
  /** Whether the broker has acknowledged it. Until then it may have arrived or not. */
  acknowledged: boolean;
  /** Key of the state file for "is wanted": false after a choice has ended and there is no `else`. */
  stands: boolean;
  /**
   * Whether the device has confirmed it: `awaited` not yet, `heard` yes, `missed` not within `confirm.for`; `retained`: the
   * broker holds a report from before the sending that says the same.
   */
  answer: "none" | "awaited" | "heard" | "missed" | "retained";
  // State files of earlier versions do not have what follows.
  /** The choice that decided: the id of its rule, `else` or `unknown`. */
  choice: string | null;
  because: string | null;
  /** How many times vigie has sent it. */
  tries: number;
  /** What the device has reported since. */
  last_answer: string | null;
}

/** A payload that is about to be sent. */
export interface Sending extends Pick<Sent, "payload" | "expect"> {
  topic: string;
  choice: string;
  because: string;
}

export const NOTHING_SENT: OutputsState = {};

export function lastSent(state: OutputsState, topic: string): Sent | undefined {
  return Object.hasOwn(state, topic) ? state[topic] : undefined;
}

/** Saved before the payload is sent: after a kill the next start knows that it may have been sent. */
export function recordSending(
  state: OutputsState,
  { topic, payload, expect, choice, because }: Sending,
  at: Instant,
): OutputsState {
  const before = lastSent(state, topic);
  const isAgain = before?.payload === payload && !before.acknowledged;
  const sent: Sent = {
    payload,
    expect,
    at,
    acknowledged: false,
    stands: true,
    answer: expect === null ? "none" : "awaited",
    choice,
    because,
    tries: isAgain ? before.tries + 1 : 1,
    last_answer: null,
  };
  return { ...state, [topic]: sent };
}

/** The payload was not sent in the end: what was sent before it is the last one again. */
export function withoutSending(state: OutputsState, topic: string, before: Sent | undefined): OutputsState {
  const { [topic]: _unsent, ...others } = state;
  return before ? { ...others, [topic]: before } : others;
}

export function recordAcknowledgement(state: OutputsState, topic: string, payload: string): OutputsState {
  const sent = lastSent(state, topic);
  if (sent?.payload !== payload || sent.acknowledged) return state;
  return { ...state, [topic]: { ...sent, acknowledged: true } };
}

/** Whether the payload that was sent last is still wanted. */
export function recordWanted(state: OutputsState, topic: string, isWanted: boolean): OutputsState {
  const sent = lastSent(state, topic);
  return !sent || sent.stands === isWanted ? state : { ...state, [topic]: { ...sent, stands: isWanted } };
}

/**
 * What the device is expected to report: it changes when `expect` is corrected in the configuration. A payload that the
 * device has confirmed stays confirmed.
 */
export function recordExpectation(state: OutputsState, topic: string, expect: string | null): OutputsState {
  const sent = lastSent(state, topic);
  const isOpen = sent?.answer === "awaited" || sent?.answer === "missed";
  if (!isOpen || expect === null || sent.expect === expect) return state;
  return { ...state, [topic]: { ...sent, expect } };
}

/** The payload was sent once more, because the device has not confirmed it. */
export function recordRepetition(state: OutputsState, topic: string): OutputsState {
  const sent = lastSent(state, topic);
  return sent ? { ...state, [topic]: { ...sent, tries: sent.tries + 1 } } : state;
}

/** The device has reported something else than what is expected. */
export function recordOtherReport(state: OutputsState, topic: string, last_answer: string): OutputsState {
  const sent = lastSent(state, topic);
  return !sent || sent.last_answer === last_answer ? state : { ...state, [topic]: { ...sent, last_answer } };
}

/** The device has confirmed the payload, or a retained report says the same. */
export function recordConfirmation(
  state: OutputsState,
  topic: string,
  answer: "heard" | "retained",
  last_answer: string,
): OutputsState {
  const sent = lastSent(state, topic);
  return sent ? { ...state, [topic]: { ...sent, answer, last_answer } } : state;
}

/** The device has not confirmed the payload for too long. */
export function recordMissed(state: OutputsState, topic: string): OutputsState {
  const sent = lastSent(state, topic);
  return !sent || sent.answer === "missed" ? state : { ...state, [topic]: { ...sent, answer: "missed" } };
}

/** Whether it is repeated, or was repeated in vain. */
export function isUnconfirmed({ stands, answer }: Sent): boolean {
  return stands && (answer === "awaited" || answer === "missed");
}

/** Whether a report of the device can still say more about it. */
export function awaitsReport(sent: Sent): boolean {
  return isUnconfirmed(sent) || (sent.stands && sent.answer === "retained");
}

/**
 * After a loss of what was recorded since: any of these payloads may have been replaced by another one. Each that is in
 * force is sent again, and none of the others is repeated.
 */
export function forgetAcknowledgements(state: OutputsState): OutputsState {
  const entries = Object.entries(state);
  return Object.fromEntries(
    entries.map(([topic, sent]): [string, Sent] => [topic, { ...sent, acknowledged: false, answer: "none" }]),
  );
}

/** From the state file; anything else than a valid state counts as nothing sent. */
export function readOutputsState(json: unknown): OutputsState {
  return stateSchema.safeParse(json).data ?? NOTHING_SENT;
}

const sentSchema = z.object({
  payload: z.string(),
  expect: z.string().nullable(),
  at: instantSchema,
  acknowledged: z.boolean(),
  stands: z.boolean(),
  answer: z.enum(["none", "awaited", "heard", "missed", "retained"]),
  choice: z.string().nullable().default(null),
  because: z.string().nullable().default(null),
  tries: z.int().default(1),
  last_answer: z.string().nullable().default(null),
}) satisfies z.ZodType<Sent>;

const stateSchema = byTopic(sentSchema);
