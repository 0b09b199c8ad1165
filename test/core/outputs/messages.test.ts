import { describe, expect, test } from "vitest";
import { markSimulated } from "../../../src/core/outputs/mark-simulated.ts";
import { rougeFacts } from "../../support/facts.ts";
import { verdictsOf } from "../../support/outputs.ts";
import { HOUR, house, PHONE } from "../../support/outputs-house.ts";

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
    ["a list in which no name is a usual one", '["rouge"]', '[simulation] ["rouge"]'],
    [
      "the texts of a list",
      '[{"text":"a"},{"text":"b"}]',
      '[{"text":"[simulation] a"},{"text":"[simulation] b"}]',
    ],
    [
      "an object says so beside its texts, if no name is a usual one",
      '{"number":"+33600000001","words":"rouge"}',
      '{"number":"+33600000001","words":"rouge","simulation":true}',
    ],
    ["a number with a usual name", '{"message":22}', '{"message":"[simulation] 22"}'],
  ])("%s", (_title, payload, marked) => {
    expect(markSimulated(payload)).toBe(marked);
  });

  test.each([
    ["the text of its field", "token=abc&message=rouge", "token=abc&message=%5Bsimulation%5D+rouge"],
    ["a field of its own, if no name is a usual one", "words=rouge", "words=rouge&simulation=true"],
  ])("in a form, %s", (_title, payload, marked) => {
    expect(markSimulated(payload, "application/x-www-form-urlencoded")).toBe(marked);
  });
});

describe("a message whose choice is in force without the simulation, too", () => {
  const output = { ...PHONE, choose: [{ when: "peak", payload: "next: {next.color}" }] };
  const real = rougeFacts();
  const pretended = {
    ...real,
    moment: real.moment && { ...real.moment, next: { ...real.moment.next, color: "blanc" } },
  };
  const simulated = {
    withSimulation: verdictsOf({ peak: true }, pretended as typeof real).withSimulation,
    withoutSimulation: verdictsOf({ peak: true }, real).withoutSimulation,
  };

  test("says what is true, and is not marked", () => {
    const vigie = house(output);
    vigie.verdicts(simulated);
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(["next: rouge"]);
  });

  test("is not sent again because a simulation begins or ends", () => {
    const vigie = house(output);
    for (let hour = 0; hour < 8; hour += 1) {
      vigie.verdicts(hour % 2 === 0 ? simulated : verdictsOf({ peak: true }, real));
      vigie.wait(HOUR);
    }
    expect(vigie.sent).toHaveLength(1);
  });
});
