import type { BothVerdicts } from "../../src/core/outputs/choose-outputs.ts";
import type { Confirmation, MqttTarget, Output, Outputs } from "../../src/core/outputs/output.ts";
import { type OutputStatus, outputStatus, type ShownSent } from "../../src/core/outputs/output-status.ts";
import { NOTHING_SENT, type OutputsKept } from "../../src/core/outputs/outputs-kept.ts";
import {
  type DevicesState,
  recordAcknowledgement,
  recordSending,
  type Sending,
  type Sent,
} from "../../src/core/outputs/outputs-state.ts";
import { rougeFacts } from "./facts.ts";

export const BOILER: Output = {
  id: "boiler",
  name: { fr: "boiler/set", en: "boiler/set" },
  language: "en",
  key: "boiler/set",
  to: { kind: "mqtt", topic: "boiler/set", qos: 1, retain: false },
  message: false,
  choose: [{ when: "peak", payload: "off" }],
  else: { payload: "on" },
};

/** What an output has that sends to this topic. */
export function toTopic(
  topic: string,
  { qos = 1, retain = false }: Partial<Pick<MqttTarget, "qos" | "retain">> = {},
): { key: string; to: MqttTarget } {
  return { key: topic, to: { kind: "mqtt", topic, qos, retain } };
}

/** A device that reports on this topic. */
export function confirmBy(topic: string, change: Partial<Confirmation> = {}): Confirmation {
  return { from: { kind: "mqtt", topic }, every: 30_000, for: 3_600_000, keep: false, ...change };
}

/** What a device was sent, as people are shown it, with what they are not shown. */
export function sentAsShown(shown: ShownSent, change: Partial<Sent> = {}): Sent {
  return {
    ...shown,
    ...{ id: null, stands: true, answer: "awaited", told: [], came_back: false, stuck: null },
    ...change,
  };
}

/** What is known of an output of which nothing is under way. */
export function statusOf(
  output: Output,
  change: Partial<Parameters<typeof outputStatus>[1]> = {},
): OutputStatus {
  const nothing = { sent: undefined, isRefused: false, isStuck: false, next_try: null, would_send: null };
  return outputStatus(output, { ...nothing, ...change });
}

export function outputsOf(list: Output[], dry_when_simulated = false): Outputs {
  return { list, dry_when_simulated };
}

/** These verdicts, while no simulation runs. */
export function verdictsOf(states: Record<string, boolean | null>, facts = rougeFacts()): BothVerdicts {
  const verdicts = new Map(Object.entries(states).map(([id, state]) => [id, { state }]));
  const known = { at: facts.at, verdicts, factsAt: () => facts };
  return { withSimulation: known, withoutSimulation: known };
}

/** The state after these payloads were sent and acknowledged, by the key of the output. */
export function stateAfter(payloads: Record<string, string>): DevicesState {
  return Object.entries(payloads).reduce<DevicesState>((state, [key, payload]) => {
    const sending = recordSending(state, sendingOf(key, payload), 0);
    return recordAcknowledgement(sending, key, payload);
  }, {});
}

export function keptAfter(payloads: Record<string, string>): OutputsKept {
  return { ...NOTHING_SENT, devices: stateAfter(payloads) };
}

/** Of an output whose device does not confirm. */
export function sendingOf(key: string, payload: string, expect: string | null = null): Sending {
  return {
    key,
    id: key,
    payload,
    expect,
    ...(payload === "on"
      ? { choice: "else", because: "peak is OFF" }
      : { choice: "peak", because: "peak is ON" }),
  };
}

/** Whether one of the outputs has failed. */
export function hasFailed({ statuses }: { statuses: () => readonly OutputStatus[] }): boolean {
  return statuses().some(({ state }) => state === "failed");
}

/** What the state file keeps from one sender to the next. */
export interface SavedState {
  get: () => OutputsKept;
  save: (state: OutputsKept) => Promise<void>;
}

export function savedState(first: OutputsKept = NOTHING_SENT): SavedState {
  let saved = first;
  return {
    get: () => saved,
    save: async (next) => {
      saved = JSON.parse(JSON.stringify(next));
    },
  };
}
