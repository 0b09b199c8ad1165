import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";

/** What is remembered of each output, by its topic; plain data for the state file. */
export type OutputsMemory = Readonly<Record<string, Sent>>;

/** The payload that was handed to the broker last. */
export interface Sent {
  payload: string;
  /** What the device is to say; null: it is not asked. */
  expect: string | null;
  at: Instant;
  /** Whether the broker has said that it has it. Until then it may have arrived or not. */
  acknowledged: boolean;
  /** Whether it is what vigie wants still: not once a choice has ended with nothing to follow it. */
  stands: boolean;
  /** How far the device's answer is. */
  answer: "none" | "awaited" | "heard" | "missed";
}

export const NOTHING_SENT: OutputsMemory = {};

/** What is remembered of one topic. */
export function recallSent(memory: OutputsMemory, topic: string): Sent | undefined {
  return Object.hasOwn(memory, topic) ? memory[topic] : undefined;
}

/** Written down before it is sent: a start after a sudden death then knows that it may have gone out. */
export function noteSending(
  memory: OutputsMemory,
  { topic, payload, expect }: { topic: string; payload: string; expect: string | null },
  at: Instant,
): OutputsMemory {
  const answer = expect === null ? "none" : "awaited";
  return { ...memory, [topic]: { payload, expect, at, acknowledged: false, stands: true, answer } };
}

/** The broker has it. */
export function noteArrived(memory: OutputsMemory, topic: string, payload: string): OutputsMemory {
  const sent = recallSent(memory, topic);
  if (sent?.payload !== payload || sent.acknowledged) return memory;
  return { ...memory, [topic]: { ...sent, acknowledged: true } };
}

/** Whether what was sent is wanted still. */
export function noteStanding(memory: OutputsMemory, topic: string, stands: boolean): OutputsMemory {
  const sent = recallSent(memory, topic);
  return !sent || sent.stands === stands ? memory : { ...memory, [topic]: { ...sent, stands } };
}

/** The device has said what was awaited, or has not for too long. */
export function noteAnswer(memory: OutputsMemory, topic: string, answer: "heard" | "missed"): OutputsMemory {
  const sent = recallSent(memory, topic);
  return !sent || sent.answer === answer ? memory : { ...memory, [topic]: { ...sent, answer } };
}

/** As the state file kept it; what is no such memory is nothing sent. */
export function readOutputsMemory(kept: unknown): OutputsMemory {
  return memorySchema.safeParse(kept).data ?? NOTHING_SENT;
}

/** Where the memory lives: counted at once; the promise ends when it is written, or could not be. */
export interface OutputsKeeper {
  get: () => OutputsMemory;
  set: (memory: OutputsMemory) => Promise<void>;
}

const sentSchema: z.ZodType<Sent> = z.object({
  payload: z.string(),
  expect: z.string().nullable(),
  at: z.number(),
  acknowledged: z.boolean(),
  stands: z.boolean(),
  answer: z.enum(["none", "awaited", "heard", "missed"]),
});

const memorySchema = z.record(z.string(), sentSchema);
