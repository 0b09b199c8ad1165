import type { BothVerdicts } from "../../src/core/outputs/choose-outputs.ts";
import type { Output, Outputs } from "../../src/core/outputs/output.ts";
import type { OutputStatus } from "../../src/core/outputs/output-status.ts";
import {
  NOTHING_SENT,
  type OutputsState,
  recordAcknowledgement,
  recordSending,
  type Sending,
} from "../../src/core/outputs/outputs-state.ts";
import { rougeFacts } from "./facts.ts";

export const BOILER: Output = {
  id: "boiler",
  name: { fr: "boiler/set", en: "boiler/set" },
  topic: "boiler/set",
  choose: [{ when: "peak", payload: "off" }],
  else: { payload: "on" },
  qos: 1,
  retain: false,
};

export function outputsOf(list: Output[], dry_when_simulated = false): Outputs {
  return { list, dry_when_simulated };
}

/** These verdicts, while no simulation runs. */
export function verdictsOf(states: Record<string, boolean | null>, facts = rougeFacts()): BothVerdicts {
  const verdicts = new Map(Object.entries(states).map(([id, state]) => [id, { state }]));
  return { withSimulation: { verdicts, facts }, withoutSimulation: { verdicts, facts } };
}

/** The state after these payloads were sent and acknowledged, by topic. */
export function stateAfter(payloads: Record<string, string>): OutputsState {
  return Object.entries(payloads).reduce((state, [topic, payload]) => {
    const sending = recordSending(state, sendingOf(topic, payload), 0);
    return recordAcknowledgement(sending, topic, payload);
  }, NOTHING_SENT);
}

/** Of an output whose device does not confirm. */
export function sendingOf(topic: string, payload: string, expect: string | null = null): Sending {
  return { topic, payload, expect, choice: "peak", because: "peak is ON" };
}

/** Whether one of the outputs has failed. */
export function hasFailed({ statuses }: { statuses: () => readonly OutputStatus[] }): boolean {
  return statuses().some(({ state }) => state === "failed");
}

/** What the state file keeps from one sender to the next. */
export interface SavedState {
  get: () => OutputsState;
  save: (state: OutputsState) => Promise<void>;
}

export function savedState(first: OutputsState = NOTHING_SENT): SavedState {
  let saved = first;
  return {
    get: () => saved,
    save: async (next) => {
      saved = JSON.parse(JSON.stringify(next));
    },
  };
}
