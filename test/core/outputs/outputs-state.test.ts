import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  lastSent,
  NOTHING_SENT,
  type OutputsState,
  readOutputsState,
  recordAcknowledgement,
  recordOf,
  recordSending,
} from "../../../src/core/outputs/outputs-state.ts";
import { sendingOf, stateAfter } from "../../support/outputs.ts";

describe("the state of outputs", () => {
  test("records the sending, the acknowledgement and the device's answer", () => {
    const sending = recordSending(NOTHING_SENT, sendingOf("t", "off", "off"), 7);
    const sent = {
      payload: "off",
      expect: "off",
      at: 7,
      stands: true,
      choice: "peak",
      because: "peak is ON",
      tries: 1,
      last_answer: null,
      answered_at: null,
      told: [],
      away_since: null,
      pretended: false,
      id: "t",
      came_back: false,
      stuck: null,
      delivered: [],
      day: null,
      color: null,
      told_days: null,
    };
    expect(sending).toEqual({ t: { ...sent, acknowledged: false, answer: "awaited" } });
    const arrived = recordAcknowledgement(sending, "t", "off");
    expect(arrived).toEqual({ t: { ...sent, acknowledged: true, answer: "awaited" } });
    expect(recordOf(arrived, "t", { answer: "heard", last_answer: "OFF", answered_at: 9 })).toEqual({
      t: { ...sent, acknowledged: true, answer: "heard", last_answer: "OFF", answered_at: 9 },
    });
  });

  test("counts how often a payload was sent, and begins again with another one", () => {
    const send = (state: OutputsState, payload: string) => recordSending(state, sendingOf("t", payload), 0);
    const unacknowledged = send(send(NOTHING_SENT, "off"), "off");
    const acknowledged = recordAcknowledgement(unacknowledged, "t", "off");
    const tries = [unacknowledged, send(acknowledged, "off"), send(unacknowledged, "on")];
    expect(tries.map((state) => state["t"]?.tries)).toEqual([2, 1, 1]);
  });

  test("of an earlier version is read: what was sent counts as sent", () => {
    const kept = { payload: "off", expect: null, at: 7, acknowledged: true, stands: true, answer: "none" };
    expect(readOutputsState({ "boiler/set": kept })).toEqual({
      "boiler/set": {
        ...kept,
        choice: null,
        because: null,
        tries: 1,
        last_answer: null,
        answered_at: null,
        told: [],
        away_since: null,
        pretended: false,
        id: null,
        came_back: false,
        stuck: null,
        delivered: [],
        day: null,
        color: null,
        told_days: null,
      },
    });
  });

  test("stays the same object where nothing changes", () => {
    const state = stateAfter({ t: "off" });
    expect(recordAcknowledgement(state, "t", "off")).toBe(state);
    expect(recordAcknowledgement(state, "t", "on")).toBe(state);
    expect(recordAcknowledgement(state, "other", "off")).toBe(state);
    expect(recordOf(state, "t", { stands: true })).toBe(state);
    expect(recordOf(state, "other", { stands: false })).toBe(state);
  });

  test("is empty where the state file holds no valid one", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (kept) => {
        const state = readOutputsState(kept);
        expect(readOutputsState(JSON.parse(JSON.stringify(state)))).toEqual(state);
      }),
      { numRuns: 50 },
    );
    for (const kept of [undefined, null, [], { t: { payload: 1 } }])
      expect(readOutputsState(kept)).toBe(NOTHING_SENT);
  });
});

test("what was sent to a topic of any name is read again from the state file", () => {
  const state = stateAfter({ constructor: "off", ["__proto__"]: "off", "boiler/set": "on" });
  const read = readOutputsState(JSON.parse(JSON.stringify(state)));
  expect(["constructor", "__proto__", "boiler/set"].map((topic) => lastSent(read, topic)?.payload)).toEqual([
    "off",
    "off",
    "on",
  ]);
});
