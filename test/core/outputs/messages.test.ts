import { describe, expect, test } from "vitest";
import { chooseOutputs } from "../../../src/core/outputs/choose-outputs.ts";
import { markSimulated } from "../../../src/core/outputs/mark-simulated.ts";
import { recordArrival } from "../../../src/core/outputs/messages.ts";
import { NOTHING_SENT, type OutputsState, recordSending } from "../../../src/core/outputs/outputs-state.ts";
import { rougeFacts } from "../../support/facts.ts";
import { outputsOf, verdictsOf } from "../../support/outputs.ts";
import { PHONE } from "../../support/outputs-house.ts";

describe("a message of a simulation begins with [simulation]", () => {
  test.each<[string, string, string]>([
    ["a text", "rouge", "[simulation] rouge"],
    [
      "the usual names of an object",
      '{"message":"a","priority":5}',
      '{"message":"[simulation] a","priority":5}',
    ],
    [
      "a usual name at any depth",
      '{"to":["+33600000002"],"notification":{"title":"Rouge","body":"tomorrow"}}',
      '{"to":["+33600000002"],"notification":{"title":"[simulation] Rouge","body":"[simulation] tomorrow"}}',
    ],
    [
      "the longest text, if no name is a usual one, and no recipient",
      '{"recipients":["somebody with a long name"],"number":"+33600000001","words":"rouge"}',
      '{"recipients":["somebody with a long name"],"number":"+33600000001","words":"[simulation] rouge"}',
    ],
    [
      "the texts of a list",
      '[{"text":"a"},{"text":"b"}]',
      '[{"text":"[simulation] a"},{"text":"[simulation] b"}]',
    ],
    [
      "an object of its own, if there is only an address",
      '{"chat_id":"5"}',
      '{"chat_id":"5","simulation":true}',
    ],
    ["a number with a usual name", '{"message":22}', '{"message":"[simulation] 22"}'],
    [
      "no address over HTTP",
      '{"a":{"x":"https://example.org/a-long-address-of-a-picture","caption":"rouge"}}',
      '{"a":{"x":"https://example.org/a-long-address-of-a-picture","caption":"[simulation] rouge"}}',
    ],
  ])("%s", (_title, payload, marked) => {
    expect(markSimulated(payload)).toBe(marked);
  });

  test("in a form, the text of its field", () => {
    const marked = markSimulated("token=abc&message=rouge", "application/x-www-form-urlencoded");
    expect(marked).toBe("token=abc&message=%5Bsimulation%5D+rouge");
  });
});

describe("a message whose choice is in force without the simulation, too", () => {
  const output = { ...PHONE, choose: [{ when: "peak", payload: "next: {next.color}" }] };
  const real = rougeFacts();
  const pretended = {
    ...real,
    moment: real.moment && { ...real.moment, next: { ...real.moment.next, color: "blanc" } },
  };
  const both = {
    withSimulation: verdictsOf({ peak: true }, pretended as typeof real).withSimulation,
    withoutSimulation: verdictsOf({ peak: true }, real).withoutSimulation,
  };
  const choose = (state: OutputsState) => chooseOutputs(outputsOf([output]), both, state, 0);

  test("says what is true, and is not marked", () => {
    const [truth] = chooseOutputs(
      outputsOf([output]),
      verdictsOf({ peak: true }, real),
      NOTHING_SENT,
      0,
    ).sends;
    expect(choose(NOTHING_SENT).sends).toEqual([truth]);
  });

  test("is not sent again because a simulation begins or ends", () => {
    const [first] = choose(NOTHING_SENT).sends;
    if (!first) throw new Error("nothing is sent");
    const sent = recordSending(NOTHING_SENT, first, 0);
    const state = recordArrival(sent, output.key, { isTaken: true, at: 0 });
    const later = 7 * 3_600_000;
    expect(choose(state).sends).toEqual([]);
    expect(chooseOutputs(outputsOf([output]), verdictsOf({ peak: true }, real), state, later).sends).toEqual(
      [],
    );
  });
});
