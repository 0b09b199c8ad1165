import type { Outlook } from "../../src/core/outputs/choose-outputs.ts";
import type { Output, Outputs } from "../../src/core/outputs/output.ts";
import type { OutputsKeeper } from "../../src/core/outputs/outputs-memory.ts";
import {
  NOTHING_SENT,
  noteArrived,
  noteSending,
  type OutputsMemory,
} from "../../src/core/outputs/outputs-memory.ts";
import { rougeFacts } from "./facts.ts";

export const BOILER: Output = {
  topic: "boiler/set",
  choose: [{ when: "peak", payload: "off" }],
  else: "on",
  qos: 1,
  retain: false,
};

export function outputsOf(list: Output[], dry_when_simulated = false): Outputs {
  return { list, dry_when_simulated };
}

/** What these rules say. */
export function outlookOf(states: Record<string, boolean | null>, facts = rougeFacts()): Outlook {
  return { verdicts: new Map(Object.entries(states).map(([id, state]) => [id, { state }])), facts };
}

/** The memory of outputs that were sent these payloads, and the broker has them. */
export function sentMemory(payloads: Record<string, string>): OutputsMemory {
  return Object.entries(payloads).reduce((memory, [topic, payload]) => {
    const sending = noteSending(memory, { topic, payload, expect: null }, 0);
    return noteArrived(sending, topic, payload);
  }, NOTHING_SENT);
}

/** A memory that survives its owner. */
export function keepInMind(first: OutputsMemory = NOTHING_SENT): OutputsKeeper {
  let memory = first;
  return {
    get: () => memory,
    set: async (next) => {
      memory = JSON.parse(JSON.stringify(next));
    },
  };
}
