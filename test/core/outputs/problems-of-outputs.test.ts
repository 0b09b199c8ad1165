import { expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import type { OutputsPart } from "../../../src/core/outputs/outputs-part.ts";
import { startOutputs } from "../../../src/core/outputs/start-outputs.ts";
import { outputsOf } from "../../support/outputs.ts";
import {
  confirmed,
  HOUR,
  house,
  KEEPING,
  MINUTE,
  OVER_HTTP,
  SECOND,
  SHOWING,
  START,
} from "../../support/outputs-house.ts";

const { else: _else, ...WITHOUT_ELSE } = KEEPING;
const { confirm: _confirm, ...WITHOUT_CONFIRM } = SHOWING;
const REFUSED = (number: number) =>
  ({ kind: "refused", number, message: "The broker refuses boiler/set: not authorized" }) as const;

/** The configuration was read again, with this output in place of the one before. */
function reloaded(before: OutputsPart, outputs: Output[]): OutputsPart {
  const at = { now: START + 3 * HOUR, steady: 31 * 24 * HOUR };
  return startOutputs(before.kept, at, { outputs: outputsOf(outputs), before: before.passing });
}

test("a device that never obeyed is no problem any more when its output is removed, or nothing confirms it", () => {
  const vigie = house(SHOWING);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(2 * HOUR);
  expect(vigie.status()?.hasFailed).toBe(true);
  const isOver = {
    problem: "answer boiler/set",
    isOver: "Nothing is asked of the former device of output boiler any more",
  };
  for (const outputs of [[], [WITHOUT_CONFIRM], [{ ...SHOWING, key: "plug/set" }]]) {
    const part = reloaded(vigie.part(), outputs);
    expect(part.passing.said).toEqual([isOver]);
    expect(part.kept.devices[SHOWING.key]?.stuck ?? null).toBe(null);
  }
  expect(reloaded(vigie.part(), [SHOWING]).passing.said).toEqual([]);
});

test("a payload that was not taken stays a problem over a reload, and is tried at once", () => {
  const vigie = house(WITHOUT_ELSE);
  vigie.connect();
  vigie.answerWith(REFUSED);
  vigie.turn(true);
  vigie.wait(MINUTE);
  const part = reloaded(vigie.part(), [WITHOUT_ELSE]);
  expect(part.passing.said).toEqual([]);
  expect(part.passing.byKey.get("boiler/set")?.retry).toMatchObject({ isProblem: true, at: 31 * 24 * HOUR });
});

test("a telling that was refused is no problem any more when the device does what it was sent", () => {
  const vigie = confirmed(WITHOUT_ELSE);
  vigie.answerWith(REFUSED);
  vigie.report("on");
  vigie.wait(10 * SECOND);
  expect(vigie.said).toContain("The broker refuses boiler/set: not authorized");
  vigie.report("off");
  vigie.wait(10 * SECOND);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.said).toContain("Nothing has to be sent to boiler/set any more");
});

test("a telling that was refused is no problem any more when its choice has ended", () => {
  const { else: _none, ...withoutElse } = OVER_HTTP;
  const again = house(withoutElse);
  let ison = false;
  again.stateIs(() => JSON.stringify({ ison }));
  again.turn(true);
  again.wait(MINUTE);
  ison = true;
  again.answerWith((number) => ({ kind: "refused", number, message: "status 401" }));
  again.wait(10 * MINUTE);
  expect(again.said.at(-1)).toContain("status 401");
  again.turn(false);
  expect(again.said).toContain("Nothing has to be sent to http://192.0.2.40 any more");
});

test("a payload that the broker refuses stays a problem on the next connection, without another write", () => {
  const vigie = house(WITHOUT_ELSE);
  vigie.connect();
  vigie.answerWith(REFUSED);
  vigie.turn(true);
  const changes = vigie.changes();
  for (let round = 0; round < 10; round += 1) {
    vigie.wait(MINUTE);
    vigie.lose();
    expect(vigie.state()).toBe("failed");
    vigie.connect();
  }
  expect(vigie.sent).toHaveLength(11);
  expect(vigie.changes()).toBe(changes);
  vigie.lose();
  vigie.turn(false);
  expect(vigie.said.at(-1)).toBe("Nothing has to be sent to boiler/set any more");
});
