import { z } from "zod";
import { COLORS, type Instant } from "../calendar/tariff.ts";
import { dateSchema, instantSchema } from "../calendar/time-schemas.ts";
import {
  forgetTaken,
  type Messages,
  type MessagesState,
  messagesFor,
  messagesSchema,
  type TriedMessage,
  toldDaySchema,
} from "./message.ts";
import type { Output } from "./output.ts";
import { type DevicesState, devicesFor, forgetAcknowledged, readSent, type Sent } from "./outputs-state.ts";

/** What was sent last, by the key of the output: what the state file holds of outputs. */
export interface OutputsKept {
  devices: DevicesState;
  messages: MessagesState;
}

export const NOTHING_SENT: OutputsKept = { devices: {}, messages: {} };

/** For the outputs of this configuration. */
export function keptFor(kept: OutputsKept, outputs: readonly Output[], at: Instant): OutputsKept {
  return {
    devices: devicesFor(kept.devices, outputs, at),
    messages: messagesFor(kept.messages, outputs),
  };
}

/**
 * After a loss of what was recorded since: any of these payloads may have been replaced by another one. Each that is in
 * force is sent again, and none of the others is repeated.
 */
export function forgetAcknowledgements({ devices, messages }: OutputsKept): OutputsKept {
  return { devices: forgetAcknowledged(devices), messages: forgetTaken(messages) };
}

/** What the state file says of outputs. Messages of an earlier vigie are among what it says of devices. */
interface OutputsJson {
  outputs?: unknown;
  messages?: unknown;
}

/** Each output is read alone, so that one which cannot be read loses nothing of the others: `unread` has the keys of those. */
export function readOutputs({ outputs, messages }: OutputsJson): { kept: OutputsKept; unread: string[] } {
  const unread: string[] = [];
  const devicesByKey = new Map<string, Sent>();
  const messagesByKey = new Map<string, Messages>();
  for (const [key, entry] of entriesOf(outputs)) {
    const former = formerMessagesSchema.safeParse(entry).data;
    const { read, isWhole } = former ? { read: undefined, isWhole: true } : readSent(entry);
    if (former) messagesByKey.set(key, former);
    if (read) devicesByKey.set(key, read);
    if (!isWhole) unread.push(key);
  }
  for (const [key, entry] of entriesOf(messages)) {
    const { data } = messagesSchema.safeParse(entry);
    if (data) messagesByKey.set(key, data);
    else unread.push(key);
  }
  if (!isRecordOrAbsent(outputs)) unread.push("all outputs");
  if (!isRecordOrAbsent(messages)) unread.push("all outputs with messages");
  return {
    kept: {
      devices: Object.fromEntries(devicesByKey),
      messages: Object.fromEntries(messagesByKey),
    },
    unread,
  };
}

function entriesOf(json: unknown): [string, unknown][] {
  return isRecordOrAbsent(json) ? Object.entries(json ?? {}) : [];
}

function isRecordOrAbsent(json: unknown): json is object | undefined {
  return json === undefined || (typeof json === "object" && json !== null && !Array.isArray(json));
}

/** As the record of a device was, with more keys. */
const formerMessagesSchema = z
  .object({
    id: z.string(),
    payload: z.string(),
    at: instantSchema,
    acknowledged: z.boolean(),
    stands: z.boolean(),
    choice: z.string(),
    because: z.string(),
    tries: z.int(),
    pretended: z.boolean(),
    delivered: z.array(
      z.object({
        payload: z.string(),
        at: instantSchema,
        choice: z.string(),
        day: dateSchema.nullable(),
        pretended: z.boolean(),
        begun: instantSchema,
        tries: z.int(),
        taken: z.boolean(),
      }),
    ),
    day: dateSchema.nullable(),
    color: z.enum(COLORS).nullable(),
    told_days: z.record(z.string(), toldDaySchema),
  })
  .transform(({ id, payload, acknowledged, stands, delivered, told_days, ...rest }): Messages => {
    const tried = delivered.map(({ payload: text, at: tried_at, begun, ...one }): TriedMessage => {
      return { ...one, text, tried_at, at: begun, because: "", color: null };
    });
    const tried_at = tried.findLast((one) => one.at === rest.at)?.tried_at ?? null;
    return {
      id,
      last: { ...rest, text: payload, tried_at, taken: acknowledged },
      stands,
      due: null,
      tried,
      told_days,
    };
  });
