import { z } from "zod";
import { COLORS, type Color, type Instant, type IsoDate } from "../calendar/tariff.ts";
import { dateSchema, instantSchema } from "../calendar/time-schemas.ts";
import type { Output } from "./output.ts";

// A message is read by people: it is sent once when its choice begins, and once more for each later day for which that choice is ON.

/** What people were told by each output, by its key; plain data for the state file. */
export type MessagesState = Readonly<Record<string, Messages>>;

/** The messages of one output. The names of the keys are those of the state file. */
export interface Messages {
  /** The id of the output; null: it never had a message. */
  id: string | null;
  /** The last one that was tried; null: none was. */
  last: Message | null;
  /** `last` is wanted. */
  stands: boolean;
  /** Chosen, and not tried so far: if its choice ends before it is given out, it is as if it had never been chosen. */
  due: Message | null;
  /** Those that arrived in the last six hours, or may have. */
  tried: readonly TriedMessage[];
  /** The latest day that people were told, by the choice. */
  told_days: Readonly<Record<string, ToldDay>>;
}

export interface Message {
  text: string;
  /** The id of the rule that decided. */
  choice: string;
  because: string;
  /** The day that decided, and its colour, forecast or official; null: none did. */
  day: IsoDate | null;
  color: Color | null;
  /** It was chosen only because of a simulation. */
  pretended: boolean;
  /** When it was chosen: this tells it from other messages with the same text. */
  at: Instant;
  /** How many times it may have arrived, and when the last time; null: it cannot have arrived so far. */
  tries: number;
  tried_at: Instant | null;
  /** The broker or the service has taken it. Until then it may have arrived or not. */
  taken: boolean;
}

export interface TriedMessage extends Message {
  tried_at: Instant;
}

export interface ToldDay {
  day: IsoDate;
  /** The colour of this day as people were told, forecast or official, and its official one since; null: it had none. */
  color: Color | null;
  /** Since people were told, its official colour became another one, or they were told something else. */
  has_changed: boolean;
}

const NO_MESSAGES: Messages = {
  id: null,
  last: null,
  stands: false,
  due: null,
  tried: [],
  told_days: {},
};

export function messagesAt(state: MessagesState, key: string): Messages {
  return (Object.hasOwn(state, key) ? state[key] : undefined) ?? NO_MESSAGES;
}

/**
 * For the outputs of this configuration. What an output that is gone told is wanted no more. If an output has another topic or address,
 * nothing is kept of what it told at the former one.
 */
export function messagesFor(state: MessagesState, outputs: readonly Output[]): MessagesState {
  const idByKey = new Map(outputs.filter(({ message }) => message).map(({ key, id }) => [key, id]));
  const ids = new Set(idByKey.values());
  const isMoved = ([key, { id }]: [string, Messages]) => !idByKey.has(key) && id !== null && ids.has(id);
  const here = Object.entries(state).filter((entry) => !isMoved(entry));
  return mapRecords(Object.fromEntries(here), (messages, key) => {
    const id = idByKey.get(key);
    return id === undefined ? { ...messages, stands: false } : { ...messages, id };
  });
}

/** After a loss of what was recorded since: what is wanted is sent again, if it is not known that people have read it. */
export function forgetTaken(state: MessagesState): MessagesState {
  return mapRecords(state, (messages) => ({
    ...messages,
    last: messages.last && { ...messages.last, taken: false },
    stands: false,
    due: null,
  }));
}

export function mapRecords(
  state: MessagesState,
  change: (messages: Messages, key: string) => Messages,
): MessagesState {
  return Object.fromEntries(Object.entries(state).map(([key, messages]) => [key, change(messages, key)]));
}

const messageSchema = z.object({
  text: z.string(),
  choice: z.string(),
  because: z.string(),
  day: dateSchema.nullable(),
  color: z.enum(COLORS).nullable(),
  pretended: z.boolean(),
  at: instantSchema,
  tries: z.int(),
  tried_at: instantSchema.nullable(),
  taken: z.boolean(),
}) satisfies z.ZodType<Message>;

export const toldDaySchema = z.object({
  day: dateSchema,
  color: z.enum(COLORS).nullable(),
  has_changed: z.boolean(),
}) satisfies z.ZodType<ToldDay>;

export const messagesSchema = z.object({
  id: z.string().nullable(),
  last: messageSchema.nullable(),
  stands: z.boolean(),
  due: messageSchema.nullable(),
  tried: z.array(messageSchema.extend({ tried_at: instantSchema })),
  told_days: z.record(z.string(), toldDaySchema),
}) satisfies z.ZodType<Messages>;
