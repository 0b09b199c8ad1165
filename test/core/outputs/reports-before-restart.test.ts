import { expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import type { OutputsKept } from "../../../src/core/outputs/outputs-kept.ts";
import {
  assumed,
  CONFIRM,
  confirmed,
  HOUR,
  house,
  KEEPING,
  MINUTE,
  OVER_HTTP,
  SECOND,
  SHOWING,
} from "../../support/outputs-house.ts";

type House = ReturnType<typeof confirmed>;

/** vigie ends in order, or reads its configuration again: nothing is known of it but what it kept. */
function startAgain(before: House, output: Output, after = SECOND): House {
  before.take({ kind: "ending" });
  const again = house(output, { kept: before.kept(), at: before.now() + after, isPeak: true });
  again.connect();
  again.reportsRead();
  again.turn(true);
  return again;
}

test("a device that did something else just before a restart is told again with keep", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(3 * SECOND);
  const again = startAgain(vigie, KEEPING);
  expect(again.state()).toBe("confirmed");
  again.wait(6 * SECOND);
  expect(again.state()).toBe("contrary");
  expect(again.sent.map(({ payload }) => payload)).toEqual(["off"]);
});

test("without keep it is shown, also if it was heard less than a second before, and within a minute after another report", () => {
  const vigie = confirmed(SHOWING);
  vigie.report("off");
  vigie.wait(200);
  vigie.report("on");
  vigie.wait(300);
  const again = startAgain(vigie, SHOWING);
  again.wait(6 * SECOND);
  expect(again.state()).toBe("contrary");
  expect(again.sent).toEqual([]);
  expect(again.said).toEqual([
    'boiler/set does not do "off" any more: boiler reported "on". vigie leaves it so',
  ]);
});

test("that it is told again is said also if the rules are not decided yet", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.take({ kind: "ending" });
  const again = house(KEEPING, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.verdicts(null);
  again.connect();
  again.wait(15 * SECOND);
  again.turn(true);
  expect(again.said).toEqual([
    'boiler/set does not do "off" any more: boiler reported "on". It is told again',
  ]);
  expect(again.tellings()).toHaveLength(1);
});

test("what is heard while vigie ends counts, too", () => {
  const vigie = confirmed();
  vigie.report("off");
  vigie.take({ kind: "ending" });
  vigie.report("on");
  const again = startAgain(vigie, KEEPING);
  again.wait(6 * SECOND);
  expect(again.state()).toBe("contrary");
});

test.each([
  ["did what it was sent again before", (vigie: House) => vigie.report("off"), () => undefined],
  ["reports it after", () => undefined, (again: House) => again.report("off")],
  ["is held by the broker as one that does", () => undefined, (again: House) => again.report("off", true)],
])("a device that %s the restart stays confirmed", (_title, before, after) => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(2 * SECOND);
  before(vigie);
  vigie.wait(2 * SECOND);
  const again = startAgain(vigie, KEEPING);
  after(again);
  again.wait(HOUR);
  expect(again.state()).toBe("confirmed");
  expect(again.sent).toEqual([]);
});

test("a contrary device that does what it was sent again just before a restart is confirmed after it", () => {
  const vigie = confirmed(SHOWING);
  vigie.report("on");
  vigie.wait(10 * SECOND);
  vigie.report("off");
  vigie.wait(2 * SECOND);
  const again = startAgain(vigie, SHOWING);
  expect(again.state()).toBe("contrary");
  again.wait(6 * SECOND);
  expect(again.state()).toBe("confirmed");
});

test("a device that never obeyed, and says so just before a restart, is told", () => {
  const vigie = assumed(SHOWING);
  vigie.report("on");
  vigie.wait(2 * SECOND);
  const again = startAgain(vigie, SHOWING);
  again.wait(6 * SECOND);
  expect(again.state()).toBe("waiting");
  expect(again.sent.map(({ payload }) => payload)).toEqual(["off"]);
});

test.each<[string, Partial<Output>, string, string]>([
  [
    "a value at a path",
    { confirm: { ...CONFIRM, path: "state.output" } },
    '{"state":{"output":"off"}}',
    '{"state":{"output":"on"}}',
  ],
  [
    "an object",
    { choose: [{ when: "peak", payload: { state: "OFF" } }] },
    '{"state":"OFF","x":1}',
    '{"state":"ON","x":1}',
  ],
  ["a number", { choose: [{ when: "peak", payload: "18" }] }, "18.0", "19"],
])("%s that was reported before a restart is known after it", (_title, change, expected, other) => {
  const output: Output = { ...SHOWING, ...change };
  const heard = (last: string) => {
    const vigie = confirmed(output, expected);
    vigie.report(last);
    vigie.wait(2 * SECOND);
    const again = startAgain(vigie, output);
    again.wait(MINUTE);
    return again.state();
  };
  expect([heard(expected), heard(other)]).toEqual(["confirmed", "contrary"]);
});

test("a long text that is expected, and is shown only in part, contradicts nothing", () => {
  const long = "x".repeat(300);
  const output: Output = { ...SHOWING, choose: [{ when: "peak", payload: long }] };
  const vigie = confirmed(output, long);
  const again = startAgain(vigie, output);
  again.wait(HOUR);
  expect(again.state()).toBe("confirmed");
});

test("a device over HTTP that did something else just before a restart is asked, and told again with keep", () => {
  const vigie = house(OVER_HTTP);
  let ison = false;
  vigie.stateIs(() => JSON.stringify({ ison }));
  vigie.turn(true);
  vigie.wait(4 * MINUTE);
  ison = true;
  vigie.wait(MINUTE + 8 * SECOND);
  expect(vigie.state()).toBe("confirmed");
  const again = startAgain(vigie, OVER_HTTP);
  again.stateIs(() => JSON.stringify({ ison }));
  again.wait(20 * SECOND);
  expect(again.state()).toBe("contrary");
  expect(again.sent.map(({ payload }) => payload)).toEqual(["off"]);
});

test("a payload that is not wanted any more is left so, whatever was reported before a restart", () => {
  const { else: _else, ...withoutElse } = KEEPING;
  const vigie = confirmed(withoutElse);
  vigie.turn(false);
  vigie.report("on");
  vigie.wait(2 * SECOND);
  vigie.take({ kind: "ending" });
  const kept: OutputsKept = vigie.kept();
  const again = house(withoutElse, { kept, at: vigie.now(), isPeak: false });
  again.connect();
  again.wait(HOUR);
  expect(again.state()).toBe("sent");
  expect(again.said).toEqual([]);
});
