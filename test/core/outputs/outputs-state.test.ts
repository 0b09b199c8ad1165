import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  NOTHING_SENT,
  readOutputsState,
  recordAcknowledgement,
  recordConfirmation,
  recordSending,
  recordWanted,
} from "../../../src/core/outputs/outputs-state.ts";
import { stateAfter } from "../../support/outputs.ts";

describe("the state of outputs", () => {
  test("records the sending, the acknowledgement and the device's answer", () => {
    const sending = recordSending(NOTHING_SENT, { topic: "t", payload: "off", expect: "off" }, 7);
    const sent = { payload: "off", expect: "off", at: 7, stands: true };
    expect(sending).toEqual({ t: { ...sent, acknowledged: false, answer: "awaited" } });
    const arrived = recordAcknowledgement(sending, "t", "off");
    expect(arrived).toEqual({ t: { ...sent, acknowledged: true, answer: "awaited" } });
    expect(recordConfirmation(arrived, "t", "heard")).toEqual({
      t: { ...sent, acknowledged: true, answer: "heard" },
    });
  });

  test("stays the same object where nothing changes", () => {
    const state = stateAfter({ t: "off" });
    expect(recordAcknowledgement(state, "t", "off")).toBe(state);
    expect(recordAcknowledgement(state, "t", "on")).toBe(state);
    expect(recordAcknowledgement(state, "other", "off")).toBe(state);
    expect(recordWanted(state, "t", true)).toBe(state);
    expect(recordWanted(state, "other", false)).toBe(state);
    expect(recordConfirmation(state, "other", "heard")).toBe(state);
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
