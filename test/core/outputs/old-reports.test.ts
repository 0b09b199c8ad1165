import { expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { NOTHING_SENT } from "../../../src/core/outputs/outputs-kept.ts";
import { recordSending } from "../../../src/core/outputs/outputs-state.ts";
import { BOILER, sendingOf, verdictsOf } from "../../support/outputs.ts";
import { byHand, HOUR, house, KEEPING, MINUTE, SECOND, SHOWING, START } from "../../support/outputs-house.ts";

/** "off" was sent to the boiler, of which the broker holds an old report that says the same. */
function assumed(output: Output, { isPeak = true, word = "off" } = {}) {
  const vigie = house(output);
  vigie.connect();
  vigie.report(word, true);
  vigie.reportsRead();
  // `else` is sent only after a choice.
  vigie.turn(true);
  vigie.turn(isPeak);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("sent");
  vigie.sent.length = 0;
  vigie.said.length = 0;
  return vigie;
}

test.each([
  ["with keep", KEEPING],
  ["without keep", SHOWING],
])(
  "a device that never obeyed, though an old report says so, is told until it obeys: %s",
  (_title, output) => {
    const vigie = assumed(output);
    vigie.report("on");
    vigie.wait(4 * SECOND);
    expect(vigie.sent).toEqual([]);
    vigie.wait(2 * SECOND);
    expect(vigie.state()).toBe("waiting");
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(["off"]);
    vigie.wait(MINUTE);
    expect(vigie.sent).toHaveLength(3);
    expect(vigie.said).toEqual([
      'Only an old report said that boiler/set does "off", and boiler reported "on". It is told again',
    ]);
    vigie.wait(HOUR);
    expect(vigie.state()).toBe("failed");
    vigie.report("off");
    expect(vigie.state()).toBe("confirmed");
  },
);

test("a report that is over within 5 s does not make a device that is assumed to obey told again", () => {
  const vigie = assumed(SHOWING);
  vigie.report("on");
  vigie.wait(3 * SECOND);
  vigie.report("off");
  vigie.wait(HOUR);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.sent).toEqual([]);
});

test("of `else`, something else is said of a device that is assumed to obey, and it is left so", () => {
  const vigie = assumed(SHOWING, { isPeak: false, word: "on" });
  vigie.report("off");
  vigie.wait(HOUR);
  expect(vigie.state()).toBe("contrary");
  expect(vigie.sent).toEqual([]);
  expect(vigie.said).toEqual([
    'boiler/set does not do "on" any more: boiler reported "off". vigie leaves it so',
  ]);
});

test.each([
  ["with keep", KEEPING],
  ["without keep", SHOWING],
])(
  "a device that is only assumed to obey is told if the broker holds something else later: %s",
  (_title, output) => {
    const kept = assumed(output).kept();
    const again = house(output, { kept, at: HOUR, isPeak: true });
    again.connect();
    again.report("on", true);
    again.reportsRead();
    again.turn(true);
    again.wait(6 * SECOND);
    expect(again.state()).toBe("waiting");
    expect(again.sent.map(({ payload }) => payload)).toEqual(["off"]);
  },
);

test("a payload that nobody has acknowledged before a kill is sent again, and an old report says nothing before that", () => {
  const kept = {
    ...NOTHING_SENT,
    devices: recordSending({}, sendingOf(BOILER.key, "off", "off"), START),
  };
  const vigie = byHand([SHOWING], { kept, isAfterCrash: true });
  vigie.open(1);
  vigie.report("off", true);
  vigie.take({ kind: "reports read", connection: 1 });
  vigie.pass(10 * SECOND);
  expect(vigie.said()).toEqual([]);
  vigie.decide(verdictsOf({ peak: true }));
  vigie.save();
  const [due] = vigie.due();
  vigie.take({ kind: "acknowledged", number: due?.number ?? 0 });
  expect(vigie.said()).toEqual(expect.arrayContaining([expect.stringContaining('is not sent "off" again')]));
  expect(vigie.status()?.state).toBe("sent");
});
