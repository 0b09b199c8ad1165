import { describe, expect, test } from "vitest";
import type { Output } from "../../../src/core/outputs/output.ts";
import { readOutputs } from "../../../src/core/outputs/outputs-kept.ts";
import type { OutputsEvent } from "../../../src/core/outputs/take-outputs.ts";
import { BOILER } from "../../support/outputs.ts";
import {
  CONFIRM,
  confirmed,
  HOUR,
  house,
  KEEPING,
  MINUTE,
  OVER_HTTP,
  PHONE,
  SECOND,
} from "../../support/outputs-house.ts";

const WITH_ONLINE: Output = {
  ...KEEPING,
  confirm: { ...CONFIRM, keep: true, online: { topic: "boiler/online", equals: "true" } },
};
const OVER_MQTT: Output = { ...PHONE, key: BOILER.key, to: BOILER.to };
const TWO_TEXTS: Output = {
  ...PHONE,
  choose: [
    { when: "peak", payload: "A" },
    { when: "other", payload: "B" },
  ],
};
const unwritten = (number: number) =>
  ({ kind: "unanswered", number, message: "no such host", mayHaveArrived: false, retryAfter: null }) as const;

test("a payload that was not taken is tried also while its rule is unknown: what was sent last stands", () => {
  const vigie = house(OVER_HTTP);
  vigie.answerWith(unwritten);
  vigie.turn(true);
  vigie.turn(null);
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.wait(MINUTE);
  expect(vigie.kept().devices[OVER_HTTP.key]).toMatchObject({ payload: "off", acknowledged: true });
});

describe("a device over HTTP that did not take its payload, and says on `online` that it is back,", () => {
  const away: Output = {
    ...OVER_HTTP,
    confirm: { ...CONFIRM, online: { topic: "boiler/online", equals: "true" } },
  };
  const acknowledged = (number: number) => ({ kind: "acknowledged", number }) as const;
  /** For two hours; by `for` it is tried every ten minutes then. */
  function failed(answer: (number: number) => OutputsEvent, isPeak = true) {
    const vigie = confirmed(away, "false");
    vigie.turn(!isPeak);
    vigie.answerWith(answer);
    vigie.turn(isPeak);
    vigie.wait(2 * HOUR + 2 * MINUTE);
    expect(vigie.state()).toBe("failed");
    vigie.sent.length = 0;
    return { ...vigie, since: vigie.now() / SECOND };
  }
  const isBack = ({ publish }: ReturnType<typeof failed>) => publish("boiler/online", "true");

  test("is sent it at once, and every 30 s: its server may begin later", () => {
    const vigie = failed(unwritten);
    isBack(vigie);
    vigie.wait(MINUTE);
    expect(vigie.tellings().map((at) => at - vigie.since)).toEqual([0, 30, 60]);
    expect(vigie.state()).toBe("waiting");
    expect(vigie.status()?.hasFailed).toBe(true);
    vigie.answerWith(acknowledged);
    vigie.wait(MINUTE);
    expect(vigie.status()?.hasFailed).toBe(false);
  });

  test("is sent `else`, too", () => {
    const vigie = failed(unwritten, false);
    vigie.answerWith(acknowledged);
    isBack(vigie);
    vigie.wait(SECOND);
    expect(vigie.sent).toEqual([{ at: vigie.since * SECOND, payload: "on" }]);
  });

  test("or is there after an outage of the broker, is sent it at once", () => {
    const vigie = failed(unwritten);
    vigie.answerWith(acknowledged);
    vigie.lose();
    vigie.connect();
    vigie.publish("boiler/online", "true", true);
    vigie.reportsRead();
    vigie.wait(SECOND);
    expect(vigie.sent).toEqual([{ at: vigie.since * SECOND, payload: "off" }]);
  });

  test("is sent it no sooner if its address refuses", () => {
    const vigie = failed((number) => ({ kind: "refused", number, message: "401" }));
    isBack(vigie);
    vigie.wait(9 * MINUTE);
    expect(vigie.sent).toHaveLength(1);
    expect(vigie.state()).toBe("failed");
  });

  test("again and again, has failed after an hour all the same, and its problem stays", () => {
    const vigie = house(away);
    vigie.connect();
    vigie.answerWith(unwritten);
    vigie.turn(true);
    for (let minute = 0; minute < 60; minute += 1) {
      vigie.wait(MINUTE);
      expect(vigie.status()?.hasFailed).toBe(minute === 59);
      vigie.publish("boiler/online", "true");
    }
    for (let minute = 0; minute < 180; minute += 1) {
      vigie.publish("boiler/online", "true");
      vigie.wait(MINUTE);
      expect(vigie.status()?.hasFailed).toBe(true);
    }
    expect(vigie.sent.length).toBeLessThan(4 * 121);
  });
});

test("a broker that refused is sent it again on a new connection, also if the device has confirmed meanwhile", () => {
  const vigie = house(KEEPING);
  vigie.connect();
  vigie.reportsRead();
  vigie.answerWith((number) => ({ kind: "refused", number, message: "not authorized" }));
  vigie.turn(true);
  vigie.report("off");
  vigie.wait(MINUTE);
  vigie.lose();
  vigie.connect();
  vigie.reportsRead();
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.wait(10 * SECOND);
  expect(vigie.tellings()).toEqual([0, 60]);
});

test("what the state before a lost one had sent is not sent while the rule is unknown", () => {
  const { [KEEPING.key]: sent } = confirmed().kept().devices;
  const { kept } = readOutputs({ outputs: { [KEEPING.key]: { ...sent, acknowledged: "damaged" } } });
  const again = house(KEEPING, { kept, isPeak: null });
  again.connect();
  again.turn(null);
  again.wait(HOUR);
  expect(again.sent).toEqual([]);
});

test("another try of the same payload costs no write: a device that is away for a day wears out no disk", () => {
  const vigie = house(OVER_HTTP);
  vigie.answerWith(unwritten);
  vigie.turn(true);
  const before = vigie.changes();
  vigie.wait(24 * HOUR);
  expect(vigie.sent.length).toBeGreaterThan(200);
  expect(vigie.changes() - before).toBeLessThan(3);
});

test("a device that obeys and closes the connection without an answer has confirmed all the same", () => {
  const vigie = house({ ...OVER_HTTP, confirm: { ...CONFIRM, keep: true }, choose: BOILER.choose });
  vigie.connect();
  vigie.reportsRead();
  vigie.answerWith((number) => ({ ...unwritten(number), mayHaveArrived: true }));
  vigie.turn(true);
  vigie.report("off");
  vigie.wait(SECOND);
  expect(vigie.state()).toBe("confirmed");
  vigie.wait(2 * HOUR);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.sent).toHaveLength(1);
  expect(vigie.status()?.hasFailed).toBe(false);
});

test("confirm that is added while a payload is in force is waited for, and kept", () => {
  const { confirm: _, ...plain } = BOILER;
  const vigie = house(plain);
  vigie.connect();
  vigie.turn(true);
  const again = house(KEEPING, { kept: vigie.kept(), at: MINUTE, isPeak: true });
  again.connect();
  again.reportsRead();
  again.turn(true);
  expect(again.state()).toBe("waiting");
  again.report("off");
  again.wait(SECOND);
  expect(again.state()).toBe("confirmed");
  again.report("on");
  again.wait(MINUTE);
  expect(again.sent.length).toBeGreaterThan(0);
});

test("confirm that is removed while a device is contrary ends that", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(10 * SECOND);
  const { confirm: _, ...plain } = KEEPING;
  const again = house(plain, { kept: vigie.kept(), at: 2 * MINUTE, isPeak: true });
  again.connect();
  again.turn(true);
  again.wait(HOUR);
  expect(again.state()).toBe("sent");
  expect(again.sent).toEqual([]);
});

test("the broker and a silent relay lost their power: the broker holds `online`, and the relay is told again", () => {
  const vigie = confirmed(WITH_ONLINE);
  vigie.publish("boiler/online", "true");
  vigie.wait(HOUR);
  vigie.sent.length = 0;
  vigie.lose();
  vigie.wait(MINUTE);
  vigie.connect();
  vigie.publish("boiler/online", "true", true);
  vigie.reportsRead();
  vigie.wait(MINUTE);
  expect(vigie.sent.map(({ payload }) => payload)).toContain("off");
});

test("vigie lost its power, too: it tells the relay that is there again; after an orderly end it does not", () => {
  const kept = confirmed(WITH_ONLINE).kept();
  const sentAfter = (isAfterCrash: boolean) => {
    const again = house(WITH_ONLINE, { kept, at: HOUR, isPeak: true, isAfterCrash });
    again.connect();
    again.publish("boiler/online", "true", true);
    again.reportsRead();
    again.turn(true);
    again.wait(MINUTE);
    return again.sent.length;
  };
  expect(sentAfter(true)).toBeGreaterThan(0);
  expect(sentAfter(false)).toBe(0);
});

test("a device that came back is told also if the configuration is read again just then", () => {
  const vigie = confirmed(WITH_ONLINE);
  for (let telling = 0; telling < 5; telling += 1) {
    vigie.publish("boiler/online", "false");
    vigie.wait(MINUTE);
    vigie.publish("boiler/online", "true");
    vigie.wait(MINUTE);
    vigie.report("off");
    vigie.wait(MINUTE);
  }
  vigie.publish("boiler/online", "false");
  vigie.wait(SECOND);
  vigie.publish("boiler/online", "true");
  vigie.wait(2 * SECOND);
  const again = house(WITH_ONLINE, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.connect();
  again.reportsRead();
  again.turn(true);
  again.wait(11 * MINUTE);
  expect(again.sent).not.toEqual([]);
});

test("a presence topic that flaps fifty times a second is judged once a second", () => {
  const vigie = confirmed(WITH_ONLINE);
  const before = vigie.looks();
  for (let round = 0; round < 500; round += 1) {
    vigie.publish("boiler/online", round % 2 === 0 ? "true" : "false");
    vigie.wait(20);
  }
  expect(vigie.looks() - before).toBeLessThan(60);
  // It came back: told once, and not sooner again than `every`.
  expect(vigie.tellings()).toEqual([MINUTE / SECOND]);
});

test("answers without the value that is asked for do not keep a payload confirmed", () => {
  const vigie = house(OVER_HTTP);
  let answer = '{"ison":false}';
  vigie.stateIs(() => answer);
  vigie.turn(true);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
  answer = "<html>Please update</html>";
  vigie.wait(16 * MINUTE);
  expect(vigie.state()).toBe("sent");
});

test("of two texts that come by turns, the last one that is read is the one in force, at most six an hour", () => {
  const vigie = house(TWO_TEXTS);
  const turn = (peak: boolean, length: number) => {
    vigie.states({ peak, other: !peak });
    vigie.wait(length);
  };
  for (let round = 0; round < 3; round += 1) {
    turn(true, 20 * MINUTE);
    turn(false, 20 * MINUTE);
  }
  expect(vigie.sent.map(({ payload }) => payload)).toEqual(["A", "B", "A", "B", "A", "B"]);
  vigie.sent.length = 0;
  for (let round = 0; round < 20; round += 1) {
    turn(true, MINUTE);
    turn(false, MINUTE);
  }
  expect(vigie.sent.map(({ payload }) => payload)).toEqual(["A", "B", "A", "B", "A", "B"]);
  turn(true, HOUR);
  expect(vigie.sent.at(-1)?.payload).toBe("A");
});

test("the six hours count from the delivery", () => {
  const vigie = house(PHONE);
  vigie.answerWith(unwritten);
  vigie.turn(true);
  vigie.wait(5 * HOUR);
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.wait(MINUTE);
  vigie.sent.length = 0;
  vigie.turn(false);
  vigie.wait(2 * HOUR);
  vigie.turn(true);
  vigie.wait(MINUTE);
  expect(vigie.sent).toEqual([]);
});

test("a message that cannot be sent for a day costs no write for each try", () => {
  const vigie = house(PHONE);
  vigie.answerWith(unwritten);
  vigie.turn(true);
  const before = vigie.changes();
  vigie.wait(24 * HOUR);
  expect(vigie.sent.length).toBeGreaterThan(1_000);
  expect(vigie.changes() - before).toBeLessThan(3);
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("sent");
});

test("a sending that was cut off before it was written is no try of a message", () => {
  const triesAfter = (mayHaveArrived: boolean) => {
    const vigie = house(PHONE);
    vigie.answerWith(() => ({ kind: "saved", changes: 0 }));
    vigie.turn(true);
    vigie.take({ kind: "ending" });
    vigie.take({ kind: "cut off", number: vigie.number(), mayHaveArrived });
    return vigie.kept().messages[PHONE.key]?.last?.tries ?? 0;
  };
  expect([triesAfter(false), triesAfter(true)]).toEqual([0, 1]);
});

test("a message over MQTT whose connection is lost is not sent again at once", () => {
  const vigie = house(OVER_MQTT);
  vigie.connect();
  vigie.answerWith(() => ({ kind: "connection lost", connection: vigie.connection() }));
  vigie.turn(true);
  for (let round = 0; round < 5; round += 1) {
    vigie.connect();
    vigie.wait(2 * SECOND);
  }
  expect(vigie.sent).toHaveLength(1);
  vigie.connect();
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.wait(MINUTE);
  expect(vigie.sent).toHaveLength(2);
});

test("a state file in which one output cannot be read keeps the others, and what is in force for it is sent once more", () => {
  const sent = confirmed().kept().devices[KEEPING.key];
  const { kept, unread } = readOutputs({
    outputs: { good: sent, [KEEPING.key]: { ...sent, answer: "maybe" }, bad: { payload: 3 } },
    messages: { [PHONE.key]: { last: "rouge" } },
  });
  expect(unread).toEqual([KEEPING.key, "bad", PHONE.key]);
  expect(Object.keys(kept.devices)).toEqual(["good", KEEPING.key]);
  const again = house(KEEPING, { kept, at: 5 * MINUTE });
  again.connect();
  again.turn(false);
  expect(again.sent.map(({ payload }) => payload)).toEqual(["on"]);
});
