import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BothVerdicts,
  chooseOutputs,
  payloadHeldBack,
} from "../../../src/core/outputs/choose-outputs.ts";
import type { Output } from "../../../src/core/outputs/output.ts";
import {
  type DevicesState,
  recordAcknowledgement,
  recordOf,
  recordSending,
} from "../../../src/core/outputs/outputs-state.ts";
import { rougeFacts } from "../../support/facts.ts";
import {
  BOILER,
  confirmBy,
  outputsOf,
  sendingOf,
  stateAfter,
  toTopic,
  verdictsOf,
} from "../../support/outputs.ts";

const NOTHING: DevicesState = {};
const { else: _, ...BARE } = BOILER;
const PUMP: Output = {
  id: "pump",
  name: { fr: "pump/set", en: "pump/set" },
  language: "en",
  ...toTopic("pump/set"),
  message: false,
  else: { payload: "19.5" },
  choose: [
    { when: "peak", payload: "18" },
    { when: "preheat", payload: "20.5" },
  ],
};

/** The payload that goes out, or null. */
function sent(output: Output, states: Record<string, boolean | null>, state: DevicesState): string | null {
  const { sends } = chooseOutputs(outputsOf([output]), verdictsOf(states), state);
  return sends[0]?.payload ?? null;
}

describe("what an output sends", () => {
  const WAS = (payload: string, key = BOILER.key) => stateAfter({ [key]: payload });
  test.each<[string, Output, Record<string, boolean | null>, DevicesState, string | null]>([
    ["a choice begins", BOILER, { peak: true }, WAS("on"), "off"],
    ["a choice ends", BOILER, { peak: false }, WAS("off"), "on"],
    ["a choice goes on", BOILER, { peak: true }, WAS("off"), null],
    ["else goes on", BOILER, { peak: false }, WAS("on"), null],
    ["start, the payload in force is the one last sent", BOILER, { peak: true }, WAS("off"), null],
    ["start, it differs from the last sent", BOILER, { peak: true }, WAS("on"), "off"],
    ["start, else differs from the last sent", BOILER, { peak: false }, WAS("off"), "on"],
    ["the first start ever, a choice is ON", BOILER, { peak: true }, NOTHING, "off"],
    ["the first start ever, all choices OFF", BOILER, { peak: false }, NOTHING, null],
    ["the first start ever, unknown, without a payload for it", BOILER, { peak: null }, NOTHING, null],
    [
      "the first start ever, unknown, with a payload for it",
      { ...BOILER, unknown: { payload: "eco" } },
      { peak: null },
      {},
      "eco",
    ],
    ["all choices OFF and no else", BARE, { peak: false }, WAS("off"), null],
    ["unknown, what was sent last stands", BOILER, { peak: null }, WAS("off"), null],
    [
      "unknown, with a payload for it",
      { ...BOILER, unknown: { payload: "eco" } },
      { peak: null },
      WAS("off"),
      "eco",
    ],
    ["unknown goes on", { ...BOILER, unknown: { payload: "eco" } }, { peak: null }, WAS("eco"), null],
    ["the first choice that is ON counts", PUMP, { peak: true, preheat: true }, {}, "18"],
    ["a choice that is OFF gives way to the next", PUMP, { peak: false, preheat: true }, {}, "20.5"],
    ["one choice follows another", PUMP, { peak: true, preheat: false }, WAS("20.5", "pump/set"), "18"],
    ["an unknown choice hides those behind it", PUMP, { peak: null, preheat: true }, {}, null],
    ["a choice before an unknown one", PUMP, { peak: true, preheat: null }, {}, "18"],
    ["unknown behind OFF", PUMP, { peak: false, preheat: null }, WAS("18", "pump/set"), null],
    ["a rule without a verdict is unknown", BOILER, {}, WAS("off"), null],
  ])("%s", (_title, output, states, memory, payload) => {
    expect(sent(output, states, memory)).toBe(payload);
  });

  test("has the choice that decided, and what people call the device", () => {
    const outputs = outputsOf([{ ...BOILER, name: { fr: "Chauffe-eau", en: "Boiler" } }]);
    const { sends } = chooseOutputs(outputs, verdictsOf({ peak: true }), NOTHING);
    expect(sends).toEqual([{ ...sendingOf("boiler/set", "off"), id: BOILER.id }]);
  });

  test("names the rules that are OFF as the reason of else", () => {
    const reasonOf = (output: Output) => {
      const was = stateAfter({ [output.key]: "x" });
      return chooseOutputs(outputsOf([output]), verdictsOf({ peak: false, preheat: false }), was).sends[0]
        ?.because;
    };
    expect([reasonOf(BOILER), reasonOf(PUMP)]).toEqual(["peak is OFF", "peak and preheat are OFF"]);
  });

  test("is sent again without an acknowledgement", () => {
    const sending = recordSending(NOTHING, sendingOf("boiler/set", "off"), 0);
    expect(sent(BOILER, { peak: true }, sending)).toBe("off");
    expect(sent(BOILER, { peak: false }, sending)).toBe("on");
    expect(sent(BOILER, { peak: true }, recordAcknowledgement(sending, "boiler/set", "off"))).toBeNull();
  });

  test("is sent again when a choice begins again, though the payload is the one sent last", () => {
    const was = stateAfter({ "boiler/set": "off" });
    const { state } = chooseOutputs(outputsOf([BARE]), verdictsOf({ peak: false }), was);
    expect(sent(BARE, { peak: true }, state)).toBe("off");
    // While the verdict is unknown, the payload stays wanted.
    const unsure = chooseOutputs(outputsOf([BARE]), verdictsOf({ peak: null }), was).state;
    expect(unsure).toBe(was);
    expect(sent(BARE, { peak: true }, unsure)).toBeNull();
  });

  test("an else that is the payload sent last is wanted again, and is not sent", () => {
    const was = recordOf(stateAfter({ "boiler/set": "on" }), "boiler/set", { stands: false });
    const { sends, state } = chooseOutputs(outputsOf([BOILER]), verdictsOf({ peak: false }), was);
    expect([sends, state["boiler/set"]?.stands]).toEqual([[], true]);
  });

  test("each topic has its own state, whatever its name", () => {
    const list = ["constructor", "__proto__", "a"].map((topic) => ({ ...BOILER, ...toTopic(topic) }));
    const { sends } = chooseOutputs(outputsOf(list), verdictsOf({ peak: true }), NOTHING);
    expect(sends.map(({ key }) => key)).toEqual(["constructor", "__proto__", "a"]);
    expect(chooseOutputs(outputsOf(list), verdictsOf({ peak: false }), NOTHING).sends).toEqual([]);
  });
});

describe("while a simulation runs", () => {
  const { withSimulation: on } = verdictsOf({ peak: true });
  const { withSimulation: off } = verdictsOf({ peak: false });
  const pretended = { withSimulation: on, withoutSimulation: off };
  const hidden = { withSimulation: off, withoutSimulation: on };
  const was = stateAfter({ "boiler/set": "on" });

  test("outputs follow it", () => {
    expect(chooseOutputs(outputsOf([BOILER]), pretended, was).sends[0]?.payload).toBe("off");
  });

  test("dry outputs follow the real colour, so that no real rouge is missed", () => {
    expect(chooseOutputs(outputsOf([BOILER], true), pretended, was).sends).toEqual([]);
    const toHidden = chooseOutputs(outputsOf([BOILER], true), hidden, was);
    expect(toHidden.sends[0]?.payload).toBe("off");
  });

  test.each<[string, BothVerdicts, DevicesState, string | null]>([
    ["a pretended choice", pretended, was, "off"],
    ["a pretended choice before anything was sent", pretended, NOTHING, "off"],
    ["a pretended else after a choice", hidden, stateAfter({ "boiler/set": "off" }), "on"],
    ["no pretended else where nothing was sent", hidden, NOTHING, null],
    ["nothing where the real payload is the same", { withSimulation: on, withoutSimulation: on }, was, null],
    ["nothing where the payload was sent already", pretended, stateAfter({ "boiler/set": "off" }), null],
  ])("a dry output holds back %s", (_title, both, state, payload) => {
    expect(payloadHeldBack(BOILER, both, { sent: state["boiler/set"] })).toBe(payload);
  });
});

describe("what a device has to report", () => {
  const confirm = confirmBy("boiler");
  test.each<[string, Output, boolean, string | null]>([
    ["nothing without confirm", BOILER, true, null],
    ["the payload", { ...BOILER, confirm }, true, "off"],
    ["the expect of else", { ...BOILER, else: { payload: "on", expect: "1" }, confirm }, false, "1"],
    [
      "the choice's own expect",
      { ...BOILER, choose: [{ when: "peak", payload: "off", expect: "0" }], confirm },
      true,
      "0",
    ],
    [
      "an object as JSON",
      { ...BOILER, choose: [{ when: "peak", payload: { state: "OFF" }, expect: { on: false } }], confirm },
      true,
      '{"on":false}',
    ],
    [
      "with placeholders filled in",
      { ...BOILER, choose: [{ when: "peak", payload: "{now.color}" }], confirm },
      true,
      "rouge",
    ],
  ])("is %s", (_title, output, peak, expected) => {
    const { sends } = chooseOutputs(
      outputsOf([output]),
      verdictsOf({ peak }),
      stateAfter({ "boiler/set": "x" }),
    );
    expect(sends[0]?.expect).toBe(expected);
  });
});

describe("over any run of verdicts", () => {
  const verdict = fc.constantFrom(true, false, null);
  const runs = fc.array(fc.record({ peak: verdict, preheat: verdict }), { maxLength: 30 });

  test("what is sent differs from what was sent before, and equal verdicts send nothing more", () => {
    fc.assert(
      fc.property(runs, fc.boolean(), (run, hasUnknown) => {
        const output = hasUnknown ? { ...PUMP, unknown: { payload: "19" } } : PUMP;
        let state = NOTHING;
        let last: string | undefined;
        for (const states of run) {
          for (const round of [1, 2]) {
            const chosen = chooseOutputs(outputsOf([output]), verdictsOf(states), state);
            state = chosen.state;
            for (const send of chosen.sends) {
              expect(round).toBe(1);
              expect(send.payload).not.toBe(last);
              last = send.payload;
              state = recordAcknowledgement(recordSending(state, send, 0), send.key, send.payload);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a placeholder whose value changes is sent while the choice stays ON", () => {
    const output = { ...BOILER, choose: [{ when: "peak", payload: "{left.rouge} left" }] };
    const was = stateAfter({ "boiler/set": "21 left" });
    expect(sent(output, { peak: true }, was)).toBeNull();
    const facts = rougeFacts();
    const fewer = { ...facts, dated: { ...facts.dated, left: { rouge: 20, blanc: 1, bleu: 1 } } };
    const { sends } = chooseOutputs(outputsOf([output]), verdictsOf({ peak: true }, fewer), was);
    expect(sends[0]?.payload).toBe("20 left");
  });
});
