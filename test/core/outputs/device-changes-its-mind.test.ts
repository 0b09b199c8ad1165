import { expect, test } from "vitest";
import { readOutputs } from "../../../src/core/outputs/outputs-kept.ts";
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
  SHOWING,
  START,
} from "../../support/outputs-house.ts";

test("a confirmed device that reports something else is contrary after 5 s, and is told again with keep", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(4_900);
  expect(vigie.state()).toBe("confirmed");
  vigie.wait(200);
  expect(vigie.state()).toBe("contrary");
  expect(vigie.sent).toEqual([{ at: MINUTE + 5_000, payload: "off" }]);
  vigie.report("off");
  vigie.wait(5_000);
  expect(vigie.state()).toBe("confirmed");
  vigie.wait(2 * HOUR);
  expect(vigie.sent).toHaveLength(1);
});

test("without keep it is contrary, is said once, and is not told", () => {
  const vigie = confirmed(SHOWING);
  vigie.report("on");
  vigie.wait(HOUR);
  expect(vigie.state()).toBe("contrary");
  expect(vigie.sent).toEqual([]);
  expect(vigie.said).toEqual([
    'boiler/set does not do "off" any more: boiler reported "on". vigie leaves it so',
  ]);
  vigie.report("off");
  vigie.wait(5_000);
  expect(vigie.state()).toBe("confirmed");
});

test("a report that is followed by the expected one within 5 s is nothing", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(3_000);
  vigie.report("off");
  vigie.wait(HOUR);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.sent).toEqual([]);
});

test.each([
  ["an empty report", ""],
  ["no JSON", "ON"],
  ["JSON without the key", '{"linkquality":120}'],
  ["the key is null", '{"state":null}'],
])("%s contradicts nothing", (_name, payload) => {
  const vigie = confirmed(
    { ...KEEPING, confirm: { ...CONFIRM, path: "state", keep: true } },
    '{"state":"off"}',
  );
  vigie.report(payload);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
});

test("another automation that answers each OFF with ON causes five tellings, 10 s apart, then one each ten minutes", () => {
  const vigie = house({ ...KEEPING, confirm: { ...CONFIRM, every: 10 * SECOND, keep: true } });
  vigie.connect();
  vigie.reportsRead();
  vigie.turn(true);
  let answered = 0;
  for (let second = 0; second < 3_600; second += 1) {
    if (vigie.sent.length > answered) {
      answered = vigie.sent.length;
      vigie.report("off");
      vigie.report("on");
    }
    vigie.wait(SECOND);
  }
  // The first is the payload itself.
  expect(vigie.tellings()).toEqual([0, 10, 20, 30, 40, 50, 650, 1250, 1850, 2450, 3050]);
  expect(vigie.state()).toBe("contrary");
  expect(vigie.status()?.hasFailed).toBe(true);
  expect(vigie.said.filter((line) => line.includes("something switches it back"))).not.toHaveLength(0);
});

test("the count of tellings survives a restart", () => {
  const vigie = confirmed();
  vigie.report("on");
  vigie.wait(10 * MINUTE);
  expect(vigie.sent).toHaveLength(5);
  const again = house(KEEPING, { kept: vigie.kept(), at: vigie.now(), isPeak: true });
  again.connect();
  again.wait(9 * MINUTE);
  expect(again.tellings()).toEqual([(vigie.tellings().at(-1) ?? 0) + 600]);
  expect(again.state()).toBe("contrary");
});

test("nobody is told against else", () => {
  const vigie = confirmed();
  vigie.turn(false);
  vigie.report("on");
  vigie.sent.length = 0;
  vigie.wait(MINUTE);
  vigie.report("off");
  vigie.wait(2 * HOUR);
  expect(vigie.state()).toBe("contrary");
  expect(vigie.sent).toEqual([]);
});

test("a device that did not answer for an hour has failed, and is told every ten minutes while the choice is ON", () => {
  const vigie = house(KEEPING);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(HOUR);
  expect(vigie.state()).toBe("failed");
  vigie.sent.length = 0;
  vigie.wait(30 * MINUTE);
  expect(vigie.sent).toHaveLength(3);
  vigie.report("off");
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.status()?.hasFailed).toBe(false);
});

test("a failed device that comes back with the old state is told at once, and repeatedly", () => {
  const vigie = house(KEEPING);
  vigie.connect();
  vigie.turn(true);
  vigie.wait(HOUR + 5 * MINUTE);
  vigie.sent.length = 0;
  vigie.report("on");
  expect(vigie.sent).toHaveLength(1);
  expect(vigie.state()).toBe("waiting");
  vigie.wait(MINUTE);
  expect(vigie.sent).toHaveLength(3);
});

test("a device that says it is online again is told again in silence, within the bounds", () => {
  const vigie = confirmed({
    ...KEEPING,
    confirm: { ...CONFIRM, keep: true, online: { topic: "boiler/online", equals: "true" } },
  });
  vigie.publish("boiler/online", "false");
  vigie.wait(MINUTE);
  expect(vigie.sent).toHaveLength(0);
  vigie.publish("boiler/online", "true");
  expect(vigie.sent).toHaveLength(1);
  expect(vigie.state()).toBe("waiting");
  vigie.report("off");
  vigie.wait(SECOND);
  expect(vigie.state()).toBe("confirmed");
});

test("after a start a retained report that says something else makes a confirmed payload sent, and with keep told", () => {
  const kept = confirmed().kept();
  const showing = house(SHOWING, { kept, at: 2 * MINUTE, isPeak: true });
  showing.connect();
  showing.report("on", true);
  showing.reportsRead();
  showing.wait(6 * SECOND);
  expect(showing.state()).toBe("sent");
  expect(showing.sent).toEqual([]);
  const keeping = house(KEEPING, { kept, at: 2 * MINUTE, isPeak: true });
  keeping.connect();
  keeping.report("on", true);
  keeping.reportsRead();
  keeping.wait(6 * SECOND);
  expect(keeping.state()).toBe("waiting");
  expect(keeping.sent).toHaveLength(1);
});

test("a device that flaps each six seconds changes its state three times, and then not until it rests", () => {
  const vigie = confirmed(SHOWING);
  const changes: number[] = [];
  let last = vigie.state();
  for (let round = 0; round < 200; round += 1) {
    vigie.report(round % 2 === 0 ? "on" : "off");
    for (let second = 0; second < 6; second += 1) {
      vigie.wait(SECOND);
      if (vigie.state() !== last) changes.push(vigie.now() / SECOND);
      last = vigie.state();
    }
  }
  const begun = MINUTE / SECOND;
  expect(changes.map((at) => at - begun)).toEqual([5, 11, 17]);
  expect(vigie.state()).toBe("contrary");
});

test("a device over HTTP is asked 1 s and 5 s after the sending, then every five minutes while it is confirmed", () => {
  const vigie = house(OVER_HTTP);
  const asked: number[] = [];
  vigie.stateIs(() => {
    asked.push(vigie.now() / SECOND);
    return '{"ison":false}';
  });
  vigie.turn(true);
  expect(vigie.sent).toEqual([{ at: 0, payload: "off" }]);
  vigie.wait(11 * MINUTE);
  expect(vigie.state()).toBe("confirmed");
  expect(asked).toEqual([1, 5, 305, 605]);
});

test("a device over HTTP that does what it is sent and gives no answer is asked what it does, and confirms", () => {
  const vigie = house(OVER_HTTP);
  const asked: number[] = [];
  vigie.stateIs(() => {
    asked.push(vigie.now() / SECOND);
    return '{"ison":false}';
  });
  vigie.answerWith((number) => ({
    kind: "unanswered",
    number,
    message: "it closed the connection",
    mayHaveArrived: true,
    retryAfter: null,
  }));
  vigie.turn(true);
  vigie.wait(11 * MINUTE);
  expect(vigie.state()).toBe("confirmed");
  expect(vigie.sent).toHaveLength(1);
  expect(asked).toEqual([1, 5, 305, 605]);
});

test("after a restart a device over HTTP that was told again is asked once, and again four seconds later", () => {
  const before = house(OVER_HTTP);
  before.stateIs(() => '{"ison":true}');
  before.turn(true);
  before.wait(10 * MINUTE);
  const { [OVER_HTTP.key]: sent } = before.kept().devices;
  const told = [START + 9 * MINUTE];
  const { kept } = readOutputs({ outputs: { [OVER_HTTP.key]: { ...sent, answer: "contrary", told } } });
  const vigie = house(
    { ...OVER_HTTP, confirm: { ...OVER_HTTP.confirm, keep: false } },
    { kept, at: 10 * MINUTE },
  );
  const asked: number[] = [];
  vigie.stateIs(() => {
    asked.push(vigie.now() / SECOND - 600);
    return '{"ison":true}';
  });
  vigie.turn(true);
  vigie.wait(5 * SECOND);
  expect(asked).toEqual([0, 4]);
});

test("a device over HTTP that is switched on by somebody is contrary and told again", () => {
  const vigie = house(OVER_HTTP);
  let ison = false;
  vigie.stateIs(() => JSON.stringify({ ison }));
  vigie.turn(true);
  vigie.wait(MINUTE);
  ison = true;
  vigie.wait(5 * MINUTE);
  expect(vigie.state()).toBe("contrary");
  expect(vigie.tellings()).toEqual([0, 310, 340]);
  ison = false;
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
});

test("a confirmed device over HTTP that does not answer for 15 minutes is sent, and confirmed when it answers", () => {
  const vigie = house(OVER_HTTP);
  let payload: string | null = '{"ison":false}';
  vigie.stateIs(() => payload);
  vigie.turn(true);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
  payload = null;
  vigie.wait(21 * MINUTE);
  expect(vigie.state()).toBe("sent");
  expect(vigie.sent).toHaveLength(1);
  expect(vigie.said.at(-1)).toContain("has not answered for 15 min (it does not answer)");
  payload = '{"ison":false}';
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
});

test("an address that does not answer is tried each 30 s for an hour, then every ten minutes as a problem", () => {
  const vigie = house(OVER_HTTP);
  vigie.answerWith((number) => ({
    kind: "unanswered",
    number,
    message: "it does not answer",
    mayHaveArrived: true,
    retryAfter: null,
  }));
  vigie.turn(true);
  vigie.wait(30 * MINUTE);
  expect(vigie.state()).toBe("waiting");
  expect(vigie.sent).toHaveLength(61);
  vigie.wait(31 * MINUTE);
  expect(vigie.state()).toBe("failed");
  vigie.sent.length = 0;
  vigie.wait(HOUR);
  expect(vigie.sent).toHaveLength(6);
  vigie.answerWith((number) => ({ kind: "acknowledged", number }));
  vigie.stateIs(() => '{"ison":false}');
  vigie.wait(11 * MINUTE);
  expect(vigie.state()).toBe("confirmed");
});

test("a message is sent once when its choice begins, and not again within six hours", () => {
  const vigie = house(PHONE);
  vigie.turn(true);
  vigie.wait(HOUR);
  vigie.turn(false);
  vigie.turn(true);
  vigie.wait(8 * HOUR);
  expect(vigie.sent).toHaveLength(1);
  vigie.turn(false);
  vigie.turn(true);
  expect(vigie.sent).toHaveLength(2);
});

test("a message that may have arrived is tried after longer and longer pauses, then given up; one that cannot have arrived until it does", () => {
  const lost = house(PHONE);
  const unanswered = (mayHaveArrived: boolean) => (number: number) =>
    ({ kind: "unanswered", number, message: "no answer", mayHaveArrived, retryAfter: null }) as const;
  lost.answerWith(unanswered(true));
  lost.turn(true);
  lost.wait(100 * MINUTE);
  expect(lost.state()).toBe("waiting");
  lost.wait(24 * HOUR);
  expect(lost.tellings()).toEqual([0, 30, 150, 750, 2_550, 6_150]);
  expect(lost.state()).toBe("failed");
  expect(lost.said.filter((line) => line.includes("It was sent 6 times"))).toHaveLength(1);
  const away = house(PHONE);
  away.answerWith(unanswered(false));
  away.turn(true);
  away.wait(10 * MINUTE);
  expect(away.sent).toHaveLength(21);
  expect(away.state()).toBe("waiting");
  away.answerWith((number) => ({ kind: "acknowledged", number }));
  away.wait(MINUTE);
  expect(away.state()).toBe("sent");
  expect(away.sent).toHaveLength(22);
});
