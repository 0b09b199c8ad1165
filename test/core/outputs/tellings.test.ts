import { expect, test } from "vitest";
import { readOutputs } from "../../../src/core/outputs/outputs-state.ts";
import type { OutputsEvent } from "../../../src/core/outputs/take-outputs.ts";
import { verdictsOf } from "../../support/outputs.ts";
import {
  byHand,
  CONFIRM,
  confirmed,
  HOUR,
  house,
  KEEPING,
  MINUTE,
  OVER_HTTP,
  PHONE,
  SECOND,
  SHOWING,
  START,
} from "../../support/outputs-house.ts";

const REFUSED = (number: number): OutputsEvent => ({
  kind: "refused",
  number,
  message: "status 401: check the token",
});
const busy = (retryAfter: number | null) => (number: number) =>
  ({ kind: "unanswered", number, message: "status 429", mayHaveArrived: false, retryAfter }) as const;
const TAKEN = (number: number): OutputsEvent => ({ kind: "acknowledged", number });
const { else: _, ...KEEPING_WITHOUT_ELSE } = KEEPING;

/** The relay over HTTP was confirmed, and is ON since. */
function contraryOverHttp() {
  const vigie = house(OVER_HTTP);
  const device = { ison: false };
  vigie.stateIs(() => JSON.stringify(device));
  vigie.turn(true);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
  vigie.sent.length = 0;
  device.ison = true;
  return { vigie, device };
}

test("a refused telling is made again each ten minutes, and arrives when it is taken", () => {
  const { vigie, device } = contraryOverHttp();
  vigie.answerWith(REFUSED);
  vigie.wait(40 * MINUTE);
  const [first = 0, second = 0, third = 0] = vigie.tellings();
  expect([second - first, third - second]).toEqual([600, 600]);
  vigie.answerWith((number) => {
    device.ison = false;
    return TAKEN(number);
  });
  vigie.wait(20 * MINUTE);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.said).toContain("http://192.0.2.40 takes messages again");
});

test.each([
  ["refused", REFUSED],
  ["not answered", busy(null)],
])("nobody is said to switch a device back if each telling was %s", (_title, answer) => {
  const { vigie } = contraryOverHttp();
  vigie.answerWith(answer);
  vigie.wait(2 * HOUR);
  expect(vigie.sent.length).toBeGreaterThan(5);
  expect(vigie.said.filter((line) => line.includes("something switches it back"))).toEqual([]);
});

test("that something switches it back is said with the fifth telling in an hour, and not before", () => {
  const vigie = confirmed();
  vigie.report("on");
  const isSaid = () => vigie.said.some((line) => line.includes("something switches it back"));
  const waitFor = (tellings: number) => {
    while (vigie.sent.length < tellings) {
      vigie.wait(SECOND);
      vigie.report("on");
    }
  };
  waitFor(4);
  vigie.wait(20 * SECOND);
  expect(isSaid()).toBe(false);
  waitFor(5);
  vigie.wait(SECOND);
  expect(isSaid()).toBe(true);
});

test("of a device that is silent since it was told five times, nobody is said to switch it back", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(HOUR);
  expect(vigie.said.at(-1)).toContain('boiler has reported nothing since "on"');
  expect(vigie.state()).toBe("contrary");
});

test("a device that never confirms is failed, also if the connection is lost more often than once an hour", () => {
  const vigie = house(KEEPING);
  vigie.connect();
  vigie.turn(true);
  for (let round = 0; round < 3; round += 1) {
    vigie.wait(50 * MINUTE);
    vigie.lose();
    vigie.connect();
  }
  expect(vigie.state()).toBe("failed");
});

test("a device over HTTP is not told again before it has answered what it does", () => {
  const vigie = byHand([OVER_HTTP]);
  vigie.decide(verdictsOf({ peak: true }));
  vigie.save();
  const [sending] = vigie.due();
  vigie.take({ kind: "acknowledged", number: sending?.number ?? 0 });
  vigie.pass(5 * MINUTE);
  const [question] = vigie.questions();
  expect([vigie.due().length, question]).toEqual([0, expect.anything()]);
  vigie.take({ kind: "answer", number: question?.number ?? 0, payload: '{"ison":true}' });
  vigie.pass(SECOND);
  expect(vigie.due()).toHaveLength(1);
});

test("a device that comes back, again and again, and does something else is told eleven times in the first hour", () => {
  const vigie = confirmed({
    ...KEEPING,
    confirm: { ...CONFIRM, keep: true, online: { topic: "boiler/online", equals: "true" } },
  });
  for (let second = 0; second < 3600; second += 1) {
    if (second % 60 === 0) vigie.publish("boiler/online", "true");
    vigie.report("on");
    vigie.wait(SECOND);
  }
  expect(vigie.sent.length).toBeLessThanOrEqual(11);
});

test("a device that was told often is told again ten minutes after the last time, though the connection comes and goes", () => {
  const vigie = confirmed({
    ...SHOWING,
    confirm: { ...CONFIRM, online: { topic: "boiler/online", equals: "true" } },
  });
  vigie.publish("boiler/online", "true");
  vigie.wait(10 * MINUTE);
  expect(vigie.state()).toBe("waiting");
  const told = vigie.sent.length;
  expect(told).toBeGreaterThanOrEqual(5);
  for (let round = 0; round < 15; round += 1) {
    vigie.lose();
    vigie.connect();
    vigie.wait(2 * MINUTE);
  }
  expect(vigie.sent.length - told).toBeGreaterThanOrEqual(2);
  expect(vigie.sent.length - told).toBeLessThanOrEqual(3);
});

test("a payload that is sent after the clock was set back is repeated as usual, whatever its device was told before", () => {
  const { [SHOWING.key]: sent } = confirmed(SHOWING).kept();
  const told = [1, 2, 3, 4, 5].map((minute) => START + 24 * HOUR + minute * MINUTE);
  const kept = readOutputs({ [SHOWING.key]: { ...sent, payload: "on", told } }).state;
  const vigie = house(SHOWING, { kept });
  vigie.connect();
  vigie.turn(true);
  vigie.wait(10 * MINUTE);
  expect(vigie.sent).toHaveLength(1 + 20);
});

test("a broker that refuses each telling causes no write for each", () => {
  const vigie = confirmed();
  vigie.answerWith((number) => ({ kind: "refused", number, message: "not authorised" }));
  vigie.report("on");
  const before = vigie.changes();
  vigie.wait(24 * HOUR);
  expect(vigie.changes() - before).toBeLessThan(160);
});

test("a plug whose report the broker does not hold is told again on a new connection: both may have lost their power", () => {
  const vigie = confirmed();
  vigie.wait(HOUR);
  vigie.lose();
  vigie.connect();
  vigie.reportsRead();
  vigie.wait(SECOND);
  expect(vigie.sent.map(({ payload }) => payload)).toEqual(["off"]);
  vigie.report("off");
  vigie.wait(SECOND);
  expect(vigie.state()).toBe("confirmed");
});

test("a plug whose report the broker holds is not told again on a new connection", () => {
  const vigie = confirmed();
  vigie.lose();
  vigie.connect();
  vigie.report("off", true);
  vigie.reportsRead();
  vigie.wait(HOUR);
  expect(vigie.sent).toEqual([]);
});

test("an output that was removed and is put back is told what is in force", () => {
  const vigie = confirmed();
  const without = house({ ...KEEPING, id: "other", key: "other/set" }, { kept: vigie.kept(), at: MINUTE });
  expect(without.kept()[KEEPING.key]?.stands).toBe(false);
  const again = house(KEEPING, { kept: without.kept(), at: HOUR });
  again.connect();
  again.turn(true);
  expect(again.sent.at(-1)?.payload).toBe("off");
});

test("with another address and the same id, the new device gets what is in force, also if that is else", () => {
  const vigie = confirmed();
  vigie.turn(false);
  const moved = house({ ...KEEPING, key: "relay2/set" }, { kept: vigie.kept(), at: HOUR });
  moved.connect();
  moved.turn(false);
  expect(moved.sent.map(({ payload }) => payload)).toEqual(["on"]);
  expect(Object.keys(moved.kept())).toEqual(["relay2/set"]);
});

test("a choice begins whose payload is that of else: it is sent, and kept", () => {
  const vigie = house({ ...KEEPING, choose: [{ when: "peak", payload: "on" }] });
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  vigie.report("on");
  vigie.turn(false);
  vigie.wait(MINUTE);
  vigie.sent.length = 0;
  vigie.turn(true);
  expect(vigie.sent.map(({ payload }) => payload)).toEqual(["on"]);
  vigie.report("on");
  vigie.wait(MINUTE);
  vigie.report("off");
  vigie.wait(MINUTE);
  expect(vigie.sent.length).toBeGreaterThan(1);
});

test("a payload that waits for its turn at a host is replaced by the next one", () => {
  const vigie = house(OVER_HTTP);
  vigie.answerWith(() => ({ kind: "saved", changes: 0 }));
  vigie.turn(true);
  vigie.turn(false);
  expect(vigie.due().map(({ payload }) => payload)).toEqual(["on"]);
});

test("a message that was never written is not given up, however often vigie is killed", () => {
  let kept = house(PHONE).kept();
  for (let start = 0; start < 5; start += 1) {
    const vigie = house(PHONE, { kept, at: start * MINUTE });
    vigie.answerWith(busy(null));
    vigie.turn(true);
    kept = vigie.saved();
  }
  const last = house(PHONE, { kept, at: HOUR });
  last.turn(true);
  expect(last.sent).toHaveLength(1);
});

test("a message that may have arrived three times is not sent again when its choice comes back soon", () => {
  const vigie = house(PHONE);
  vigie.answerWith((number) => ({ ...busy(null)(number), mayHaveArrived: true }));
  for (let round = 0; round < 10; round += 1) {
    vigie.turn(true);
    vigie.wait(MINUTE);
    vigie.turn(false);
  }
  expect(vigie.sent).toHaveLength(3);
});

test("a device that is switched back is no problem while its rule is unknown", () => {
  const vigie = confirmed(KEEPING_WITHOUT_ELSE);
  vigie.report("on");
  vigie.wait(HOUR);
  expect(vigie.status()?.hasFailed).toBe(true);
  vigie.turn(null);
  expect(vigie.status()?.hasFailed).toBe(false);
});

test.each([
  ["a message", PHONE],
  ["a payload", OVER_HTTP],
])("Retry-After is obeyed for %s", (_title, output) => {
  const vigie = house(output);
  vigie.answerWith(busy(5 * MINUTE));
  vigie.turn(true);
  vigie.wait(5 * MINUTE - SECOND);
  expect(vigie.sent).toHaveLength(1);
  vigie.wait(2 * SECOND);
  expect(vigie.sent).toHaveLength(2);
});

test("Retry-After is obeyed for a telling", () => {
  const { vigie } = contraryOverHttp();
  vigie.answerWith(busy(5 * MINUTE));
  while (vigie.sent.length === 0) vigie.wait(SECOND);
  vigie.wait(5 * MINUTE - 2 * SECOND);
  expect(vigie.sent).toHaveLength(1);
  vigie.wait(4 * SECOND);
  expect(vigie.sent).toHaveLength(2);
});

/** The relay ignored what it was told for an hour. */
function failed() {
  const vigie = house(SHOWING);
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  vigie.report("on");
  vigie.wait(HOUR + SECOND);
  expect(vigie.state()).toBe("failed");
  vigie.sent.length = 0;
  return vigie;
}

test("a failed device that goes on reporting is told each ten minutes only", () => {
  const vigie = failed();
  for (let round = 0; round < 60; round += 1) {
    vigie.report("on");
    vigie.wait(MINUTE);
  }
  expect(vigie.sent.length).toBeLessThanOrEqual(6);
  expect(vigie.sent.length).toBeGreaterThanOrEqual(5);
});

test.each([
  ["that was silent for ten minutes is told at once", 2 * MINUTE, 1],
  ["that answers a telling is not", 30 * SECOND, 0],
])("a failed device %s when it reports something else", (_title, after, tellings) => {
  const vigie = failed();
  while (vigie.sent.length < 2) vigie.wait(SECOND);
  vigie.wait(after);
  vigie.sent.length = 0;
  vigie.report("on");
  vigie.wait(2 * SECOND);
  expect(vigie.sent).toHaveLength(tellings);
  expect(vigie.state()).toBe(tellings === 1 ? "waiting" : "failed");
});

test("a problem with a device is known after a reload, and is over with its choice", () => {
  const vigie = house(KEEPING_WITHOUT_ELSE);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(2 * HOUR);
  expect(vigie.status()?.hasFailed).toBe(true);
  const again = house(KEEPING_WITHOUT_ELSE, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.connect();
  again.turn(true);
  expect(again.status()?.hasFailed).toBe(true);
  again.turn(false);
  expect(again.status()?.hasFailed).toBe(false);
  expect(again.said).toContain("Nothing is asked of boiler/set any more");
});

test("how many times a payload was sent counts each, also over several connections", () => {
  const vigie = house({ ...KEEPING, confirm: { ...CONFIRM, for: 2 * MINUTE } });
  vigie.connect();
  vigie.turn(true);
  vigie.wait(MINUTE + SECOND);
  vigie.lose();
  vigie.connect();
  vigie.wait(2 * MINUTE);
  const times = vigie.sent.length;
  expect(vigie.said.some((line) => line.includes(` ${times} times, but in 2 min boiler never`))).toBe(true);
});

test("what a device reports each second is noted each quarter of an hour, and something else within a minute", () => {
  const vigie = house(SHOWING);
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  vigie.report("off");
  const noted = () => vigie.kept()[SHOWING.key]?.answered_at ?? 0;
  const before = noted();
  const instants = new Set<number>();
  for (let second = 0; second < 20 * 60; second += 1) {
    vigie.wait(SECOND);
    vigie.report("off");
    if (noted() !== before) instants.add(noted());
  }
  expect(instants.size).toBe(1);
});
