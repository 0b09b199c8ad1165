import { z } from "zod";
import { COLORS, type Color, type Instant, type IsoDate } from "../calendar/tariff.ts";
import { dateSchema, instantSchema } from "../calendar/time-schemas.ts";
import type { Output } from "./output.ts";

// A message is read by people: it is sent once when its choice begins, and once more for each later day for which that choice is ON.

/** What people were told by each output, by its key; plain data for the state file. */
export type MessagesState = Readonly<Record<string, Messages>>;

/** The messages of one output. The names of the keys are those of the state file. */
export interface Messages {
  /** Of the output. */
  id: string;
  /** The one that was chosen last. */
  last: Message;
  /** `last` is wanted. */
  stands: boolean;
  /** Those that arrived in the last six hours, or may have. */
  delivered: readonly Delivered[];
  /** The latest day that people were told, by the choice. */
  told_days: Readonly<Record<string, ToldDay>>;
}

export interface Message extends Omit<Delivered, "tried_at"> {
  because: string;
  /** Of the day: forecast or official; null: there is none. */
  color: Color | null;
  /** null: it cannot have arrived so far. */
  tried_at: Instant | null;
}

/** A message that has arrived, or may have. */
export interface Delivered {
  text: string;
  /** The id of the rule that decided. */
  choice: string;
  /** The day that decided; null: none did. */
  day: IsoDate | null;
  /** It was chosen only because of a simulation. */
  pretended: boolean;
  /** When it was chosen: this tells it from other messages with the same text. */
  at: Instant;
  /** How many times it may have arrived, and when the last time. */
  tries: number;
  tried_at: Instant;
  /** The broker or the service has taken it. Until then it may have arrived or not. */
  taken: boolean;
}

export interface ToldDay {
  day: IsoDate;
  /** The colour of this day as people were told, forecast or official, and its official one since; null: it had none. */
  color: Color | null;
  /** Since people were told, its official colour became another one, or they were told something else. */
  has_changed: boolean;
}

/**
 * For the outputs of this configuration. What an output that is gone told is wanted no more. People at another topic or address have
 * read nothing.
 */
export function messagesFor(state: MessagesState, outputs: readonly Output[]): MessagesState {
  const here = outputs.filter(({ message }) => message);
  const keys = new Set(here.map(({ key }) => key));
  const ids = new Set(here.map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(state).flatMap(([key, messages]): [string, Messages][] => {
      if (keys.has(key)) return [[key, messages]];
      return ids.has(messages.id) ? [] : [[key, { ...messages, stands: false }]];
    }),
  );
}

/** After a loss of what was recorded since: what is wanted is sent again, if it is not known that people have read it. */
export function forgetTaken(state: MessagesState): MessagesState {
  return Object.fromEntries(
    Object.entries(state).map(([key, messages]): [string, Messages] => [
      key,
      { ...messages, last: { ...messages.last, taken: false }, stands: false },
    ]),
  );
}

const deliveredSchema = z.object({
  text: z.string(),
  choice: z.string(),
  day: dateSchema.nullable(),
  pretended: z.boolean(),
  at: instantSchema,
  tries: z.int(),
  tried_at: instantSchema,
  taken: z.boolean(),
}) satisfies z.ZodType<Delivered>;

const messageSchema = deliveredSchema.extend({
  because: z.string(),
  color: z.enum(COLORS).nullable(),
  tried_at: instantSchema.nullable(),
}) satisfies z.ZodType<Message>;

export const toldDaySchema = z.object({
  day: dateSchema,
  color: z.enum(COLORS).nullable(),
  has_changed: z.boolean(),
}) satisfies z.ZodType<ToldDay>;

export const messagesSchema = z.object({
  id: z.string(),
  last: messageSchema,
  stands: z.boolean(),
  delivered: z.array(deliveredSchema),
  told_days: z.record(z.string(), toldDaySchema),
}) satisfies z.ZodType<Messages>;
