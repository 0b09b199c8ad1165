import type { BothVerdicts } from "../../src/core/outputs/choose-outputs.ts";
import type { Output, Outputs } from "../../src/core/outputs/output.ts";
import {
  NOTHING_SENT,
  type OutputsState,
  recordAcknowledgement,
  recordSending,
} from "../../src/core/outputs/outputs-state.ts";
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

/** These verdicts, while no simulation runs. */
export function verdictsOf(states: Record<string, boolean | null>, facts = rougeFacts()): BothVerdicts {
  const verdicts = new Map(Object.entries(states).map(([id, state]) => [id, { state }]));
  return { withSimulation: { verdicts, facts }, withoutSimulation: { verdicts, facts } };
}

/** The state after these payloads were sent and acknowledged, by topic. */
export function stateAfter(payloads: Record<string, string>): OutputsState {
  return Object.entries(payloads).reduce((state, [topic, payload]) => {
    const sending = recordSending(state, { topic, payload, expect: null }, 0);
    return recordAcknowledgement(sending, topic, payload);
  }, NOTHING_SENT);
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
