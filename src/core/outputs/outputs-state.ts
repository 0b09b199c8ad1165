import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";

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
  /** Whether the device has confirmed it: `awaited` not yet, `heard` yes, `missed` not within `confirm.for`. */
  answer: "none" | "awaited" | "heard" | "missed";
}

export const NOTHING_SENT: OutputsState = {};

export function lastSent(state: OutputsState, topic: string): Sent | undefined {
  return Object.hasOwn(state, topic) ? state[topic] : undefined;
}

/** Saved before the payload is sent: after a kill the next start knows that it may have been sent. */
export function recordSending(
  state: OutputsState,
  { topic, payload, expect }: { topic: string; payload: string; expect: string | null },
  at: Instant,
): OutputsState {
  const answer = expect === null ? "none" : "awaited";
  return { ...state, [topic]: { payload, expect, at, acknowledged: false, stands: true, answer } };
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
  const isUnconfirmed = sent?.answer === "awaited" || sent?.answer === "missed";
  if (!isUnconfirmed || expect === null || sent.expect === expect) return state;
  return { ...state, [topic]: { ...sent, expect } };
}

/** The device has confirmed the payload, or has not for too long. */
export function recordConfirmation(
  state: OutputsState,
  topic: string,
  answer: "heard" | "missed",
): OutputsState {
  const sent = lastSent(state, topic);
  return !sent || sent.answer === answer ? state : { ...state, [topic]: { ...sent, answer } };
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

const sentSchema: z.ZodType<Sent> = z.object({
  payload: z.string(),
  expect: z.string().nullable(),
  at: z.number(),
  acknowledged: z.boolean(),
  stands: z.boolean(),
  answer: z.enum(["none", "awaited", "heard", "missed"]),
});

const stateSchema = z.record(z.string(), sentSchema);
