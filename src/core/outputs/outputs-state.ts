import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";

/** What was sent last to each output, by its key; plain data for the state file. */
export type OutputsState = Readonly<Record<string, Sent>>;

/** The payload that was sent last. The names of the keys are those of the state file. */
export interface Sent {
  /** Of the output; null: not known. */
  id: string | null;
  payload: string;
  /** What the device reports when it has done it; null: it does not confirm. */
  expect: string | null;
  at: Instant;
  /** Whether the broker has acknowledged it, or the address has taken it. Until then it may have arrived or not. */
  acknowledged: boolean;
  /** Key of the state file for "is wanted": false after a choice has ended and there is no `else`. */
  stands: boolean;
  /**
   * Whether the device has confirmed it: `awaited` not yet, `heard` yes, `missed` not within `confirm.for`; `retained`: the
   * broker holds a report from before the sending that says the same; `contrary`: it did, and says something else since;
   * `doubted`: it did, and the broker holds another report which may be old, or nothing was heard of it for long.
   */
  answer: "none" | "awaited" | "heard" | "missed" | "retained" | "contrary" | "doubted";
  // State files of earlier versions do not have what follows.
  /** The choice that decided: the id of its rule, `else` or `unknown`. */
  choice: string | null;
  because: string | null;
  /** How many times vigie has sent it; for a message, how many times it may have arrived. */
  tries: number;
  /** What the device has reported since, and when. */
  last_answer: string | null;
  answered_at: Instant | null;
  /** When the device was told again last, because it had changed its mind or came back: the last five times. */
  told: readonly Instant[];
  /** A message that was sent only because of a simulation. */
  pretended: boolean;
  /** The device may have lost what it was sent: it is told again as soon as that is allowed. */
  came_back: boolean;
  /** A problem until the device confirms: it was told in vain, or something switches it back each time. */
  stuck: "missed" | "switched back" | null;
  /** The texts of a message that were delivered in the last six hours. */
  delivered: readonly Delivered[];
}

/** A text that has arrived. */
export interface Delivered {
  payload: string;
  at: Instant;
}

/** A payload that is about to be sent. */
export interface Sending extends Pick<Sent, "payload" | "expect" | "pretended"> {
  key: string;
  id: string;
  message: boolean;
  choice: string;
  because: string;
}

export const NOTHING_SENT: OutputsState = {};

export function lastSent(state: OutputsState, key: string): Sent | undefined {
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

/** Saved before the payload is sent: after a kill the next start knows that it may have been sent. */
export function recordSending(
  state: OutputsState,
  { key, id, message, payload, expect, choice, because, pretended }: Sending,
  at: Instant,
): OutputsState {
  const before = lastSent(state, key);
  const isAgain =
    before !== undefined && (isStillTried(before, payload) || (message && isTriedSoon(before, payload, at)));
  const triedBefore = isAgain ? before.tries : 0;
  const sent: Sent = {
    id,
    payload,
    expect,
    at: isAgain ? before.at : at,
    acknowledged: false,
    stands: true,
    answer: expect === null ? "none" : "awaited",
    choice,
    because,
    tries: message ? triedBefore : triedBefore + 1,
    last_answer: null,
    answered_at: null,
    // A telling that seems later than now was before the clock was set back, and not since this payload was sent.
    told: (before?.told ?? []).filter((instant) => instant <= at),
    pretended,
    came_back: false,
    stuck: null,
    delivered: before?.delivered ?? [],
  };
  return { ...state, [key]: sent };
}

/** This payload is wanted since it was sent first, and nobody has acknowledged it. */
export function isStillTried({ payload, stands, acknowledged }: Sent, wanted: string): boolean {
  return payload === wanted && stands && !acknowledged;
}

/** The same text was tried within the last six hours, and nobody knows whether it has arrived. */
export function isTriedSoon(sent: Sent, text: string, at: Instant): boolean {
  return !sent.acknowledged && sent.tries > 0 && sent.payload === text && isRecent(sent, at);
}

/** The payload was not sent in the end: what was sent before it is the last one again. */
export function withoutSending(state: OutputsState, key: string, before: Sent | undefined): OutputsState {
  const { [key]: _unsent, ...others } = state;
  return before ? { ...others, [key]: before } : others;
}

/** With these parts of what was sent last; the same object if nothing changes. */
export function recordOf(state: OutputsState, key: string, change: Partial<Sent>): OutputsState {
  const sent = lastSent(state, key);
  if (!sent) return state;
  const changed = withChange(sent, change);
  return changed === sent ? state : { ...state, [key]: changed };
}

/** The same object if nothing changes. */
export function withChange<T extends object>(before: T, change: Partial<T>): T {
  const names = Object.keys(change) as (keyof T)[];
  return names.every((name) => before[name] === change[name]) ? before : { ...before, ...change };
}

export function recordAcknowledgement(state: OutputsState, key: string, payload: string): OutputsState {
  return lastSent(state, key)?.payload === payload ? recordOf(state, key, { acknowledged: true }) : state;
}

/** A message has arrived: nobody has to read the same text again soon. */
export function recordDelivery(state: OutputsState, key: string, at: Instant): OutputsState {
  const sent = lastSent(state, key);
  if (!sent) return state;
  const { payload, delivered } = sent;
  const recent = delivered.filter((one) => one.payload !== payload && isRecent(one, at));
  return recordOf(state, key, { delivered: [...recent, { payload, at }] });
}

export function recentDelivery({ delivered }: Sent, text: string, at: Instant): Delivered | undefined {
  return delivered.find((one) => one.payload === text && isRecent(one, at));
}

function isRecent(text: Delivered, at: Instant): boolean {
  return Math.abs(at - text.at) < SAME_MESSAGE_AFTER;
}

const SAME_MESSAGE_AFTER = 6 * 3_600_000;

/**
 * What the device is expected to report: it changes when `expect` is corrected in the configuration, or `confirm` is added to it or
 * removed. A payload that the device has confirmed stays confirmed, until its next report.
 */
export function expectationOf(sent: Sent, expect: string | null): Partial<Sent> {
  if (sent.expect === expect) return {};
  if (expect === null) return { expect, answer: "none" };
  return sent.expect === null ? { expect, answer: "awaited" } : { expect };
}

/** Whether a rule that is ON has decided, not `else` or `unknown`. */
export function isOfChoice({ choice }: Sent): boolean {
  return choice !== "else" && choice !== "unknown";
}

/**
 * For the outputs of this configuration. What was sent to an output that is gone is wanted no more. If an output has another topic or
 * address, its new device gets what is in force.
 */
export function keptFor(state: OutputsState, outputs: readonly { id: string; key: string }[]): OutputsState {
  const keys = new Set(outputs.map(({ key }) => key));
  let next = state;
  for (const { id, key } of outputs) {
    if (lastSent(state, key)) continue;
    const [former, sent] =
      Object.entries(next).find(([one, { id: its }]) => its === id && !keys.has(one)) ?? [];
    if (former === undefined || !sent) continue;
    next = { ...withoutSending(next, former, undefined), [key]: { ...sent, ...NOTHING_KNOWN } };
  }
  for (const key of Object.keys(next)) if (!keys.has(key)) next = recordOf(next, key, { stands: false });
  return next;
}

/**
 * After a loss of what was recorded since: any of these payloads may have been replaced by another one. Each that is in
 * force is sent again, and none of the others is repeated.
 */
export function forgetAcknowledgements(state: OutputsState): OutputsState {
  const entries = Object.entries(state);
  return Object.fromEntries(
    entries.map(([key, sent]): [string, Sent] => [key, { ...sent, ...NOTHING_KNOWN }]),
  );
}

/** Neither what became of a payload, nor whether it is wanted still. */
const NOTHING_KNOWN = { acknowledged: false, stands: false, answer: "none" } as const;

/** From the state file; what cannot be read of it is left out. */
export function readOutputsState(json: unknown): OutputsState {
  return readOutputs(json).state;
}

/** Each output is read alone, so that one which cannot be read loses nothing of the others. */
export function readOutputs(json: unknown): { state: OutputsState; unread: string[] } {
  if (json === undefined) return { state: NOTHING_SENT, unread: [] };
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return { state: NOTHING_SENT, unread: ["all outputs"] };
  const read = Object.entries(json).map(([key, entry]) => ({ key, ...readSent(entry) }));
  const entries = read.flatMap(({ key, sent }): [string, Sent][] => (sent ? [[key, sent]] : []));
  const unread = read.filter(({ isWhole }) => !isWhole).map(({ key }) => key);
  return { state: entries.length === 0 ? NOTHING_SENT : Object.fromEntries(entries), unread };
}

/**
 * If only a part can be read, it is not known what became of the payload: the one that is in force is sent again. That holds for
 * `else`, too, because something was sent.
 */
function readSent(entry: unknown): { sent?: Sent; isWhole: boolean } {
  const whole = sentSchema.safeParse(entry).data;
  if (whole) return { sent: whole, isWhole: true };
  const least = leastSchema.safeParse(entry).data;
  return least ? { sent: least, isWhole: false } : { isWhole: false };
}

const sentSchema = z.object({
  id: z.string().nullable().default(null),
  payload: z.string(),
  expect: z.string().nullable(),
  at: instantSchema,
  acknowledged: z.boolean(),
  stands: z.boolean(),
  answer: z.enum(["none", "awaited", "heard", "missed", "retained", "contrary", "doubted"]),
  choice: z.string().nullable().default(null),
  because: z.string().nullable().default(null),
  tries: z.int().default(1),
  last_answer: z.string().nullable().default(null),
  answered_at: instantSchema.nullable().default(null),
  told: z.array(instantSchema).default([]),
  pretended: z.boolean().default(false),
  came_back: z.boolean().default(false),
  stuck: z.enum(["missed", "switched back"]).nullable().default(null),
  delivered: z.array(z.object({ payload: z.string(), at: instantSchema })).default([]),
}) satisfies z.ZodType<Sent>;

const leastSchema = z
  .object({ payload: z.string(), at: instantSchema })
  .transform((least): Sent => sentSchema.parse({ ...least, ...NOTHING_KNOWN, expect: null }));
