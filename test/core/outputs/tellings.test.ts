import { expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { readOutputs } from "../../../src/core/outputs/outputs-kept.ts";
import type { OutputsEvent } from "../../../src/core/outputs/take-outputs.ts";
import { toTopic, verdictsOf } from "../../support/outputs.ts";
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
  expect(vigie.said).toContain("http://192.0.2.40 takes what it is sent again");
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

test.each([10, 20, 60])(
  "a device that never confirms is told, and failed after an hour, also if the connection is lost each %i s",
  (seconds) => {
    const vigie = house(KEEPING);
    vigie.connect();
    vigie.turn(true);
    vigie.sent.length = 0;
    const rounds = HOUR / (seconds * SECOND);
    for (let round = 0; round < rounds; round += 1) {
      expect(vigie.state()).toBe("waiting");
      vigie.wait(seconds * SECOND);
      vigie.lose();
      vigie.wait(SECOND);
      vigie.connect();
    }
    expect(vigie.state()).toBe("failed");
    expect(vigie.sent.length).toBeGreaterThanOrEqual(59);
    expect(vigie.sent.length).toBeLessThanOrEqual(121);
    expect(vigie.said.filter((line) => line.includes("never reported"))).toHaveLength(1);
  },
);

test("a device that is asked over HTTP and told over MQTT is failed after an hour, also if the connection is lost each minute", () => {
  const vigie = house({ ...OVER_HTTP, ...toTopic("boiler/set") });
  vigie.stateIs(() => '{"ison":true}');
  vigie.connect();
  vigie.turn(true);
  for (let minute = 0; minute < 60; minute += 1) {
    vigie.wait(MINUTE);
    vigie.lose();
    vigie.connect();
  }
  expect(vigie.state()).toBe("failed");
});

test("the time for it counts over a report from before that says the same", () => {
  const vigie = house({ ...SHOWING, confirm: { ...CONFIRM, for: 10 * MINUTE } });
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  for (let round = 0; round < 13; round += 1) {
    vigie.wait(MINUTE);
    vigie.lose();
    vigie.connect();
    vigie.report("off", true);
    vigie.reportsRead();
    vigie.report("on");
  }
  expect(vigie.said.filter((line) => line.includes("never reported"))).not.toEqual([]);
});

test("what the broker holds is heard before a device is told again on a new connection", () => {
  const vigie = house(SHOWING);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(20 * SECOND);
  vigie.lose();
  vigie.wait(MINUTE);
  vigie.sent.length = 0;
  vigie.connect();
  vigie.wait(2 * SECOND);
  vigie.report("off", true);
  vigie.reportsRead();
  vigie.wait(HOUR);
  expect(vigie.sent).toEqual([]);
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

const ONLINE: Output = {
  ...KEEPING,
  confirm: { ...CONFIRM, keep: true, online: { topic: "boiler/online", equals: "true" } },
};

/** The relay of a plug that lost its power and has it again: it is ON by itself. It does what it is told next. */
function powerCut(vigie: ReturnType<typeof house>, length = 2 * MINUTE) {
  vigie.publish("boiler/online", "false");
  vigie.wait(length);
  vigie.publish("boiler/online", "true");
  vigie.report("on");
  vigie.wait(SECOND);
  vigie.report("off");
  vigie.wait(30 * SECOND);
}

/** Somebody presses its button. */
function press(vigie: ReturnType<typeof house>) {
  vigie.report("on");
  const { length } = vigie.sent;
  for (let left = 40; left > 0 && vigie.sent.length === length; left -= 1) vigie.wait(SECOND);
  vigie.report("off");
  // Who changes its mind often is confirmed after two minutes.
  vigie.wait(3 * MINUTE);
}

test("power cuts are told at once, however many there are, and count for nothing", () => {
  const vigie = confirmed(ONLINE);
  for (let round = 1; round <= 8; round += 1) {
    powerCut(vigie);
    expect([vigie.sent.length, vigie.state()]).toEqual([round, "confirmed"]);
  }
  for (let round = 1; round <= 4; round += 1) press(vigie);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.sent).toHaveLength(12);
  expect(vigie.status()?.hasFailed).toBe(false);
  expect(vigie.said.filter((line) => line.includes("switches it back"))).toEqual([]);
});

test("a broker that was away counts for nothing either", () => {
  const vigie = confirmed();
  for (let round = 1; round <= 8; round += 1) {
    vigie.lose();
    vigie.wait(MINUTE);
    vigie.connect();
    vigie.reportsRead();
    vigie.wait(20 * SECOND);
    vigie.report("off");
    vigie.wait(SECOND);
  }
  expect(vigie.sent).toHaveLength(8);
  press(vigie);
  expect([vigie.sent.length, vigie.state()]).toEqual([9, "confirmed"]);
});

test("a device that is contrary and comes back is told as one that came back", () => {
  const vigie = confirmed(ONLINE);
  vigie.report("on");
  vigie.wait(6 * SECOND);
  expect([vigie.state(), vigie.sent.length]).toEqual(["contrary", 1]);
  powerCut(vigie, 25 * MINUTE);
  expect([vigie.state(), vigie.kept().devices[ONLINE.key]?.told]).toEqual([
    "confirmed",
    [START + 65 * SECOND],
  ]);
  expect(vigie.tellings()).toEqual([65, 665, 1265, 1566]);
});

test("the count of tellings begins anew with each order", () => {
  const vigie = confirmed();
  for (let round = 0; round < 5; round += 1) press(vigie);
  expect(vigie.sent).toHaveLength(5);
  vigie.turn(false);
  vigie.report("on");
  vigie.turn(true);
  vigie.report("off");
  vigie.wait(MINUTE);
  vigie.sent.length = 0;
  press(vigie);
  expect(vigie.sent).toHaveLength(1);
  expect(vigie.status()?.hasFailed).toBe(false);
});

test("while vigie has slowed down, it says when it tries next", () => {
  const vigie = confirmed();
  const tries = () => vigie.status()?.next_try ?? null;
  for (let round = 0; round < 4; round += 1) press(vigie);
  vigie.report("on");
  expect(tries()).toBe(null);
  vigie.wait(MINUTE);
  expect(vigie.sent).toHaveLength(5);
  const next = tries() ?? 0;
  expect((next - START) / SECOND).toBe((vigie.tellings().at(-1) ?? 0) + 600);
  vigie.lose();
  vigie.wait(0.4);
  vigie.connect();
  expect(tries()).toBe(next);
  vigie.wait(next - START - vigie.now() - SECOND);
  expect([vigie.sent.length, tries()]).toEqual([5, next]);
  vigie.wait(2 * SECOND);
  expect([vigie.sent.length, tries()]).toEqual([6, next + 10 * MINUTE]);
  vigie.report("off");
  vigie.wait(3 * MINUTE);
  expect([vigie.state(), tries()]).toEqual(["confirmed", null]);
});

test.each([
  ["has not obeyed for an hour", TAKEN],
  ["is refused", REFUSED],
])("of a device that %s, it is known when it is told next", (_title, answer) => {
  const vigie = house(KEEPING);
  vigie.connect();
  vigie.answerWith(answer);
  vigie.turn(true);
  vigie.wait(HOUR + MINUTE);
  expect(vigie.state()).toBe("failed");
  const next = (vigie.status()?.next_try ?? 0) - START;
  vigie.sent.length = 0;
  vigie.wait(next - vigie.now());
  expect(vigie.tellings()).toEqual([next / SECOND]);
  vigie.lose();
  expect(vigie.status()?.next_try).toBe(null);
});

test("that a device does what it was sent again is said only of what the problem was about", () => {
  const vigie = house(SHOWING);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(2 * HOUR);
  expect(vigie.state()).toBe("failed");
  vigie.turn(false);
  expect(vigie.said).toContain(
    'boiler/set is sent "on" now, and not asked any more for what it was sent before',
  );
  vigie.said.length = 0;
  vigie.report("on");
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.said.filter((line) => line.includes("not asked any more"))).toEqual([]);
});

test("a device that comes back, again and again, and never does what it is told has failed after the time for it", () => {
  const vigie = confirmed(ONLINE);
  for (let second = 0; second < 3_660; second += 5) {
    if (second % 60 === 0) vigie.publish("boiler/online", "true");
    if (second % 60 === 50) vigie.publish("boiler/online", "false");
    if (second < 3_600) vigie.report("on");
    vigie.wait(5 * SECOND);
    if (second === 3_590) expect(vigie.state()).toBe("waiting");
  }
  const tellings = vigie.tellings();
  const gaps = tellings.slice(1).map((at, index) => at - (tellings[index] ?? 0));
  expect(Math.min(...gaps)).toBe(30);
  expect(vigie.status()?.hasFailed).toBe(true);
  expect(vigie.said.filter((line) => line.includes("switches it back"))).toEqual([]);
  expect(vigie.said.filter((line) => line.includes("never reported"))).toHaveLength(1);
});

test("a device that was told often is told again ten minutes after the last time, though the connection comes and goes", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(10 * MINUTE);
  expect(vigie.tellings()).toEqual([65, 95, 125, 155, 185]);
  for (let round = 0; round < 15; round += 1) {
    vigie.lose();
    vigie.connect();
    vigie.wait(2 * MINUTE);
  }
  expect(vigie.tellings().slice(5)).toEqual([785, 1385, 1985]);
});

test("a payload that is sent after the clock was set back is repeated as usual, whatever its device was told before", () => {
  const { [SHOWING.key]: sent } = confirmed(SHOWING).kept().devices;
  const told = [1, 2, 3, 4, 5].map((minute) => START + 24 * HOUR + minute * MINUTE);
  const { kept } = readOutputs({ outputs: { [SHOWING.key]: { ...sent, payload: "on", told } } });
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
  expect(without.kept().devices[KEEPING.key]?.stands).toBe(false);
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
  expect(Object.keys(moved.kept().devices)).toEqual(["relay2/set"]);
});

test("with another address and the same id, the new device gets what stands, also while the rule that decides is unknown", () => {
  const vigie = confirmed();
  const moved = house({ ...KEEPING, key: "relay2/set" }, { kept: vigie.kept(), at: HOUR, isPeak: null });
  moved.connect();
  expect(moved.sent.map(({ payload }) => payload)).toEqual(["off"]);
  expect([moved.state(), moved.status()?.sent]).toMatchObject(["waiting", { at: START + HOUR, tries: 1 }]);
});

test("with another address and the same id, what was wanted no more is not sent to the new device", () => {
  const vigie = confirmed(KEEPING_WITHOUT_ELSE);
  vigie.turn(false);
  const moved = house({ ...KEEPING_WITHOUT_ELSE, key: "relay2/set" }, { kept: vigie.kept(), at: HOUR });
  moved.connect();
  moved.turn(null);
  expect(moved.sent).toEqual([]);
});

test("an output whose device was another output's until now is known by its id when it moves on", () => {
  const vigie = confirmed();
  vigie.turn(false);
  const swapped = house({ ...KEEPING, id: "car" }, { kept: vigie.kept(), at: HOUR });
  const moved = house({ ...KEEPING, id: "car", key: "relay3/set" }, { kept: swapped.kept(), at: 2 * HOUR });
  moved.connect();
  expect(moved.sent.map(({ payload }) => payload)).toEqual(["on"]);
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

test("a message that may have arrived waits for its next try, also when its choice comes and goes", () => {
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
  const last = HOUR / SECOND - 30;
  expect(vigie.tellings()).toEqual([1, 2, 3, 4, 5, 6].map((time) => last + 600 * time));
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
  const noted = () => vigie.kept().devices[SHOWING.key]?.answered_at ?? 0;
  const before = noted();
  const instants = new Set<number>();
  for (let second = 0; second < 20 * 60; second += 1) {
    vigie.wait(SECOND);
    vigie.report("off");
    if (noted() !== before) instants.add(noted());
  }
  expect(instants.size).toBe(1);
});

test("a device that has not confirmed before a start is not given up before the rules are decided, but told", () => {
  const output: Output = { ...SHOWING, confirm: { ...CONFIRM, every: 5 * SECOND, for: 10 * SECOND } };
  const before = house(output);
  before.connect();
  before.turn(true);
  const vigie = house(output, { kept: before.kept(), at: MINUTE });
  vigie.verdicts(null);
  vigie.connect();
  vigie.reportsRead();
  vigie.wait(15 * SECOND);
  expect(vigie.state()).toBe("waiting");
  vigie.turn(true);
  vigie.wait(9 * SECOND);
  expect(vigie.tellings()).toEqual([75, 80]);
  vigie.wait(2 * SECOND);
  expect(vigie.state()).toBe("failed");
});
