import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keepOutputs } from "../../../src/app/outputs-keeper.ts";
import {
  NOTHING_SENT,
  noteAnswer,
  noteArrived,
  noteSending,
  noteStanding,
  readOutputsMemory,
} from "../../../src/core/outputs/outputs-memory.ts";
import { emptyState, type State } from "../../../src/state/state.ts";
import { sentMemory } from "../../support/outputs.ts";

describe("the memory of outputs", () => {
  test("tells what goes out from what has arrived, and what was heard", () => {
    const sending = noteSending(NOTHING_SENT, { topic: "t", payload: "off", expect: "off" }, 7);
    const sent = { payload: "off", expect: "off", at: 7, stands: true };
    expect(sending).toEqual({ t: { ...sent, acknowledged: false, answer: "awaited" } });
    const arrived = noteArrived(sending, "t", "off");
    expect(arrived).toEqual({ t: { ...sent, acknowledged: true, answer: "awaited" } });
    expect(noteAnswer(arrived, "t", "heard")).toEqual({
      t: { ...sent, acknowledged: true, answer: "heard" },
    });
  });

  test("that does not change is the same", () => {
    const memory = sentMemory({ t: "off" });
    expect(noteArrived(memory, "t", "off")).toBe(memory);
    expect(noteArrived(memory, "t", "on")).toBe(memory);
    expect(noteArrived(memory, "other", "off")).toBe(memory);
    expect(noteStanding(memory, "t", true)).toBe(memory);
    expect(noteStanding(memory, "other", false)).toBe(memory);
    expect(noteAnswer(memory, "other", "heard")).toBe(memory);
  });

  test("is kept in the state file", async () => {
    let state: State = emptyState("house");
    const store = {
      state: () => state,
      save: async (next: State) => {
        state = JSON.parse(JSON.stringify(next));
      },
    };
    const keeper = keepOutputs(store);
    expect(keeper.get()).toBe(NOTHING_SENT);
    await keeper.set(sentMemory({ t: "off" }));
    expect(keepOutputs(store).get()).toEqual(sentMemory({ t: "off" }));
    expect(state.installation).toBe("house");
  });

  test("that is none is nothing sent", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (kept) => {
        const memory = readOutputsMemory(kept);
        expect(readOutputsMemory(JSON.parse(JSON.stringify(memory)))).toEqual(memory);
      }),
      { numRuns: 50 },
    );
    for (const kept of [undefined, null, [], { t: { payload: 1 } }])
      expect(readOutputsMemory(kept)).toBe(NOTHING_SENT);
  });
});
