import fc from "fast-check";
import { expect, test } from "vitest";
import type { OutputsEvent } from "../../../src/core/outputs/take-outputs.ts";
import { runs } from "../../support/long.ts";
import { BOILER } from "../../support/outputs.ts";
import { HOUR, house, MINUTE, PHONE, SECOND } from "../../support/outputs-house.ts";

const CHOOSE = [
  { when: "peak", payload: "A" },
  { when: "other", payload: "B" },
];
const OUTPUTS = [
  { ...PHONE, choose: CHOOSE },
  { ...PHONE, choose: CHOOSE, key: BOILER.key, to: BOILER.to },
];
const ANSWERS = ["taken", "refused", "no answer", "busy", "not reached", "lost", "nothing"] as const;
type Answer = (typeof ANSWERS)[number];

const state = fc.constantFrom(true, true, false, false, null);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("rules" as const), peak: state, other: state }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      passes: fc.oneof(fc.integer({ min: 1, max: MINUTE }), fc.constantFrom(10 * MINUTE, HOUR, 7 * HOUR)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      answer: fc.constantFrom("taken" as const, ...ANSWERS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("disk" as const), works: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("connect", "lose", "kill") }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function createWorld(output: (typeof OUTPUTS)[number]) {
  let vigie = house(output);
  let states: Record<string, boolean | null> = { peak: false, other: false };
  let answer: Answer = "taken";
  /** What people have read, or may have. */
  const read: { at: number; text: string }[] = [];
  let seen = 0;
  const answerOf = (number: number): OutputsEvent => {
    const mayHaveArrived = answer === "no answer" || answer === "lost";
    switch (answer) {
      case "taken":
        return { kind: "acknowledged", number };
      case "refused":
        return { kind: "refused", number, message: "no" };
      case "nothing":
        return { kind: "saved", changes: 0 };
      default:
        return answer === "lost" && output.to.kind === "mqtt"
          ? { kind: "connection lost", connection: vigie.connection() }
          : {
              kind: "unanswered",
              number,
              message: "no",
              mayHaveArrived,
              isBusy: answer === "busy",
              retryAfter: null,
            };
    }
  };
  const wanted = () => (states.peak ? "A" : states.peak === null ? null : states.other ? "B" : null);
  const judge = () => {
    for (const { at, payload } of vigie.sent.slice(seen)) {
      expect(payload, "it is wanted").toBe(wanted());
      if (answer !== "refused" && answer !== "busy" && answer !== "not reached")
        read.push({ at, text: payload });
    }
    seen = vigie.sent.length;
  };
  const connect = () => {
    vigie.answerWith(answerOf);
    vigie.connect();
    judge();
  };
  const kill = () => {
    vigie = house(output, { kept: vigie.saved(), at: vigie.now() + SECOND });
    vigie.verdicts(null);
    seen = 0;
    connect();
    vigie.states(states);
  };
  const live = (one: Step) => {
    if (one.kind === "rules") {
      states = { peak: one.peak, other: one.other };
      vigie.states(states);
    } else if (one.kind === "time") vigie.wait(one.passes);
    else if (one.kind === "answer") answer = one.answer;
    else if (one.kind === "disk") vigie.saves(one.works);
    else if (one.kind === "connect") connect();
    else if (one.kind === "lose") vigie.lose();
    else kill();
    judge();
  };
  connect();
  /** All is taken, and nothing more happens. */
  const rest = () => {
    answer = "taken";
    vigie.saves(true);
    judge();
    kill();
    vigie.wait(8 * HOUR);
    judge();
    if (wanted() !== null && vigie.state() !== "failed") expect(read.at(-1)?.text).toBe(wanted());
  };
  return { live, rest };
}

test.each(OUTPUTS)(
  "whatever happens, only a message that is wanted goes out to $key, and the last one that people read is the one in force",
  (output) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 3, maxLength: 40 }), (steps) => {
        const world = createWorld(output);
        for (const one of steps) world.live(one);
        world.rest();
      }),
      { numRuns: runs(3_000) },
    );
  },
);
