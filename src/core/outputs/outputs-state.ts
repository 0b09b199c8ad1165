import { z } from "zod";
import { COLORS, type Color, type Instant, type IsoDate } from "../calendar/tariff.ts";
import { dateSchema, instantSchema } from "../calendar/time-schemas.ts";
import { type Output, templateText } from "./output.ts";

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
  /** When the device was told again last because it does something else: the last five times since this payload was sent first. */
  told: readonly Instant[];
  /** Since when the device says on `confirm.online` that it is away, as far as vigie heard; null: it does not say so. */
  away_since: Instant | null;
  /** A message that was sent only because of a simulation. */
  pretended: boolean;
  /** The device may have lost what it was sent: it is told again as soon as that is allowed. */
  came_back: boolean;
  /** A problem until the device confirms: it was told in vain, or something switches it back each time. */
  stuck: "missed" | "switched back" | null;
  /** The messages that were delivered in the last six hours, or may have been. */
  delivered: readonly Delivered[];
  /** For a message: the day that decides, and its colour, forecast or official; null: there is none. */
  day: IsoDate | null;
  color: Color | null;
  /**
   * For a message: the latest day that people were told, by the choice. null: it is for a device, or was written by an earlier
   * version, which did not note it.
   */
  told_days: Readonly<Record<string, ToldDay>> | null;
}

/** A message that has arrived, or may have. */
export interface Delivered {
  payload: string;
  /** When it was tried last. */
  at: Instant;
  // State files of earlier versions do not have what follows.
  choice: string | null;
  day: IsoDate | null;
  pretended: boolean;
  /** When it was tried first: this tells it from other messages with the same text. */
  begun: Instant;
  tries: number;
  /** false: nobody has said that it arrived. */
  taken: boolean;
}

export interface ToldDay {
  day: IsoDate;
  /** The colour of this day as people were told, forecast or official, and its official one since; null: it had none. */
  color: Color | null;
  /** Since people were told, its official colour became another one, or they were told something else. */
  has_changed: boolean;
}

/** A payload that is about to be sent. */
export interface Sending extends Pick<Sent, "payload" | "expect" | "pretended"> {
  key: string;
  id: string;
  /** null: it is for a device. */
  message: (Pick<Sent, "day" | "color"> & Pick<Delivered, "begun">) | null;
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
    before !== undefined && isStillTried(before, payload) && (!message || message.begun === before.at);
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
    told: [],
    away_since: before?.away_since ?? null,
    pretended,
    came_back: false,
    stuck: null,
    delivered: before?.delivered ?? [],
    day: message?.day ?? null,
    color: message?.color ?? null,
    told_days: message ? (before?.told_days ?? {}) : null,
  };
  return { ...state, [key]: sent };
}

/** This payload is wanted since it was sent first, and nobody has acknowledged it. */
export function isStillTried({ payload, stands, acknowledged }: Sent, wanted: string): boolean {
  return payload === wanted && stands && !acknowledged;
}

/** While the device says that it is away, what it does is not known. */
export function withAway(sent: Sent, away_since: Instant | null): Sent {
  const isDone = sent.answer === "heard" || sent.answer === "retained";
  return { ...sent, away_since, ...(isDone && away_since !== null && { answer: "doubted" }) };
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
export function keptFor(state: OutputsState, outputs: readonly Output[], at: Instant): OutputsState {
  const keys = new Set(outputs.map(({ key }) => key));
  let next = state;
  for (const output of outputs) {
    const { key, message } = output;
    if (lastSent(state, key)) {
      next = keptHere(next, output);
      continue;
    }
    const [former, sent] = formerOf(output, next, keys) ?? [];
    if (former === undefined || !sent) continue;
    // People at another address have read nothing of it.
    const moved = message
      ? undefined
      : { ...sent, ...NOTHING_TOLD, at, stands: sent.stands && mayGoOn(output, sent.payload) };
    next = withoutSending(withoutSending(next, former, undefined), key, moved);
  }
  for (const key of Object.keys(next)) if (!keys.has(key)) next = recordOf(next, key, { stands: false });
  return next;
}

/** At the same topic or address. */
function keptHere(state: OutputsState, { id, key, message, confirm }: Output): OutputsState {
  // Another output may have sent to this device until now.
  const kept = recordOf(state, key, { id, ...(!confirm?.online && { away_since: null }) });
  // What people were to read is no payload of a device.
  const wasMessage = lastSent(kept, key)?.told_days !== null;
  return wasMessage && !message ? recordOf(kept, key, { ...NOTHING_KNOWN, ...NO_MESSAGE }) : kept;
}

/** What was sent to another topic or address by the output of this id. */
function formerOf(
  { id, message }: Output,
  state: OutputsState,
  keys: ReadonlySet<string>,
): [key: string, sent: Sent] | undefined {
  const found = Object.entries(state).find(([key, sent]) => sent.id === id && !keys.has(key));
  // A device whose output is for people now is kept for the day that it comes back, as one whose output is removed.
  return message && found?.[1].told_days === null ? undefined : found;
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

/**
 * A device that takes the place of another one may have other words, and is never sent those of the other one. With `unknown` something
 * is always chosen for it: while values are awaited it is not sent what the rules may not want.
 */
function mayGoOn({ choose, else: otherwise, unknown }: Output, payload: string): boolean {
  if (unknown) return false;
  return [...choose, otherwise].some((one) => one && templateText(one.payload) === payload);
}

/** Neither what became of a payload, nor whether it is wanted still. */
const NOTHING_KNOWN = { acknowledged: false, stands: false, answer: "none" } as const;

/**
 * What only the record of a message has, as that of a device has it. What people have read is kept: the output may be for them again
 * within six hours.
 */
const NO_MESSAGE = {
  tries: 0,
  pretended: false,
  day: null,
  color: null,
  told_days: null,
} as const;

/** Of another device, which may be wanted to do the same. */
const NOTHING_TOLD = {
  acknowledged: false,
  answer: "none",
  tries: 0,
  last_answer: null,
  answered_at: null,
  told: [],
  away_since: null,
  came_back: false,
  stuck: null,
} as const;

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

const deliveredSchema = z
  .object({
    payload: z.string(),
    at: instantSchema,
    choice: z.string().nullable().default(null),
    day: dateSchema.nullable().default(null),
    pretended: z.boolean().default(false),
    begun: instantSchema.nullable().default(null),
    tries: z.int().default(1),
    taken: z.boolean().default(true),
  })
  .transform((one): Delivered => ({ ...one, begun: one.begun ?? one.at }));

const toldDaySchema = z.object({
  day: dateSchema,
  color: z.enum(COLORS).nullable(),
  has_changed: z.boolean(),
}) satisfies z.ZodType<ToldDay>;

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
  away_since: instantSchema.nullable().default(null),
  pretended: z.boolean().default(false),
  came_back: z.boolean().default(false),
  stuck: z.enum(["missed", "switched back"]).nullable().default(null),
  delivered: z.array(deliveredSchema).default([]),
  day: dateSchema.nullable().default(null),
  color: z.enum(COLORS).nullable().default(null),
  told_days: z.record(z.string(), toldDaySchema).nullable().default(null),
}) satisfies z.ZodType<Sent>;

const leastSchema = z
  .object({ payload: z.string(), at: instantSchema })
  .transform((least): Sent => sentSchema.parse({ ...least, ...NOTHING_KNOWN, expect: null }));
