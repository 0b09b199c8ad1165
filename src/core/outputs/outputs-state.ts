import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { type Output, templateText } from "./output.ts";

/** What was sent last to each device, by the key of its output; plain data for the state file. */
export type DevicesState = Readonly<Record<string, Sent>>;

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
  /** How many times vigie has sent it. */
  tries: number;
  /** What the device has reported since, and when. */
  last_answer: string | null;
  answered_at: Instant | null;
  /** When the device was told again last because it does something else: the last five times since this payload was sent first. */
  told: readonly Instant[];
  /** Since when the device says on `confirm.online` that it is away, as far as vigie heard; null: it does not say so. */
  away_since: Instant | null;
  /** The device may have lost what it was sent: it is told again as soon as that is allowed. */
  came_back: boolean;
  /** A problem until the device confirms: it was told in vain, or something switches it back each time. */
  stuck: "missed" | "switched back" | null;
}

/** A payload that is about to be sent. */
export interface Sending extends Pick<Sent, "payload" | "expect"> {
  key: string;
  id: string;
  choice: string;
  because: string;
}

export function lastSent(state: DevicesState, key: string): Sent | undefined {
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

/** Saved before the payload is sent: after a kill the next start knows that it may have been sent. */
export function recordSending(
  state: DevicesState,
  { key, id, payload, expect, choice, because }: Sending,
  at: Instant,
): DevicesState {
  const before = lastSent(state, key);
  const isAgain = before !== undefined && isStillTried(before, payload);
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
    tries: (isAgain ? before.tries : 0) + 1,
    last_answer: null,
    answered_at: null,
    told: [],
    away_since: before?.away_since ?? null,
    came_back: false,
    stuck: null,
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
export function withoutSending(state: DevicesState, key: string, before: Sent | undefined): DevicesState {
  const { [key]: _unsent, ...others } = state;
  return before ? { ...others, [key]: before } : others;
}

/** With these parts of what was sent last; the same object if nothing changes. */
export function recordOf(state: DevicesState, key: string, change: Partial<Sent>): DevicesState {
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

export function recordAcknowledgement(state: DevicesState, key: string, payload: string): DevicesState {
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
export function devicesFor(state: DevicesState, outputs: readonly Output[], at: Instant): DevicesState {
  const ofDevices = outputs.filter(({ message }) => !message);
  const keys = new Set(ofDevices.map(({ key }) => key));
  let next = state;
  for (const output of ofDevices) {
    const { id, key, confirm } = output;
    if (lastSent(state, key)) {
      // Another output may have sent to this device until now.
      next = recordOf(next, key, { id, ...(!confirm?.online && { away_since: null }) });
      continue;
    }
    const [former, sent] =
      Object.entries(next).find(([other, one]) => one.id === id && !keys.has(other)) ?? [];
    if (former === undefined || !sent) continue;
    const moved = { ...sent, ...NOTHING_TOLD, at, stands: sent.stands && mayGoOn(output, sent.payload) };
    next = withoutSending(withoutSending(next, former, undefined), key, moved);
  }
  for (const key of Object.keys(next)) if (!keys.has(key)) next = recordOf(next, key, { stands: false });
  return next;
}

/** Neither what became of a payload is known, nor whether it is wanted still. */
export function forgetAcknowledged(state: DevicesState): DevicesState {
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
  came_back: z.boolean().default(false),
  stuck: z.enum(["missed", "switched back"]).nullable().default(null),
}) satisfies z.ZodType<Sent>;

/** If only a part can be read, it is not known what became of the payload. That holds for `else`, too, because something was sent. */
const leastSchema = z
  .object({ payload: z.string(), at: instantSchema })
  .transform((least): Sent => sentSchema.parse({ ...least, ...NOTHING_KNOWN, expect: null }));

/** undefined: nothing of it can be read. `isWhole`: all of it could. */
export function readSent(entry: unknown): { read?: Sent; isWhole: boolean } {
  const whole = sentSchema.safeParse(entry).data;
  if (whole) return { read: whole, isWhole: true };
  const least = leastSchema.safeParse(entry).data;
  return least ? { read: least, isWhole: false } : { isWhole: false };
}
