import { describe, expect, test } from "vitest";
import { dueSends } from "../../../src/core/outputs/flights.ts";
import type { Output } from "../../../src/core/outputs/output.ts";
import { NOTHING_SENT, type OutputsKept } from "../../../src/core/outputs/outputs-kept.ts";
import { nextOutputBoundary } from "../../../src/core/outputs/outputs-part.ts";
import { settleOutputs } from "../../../src/core/outputs/settle-outputs.ts";
import { BOILER, confirmBy, keptAfter, outputsOf, toTopic, verdictsOf } from "../../support/outputs.ts";
import { byHand, MINUTE, SECOND, START } from "../../support/outputs-house.ts";

const NEVER = Number.POSITIVE_INFINITY;
const confirm = confirmBy("boiler", { every: 30 * SECOND, for: 90 * SECOND });
const CONFIRMED: Output = { ...BOILER, confirm };
const { else: _, ...BARE } = BOILER;

/** The boiler was sent "on" before. */
function drive(list: Output[] = [BOILER], kept: OutputsKept = keptAfter({ "boiler/set": "on" })) {
  const vigie = byHand(list, { kept });
  const { take, save } = vigie;
  const say = (peak: boolean | null) => vigie.decide(verdictsOf({ peak }));
  const acknowledge = () => {
    for (const { number } of vigie.due()) take({ kind: "acknowledged", number });
  };
  return {
    ...vigie,
    ...{ say, acknowledge },
    refuse: () => {
      for (const { number } of vigie.due())
        take({ kind: "refused", number, message: "The broker refuses boiler/set: not authorized" });
    },
    undecide: () => vigie.decide(null),
    /** The payload is chosen, saved, sent and acknowledged. */
    send: (peak: boolean) => {
      say(peak);
      save();
      acknowledge();
    },
    due: () =>
      vigie.due().map(({ payload, by }) => `${payload} over ${by.kind === "mqtt" ? by.connection : "HTTP"}`),
    numbers: () => vigie.due().map(({ number }) => number),
    sent: () => vigie.part().kept.devices["boiler/set"],
    state: () => vigie.status()?.state,
  };
}

describe("a payload", () => {
  test("is recorded, given to the broker when that is saved, and recorded again when it is acknowledged", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    expect(house.sent()).toMatchObject({ payload: "off", acknowledged: false, at: START, tries: 1 });
    expect([house.due(), house.state(), house.part().passing.changes]).toEqual([[], "waiting", 1]);
    house.save();
    expect(dueSends(house.part())).toEqual([
      {
        number: 1,
        output: "boiler",
        payload: "off",
        by: { kind: "mqtt", connection: 1, topic: "boiler/set", qos: 1, retain: false },
      },
    ]);
    house.acknowledge();
    expect(house.sent()).toMatchObject({ payload: "off", acknowledged: true });
    expect([house.due(), house.state(), house.part().passing.changes]).toEqual([[], "sent", 2]);
    expect(house.said()).toEqual([
      'Sent "off" to boiler/set: peak is ON',
      "The broker accepts messages to boiler/set again",
    ]);
    expect([house.said(), house.boundary()]).toEqual([[], NEVER]);
  });

  test("is not given to the broker by a save that began before it was recorded", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    house.take({ kind: "saved", changes: house.part().passing.changes - 1 });
    expect(house.due()).toEqual([]);
    house.save();
    expect(house.due()).toEqual(["off over 1"]);
  });

  test("is given to the broker after 5 s without an answer of the save", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    expect(house.boundary()).toBe(5 * SECOND);
    house.pass(5 * SECOND - 1);
    expect(house.due()).toEqual([]);
    house.pass(1);
    expect(house.due()).toEqual(["off over 1"]);
    house.save();
    expect(house.numbers()).toEqual([1]);
  });

  test.each([
    ["another one is chosen", false],
    ["what was sent last stands", null],
  ])("is not given to the broker if, when its save is answered, %s", (_title, peak) => {
    const house = drive();
    const { kept } = house.part();
    house.open(1);
    house.say(true);
    house.say(peak);
    house.save();
    house.pass(MINUTE);
    expect([house.due(), house.part().kept, house.state()]).toEqual([[], kept, "sent"]);
    house.send(true);
    expect(house.sent()).toMatchObject({ payload: "off", acknowledged: true });
  });

  test("is nothing that was sent if it was the first, and is not chosen any more when its save is answered", () => {
    const house = drive([BARE], NOTHING_SENT);
    house.open(1);
    house.say(true);
    house.say(false);
    house.save();
    expect([house.part().kept, house.state()]).toEqual([NOTHING_SENT, "nothing"]);
  });

  test("is not given to the broker as long as nothing is decided", () => {
    const house = drive();
    house.open(1);
    expect(house.sent()?.payload).toBe("on");
    house.say(true);
    house.undecide();
    house.save();
    expect([house.due(), house.sent()?.payload]).toEqual([[], "on"]);
  });

  test("is not recorded without a connection, and on a connection that is lost before it was sent", () => {
    const house = drive();
    const { kept } = house.part();
    house.say(true);
    expect(house.part().kept).toBe(kept);
    house.open(1);
    expect(house.sent()?.payload).toBe("off");
    house.lose(1);
    house.save();
    expect([house.part().kept, house.due()]).toEqual([kept, []]);
    house.open(2);
    house.save();
    expect(house.due()).toEqual(["off over 2"]);
    expect(house.sent()?.tries).toBe(1);
  });

  test("is sent again after `every` if the connection was lost before the acknowledgement: it may end the next one, too", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    house.save();
    const [first = 0] = house.numbers();
    house.lose(1);
    expect([house.due(), house.state()]).toEqual([[], "waiting"]);
    house.open(2);
    house.pass(30 * SECOND - 1);
    expect(house.due()).toEqual([]);
    house.pass(1);
    expect([house.due(), house.sent()?.tries]).toEqual([["off over 2"], 2]);
    // The answer that belongs to the connection before.
    const before = house.part();
    expect(house.take({ kind: "acknowledged", number: first })).toBe(before);
    house.acknowledge();
    expect(house.sent()?.acknowledged).toBe(true);
  });

  test("waits until the broker has acknowledged the one before", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    house.save();
    house.say(false);
    house.save();
    expect([house.due(), house.sent()?.payload]).toEqual([["off over 1"], "off"]);
    house.acknowledge();
    expect([house.due(), house.sent()?.payload]).toEqual([[], "on"]);
    house.save();
    expect(house.due()).toEqual(["on over 1"]);
  });

  test("is not sent while what runs with this configuration ends, and the answer to the one before is taken", () => {
    const house = drive([BOILER, { ...BOILER, id: "pump", ...toTopic("pump/set") }]);
    house.open(1);
    house.send(true);
    house.say(false);
    house.save();
    expect(house.due()).toEqual(["on over 1", "on over 1"]);
    house.take({ kind: "ending" });
    house.say(true);
    house.acknowledge();
    house.save();
    expect([house.due(), house.sent()?.payload, house.sent()?.acknowledged]).toEqual([[], "on", true]);
    expect(house.boundary()).toBe(NEVER);
  });

  test("is dropped if it is not saved when what runs with this configuration ends", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    house.take({ kind: "ending" });
    house.save();
    expect([house.due(), house.sent()?.payload]).toEqual([[], "on"]);
  });
});

describe("a connection", () => {
  test("is taken only if it is newer, and its loss only if it is the newest", () => {
    const house = drive();
    house.open(2);
    const opened = house.part();
    house.open(1);
    house.open(2);
    house.lose(1);
    expect(house.part()).toBe(opened);
    house.take({ kind: "reports read", connection: 1 });
    expect(house.part()).toBe(opened);
    house.open(3);
    house.lose(2);
    house.send(true);
    expect(house.sent()?.acknowledged).toBe(true);
  });

  test("that takes the place of one that was not said to be lost gets what that did not acknowledge", () => {
    const house = drive();
    house.open(1);
    house.say(true);
    house.save();
    house.open(2);
    house.pass(30 * SECOND);
    expect(house.due()).toEqual(["off over 2"]);
  });
});

describe("a refused payload", () => {
  function refused(outputs?: Output[]) {
    const house = drive(outputs);
    house.open(1);
    house.say(true);
    house.save();
    house.refuse();
    expect([house.due(), house.state()]).toEqual([[], "failed"]);
    expect(house.said()).toEqual(['The broker refuses boiler/set: not authorized; "off" was not sent']);
    return house;
  }

  test("is sent again after ten minutes, and is no problem any more when it is accepted", () => {
    const house = refused();
    house.pass(10 * MINUTE - 1);
    expect(house.sent()?.tries).toBe(1);
    house.pass(1);
    house.save();
    expect([house.due(), house.sent()?.tries, house.state()]).toEqual([["off over 1"], 2, "failed"]);
    house.acknowledge();
    expect(house.state()).toBe("sent");
    expect(house.said().at(-1)).toBe("The broker accepts messages to boiler/set again");
  });

  test("is sent again on the next connection", () => {
    const house = refused();
    house.lose(1);
    house.pass(20 * MINUTE);
    expect([house.due(), house.state()]).toEqual([[], "failed"]);
    house.open(2);
    expect([house.due(), house.state()]).toEqual([["off over 2"], "failed"]);
  });

  test("is sent again when another payload was due meanwhile, and that is sent at once", () => {
    const house = refused();
    house.send(false);
    expect([house.sent()?.payload, house.sent()?.acknowledged, house.state()]).toEqual(["on", true, "sent"]);
    house.say(true);
    house.save();
    expect(house.due()).toEqual(["off over 1"]);
  });

  test("is no problem any more when nothing has to be sent", () => {
    const { else: _, ...bare } = BOILER;
    const house = refused([bare]);
    house.say(false);
    expect([house.state(), house.said()]).toEqual([
      "sent",
      ["Nothing has to be sent to boiler/set any more"],
    ]);
  });

  test("goes on being sent while the rule is unknown, as what was sent last stands", () => {
    const house = refused();
    house.say(null);
    house.pass(10 * MINUTE);
    expect(house.due()).toEqual(["off over 1"]);
  });
});

describe("a payload that its device has not confirmed", () => {
  test("is repeated each time its repetition was answered so long ago, ten minutes after one that was refused, and not saved at once for that", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    const { changes } = house.part().passing;
    house.pass(30 * SECOND);
    expect([house.due(), house.sent()?.tries]).toEqual([["off over 1"], 2]);
    house.pass(10 * SECOND);
    expect(house.numbers()).toEqual([2]);
    house.refuse();
    expect(house.part().passing.changes).toBe(changes);
    expect(house.said()).toHaveLength(3);
    house.pass(10 * MINUTE - 1);
    expect(house.due()).toEqual([]);
    house.pass(1);
    expect([house.due(), house.sent()?.tries]).toEqual([["off over 1"], 3]);
  });

  test("is a problem after `confirm.for`, and is sent again every ten minutes, until its device reports it", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.said();
    for (let times = 0; times < 3; times += 1) {
      house.pass(30 * SECOND);
      house.acknowledge();
    }
    expect(house.state()).toBe("failed");
    expect(house.said()).toEqual([
      'Sent "off" to boiler/set 3 times, but in 90 s boiler never reported "off": check that the device is connected to the broker, and that vigie may read boiler',
    ]);
    for (let times = 0; times < 3; times += 1) {
      // The last one went out before the problem was found.
      house.pass(times === 0 ? 9.5 * MINUTE - SECOND : 10 * MINUTE - SECOND);
      expect(house.due()).toEqual([]);
      house.pass(SECOND);
      expect([house.due(), house.state()]).toEqual([["off over 1"], "failed"]);
      house.acknowledge();
    }
    expect(house.said()).toEqual([]);
    house.report("off");
    expect(house.state()).toBe("confirmed");
    expect(house.said()).toEqual([
      'boiler/set has confirmed "off": boiler reported "off"',
      "boiler/set does what it was sent again",
    ]);
  });

  test("is not sent again after `confirm.for` while the rule that decides is unknown", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.say(null);
    for (let times = 0; times < 3; times += 1) {
      house.pass(30 * SECOND);
      house.acknowledge();
    }
    expect(house.state()).toBe("failed");
    house.pass(60 * MINUTE);
    expect([house.due(), house.boundary()]).toEqual([[], NEVER]);
  });

  test("is repeated also while the rule that decides is unknown", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.say(null);
    house.pass(30 * SECOND);
    expect(house.due()).toEqual(["off over 1"]);
  });

  test("is repeated from the next connection on, and `confirm.for` goes on there", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.pass(80 * SECOND);
    house.lose(1);
    house.pass(60 * MINUTE);
    expect([house.due(), house.state()]).toEqual([[], "waiting"]);
    house.open(2);
    house.pass(5 * SECOND);
    expect(house.due()).toEqual(["off over 2"]);
    house.acknowledge();
    house.pass(4 * SECOND);
    expect(house.state()).toBe("waiting");
    house.pass(SECOND);
    expect(house.state()).toBe("failed");
  });

  test("is not repeated after another one was chosen, and again if that was not sent in the end", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.pass(20 * SECOND);
    house.say(false);
    expect(house.boundary()).toBe(25 * SECOND);
    house.say(true);
    expect(house.boundary()).toBe(30 * SECOND);
    house.pass(10 * SECOND);
    expect(house.due()).toEqual(["off over 1"]);
    house.say(false);
    house.acknowledge();
    house.save();
    house.acknowledge();
    house.pass(30 * SECOND);
    expect(house.due()).toEqual(["on over 1"]);
  });

  test("is not repeated any more when nothing is chosen, or when its output has gone", () => {
    const [off, gone] = [drive([{ ...BARE, confirm }]), drive([CONFIRMED])];
    for (const house of [off, gone]) {
      house.open(1);
      house.send(true);
      expect(house.boundary()).toBe(30 * SECOND);
    }
    off.say(false);
    expect([off.boundary(), off.state()]).toEqual([NEVER, "sent"]);
    const at = { now: START, steady: 0 };
    const without = settleOutputs(gone.part(), at, { outputs: outputsOf([BOILER]), verdicts: null });
    expect(nextOutputBoundary(without)).toBe(NEVER);
  });
});

describe("a report", () => {
  test("says nothing of a payload that is not given to the broker yet", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.say(true);
    house.report("off");
    expect(house.sent()?.answer).toBe("awaited");
    house.save();
    house.report("off");
    expect(house.sent()?.answer).toBe("heard");
  });

  test("that the broker holds from before is looked at after the acknowledgement, and said after the sending", () => {
    const house = drive([CONFIRMED]);
    house.open(1, 4);
    house.say(true);
    house.save();
    house.report("off", true);
    expect([house.sent()?.answer, house.said()]).toEqual(["awaited", []]);
    house.acknowledge();
    expect([house.sent()?.answer, house.state(), house.boundary()]).toEqual(["retained", "sent", NEVER]);
    expect(house.said()).toEqual([
      'Sent "off" to boiler/set: peak is ON',
      "The broker accepts messages to boiler/set again",
      'boiler/set is not sent "off" again: the broker holds the report "off" of boiler, which may be old',
      "vigie waits for no report of boiler/set any more",
    ]);
    house.report("off", true);
    expect(house.said()).toEqual([]);
    house.report("off");
    house.pass(SECOND);
    expect(house.state()).toBe("confirmed");
  });

  test("that is retained is new on MQTT 5 once all from before are read, and on no connection before that", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.report("on", true);
    expect(house.sent()?.last_answer).toBeNull();
    house.take({ kind: "reports read", connection: 1 });
    house.report("on", true);
    house.pass(SECOND);
    expect(house.sent()?.last_answer).toBe("on");
    house.report("off", true);
    house.pass(SECOND);
    expect(house.state()).toBe("confirmed");
  });

  test("is judged at once, and the next one a second later: the last of that second counts", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    house.report("on");
    house.pass(SECOND / 2);
    house.report("off");
    house.report("on");
    house.pass(SECOND / 2);
    expect(house.state()).toBe("waiting");
    house.report("blink");
    house.report("off");
    house.pass(SECOND - 1);
    expect(house.state()).toBe("waiting");
    house.pass(1);
    expect(house.state()).toBe("confirmed");
  });

  test("of something else is kept at once if it is the first, and with the next telling if not; no save is due for it", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    house.send(true);
    const { changes } = house.part().passing;
    house.report("on");
    expect(house.sent()?.last_answer).toBe("on");
    house.report("blink");
    house.pass(29 * SECOND);
    expect(house.sent()?.last_answer).toBe("on");
    house.pass(SECOND);
    expect(house.sent()?.last_answer).toBe("blink");
    expect(house.part().passing.changes).toBe(changes);
  });

  test("on another topic changes nothing", () => {
    const house = drive([CONFIRMED]);
    house.open(1);
    const before = house.part();
    house.take({ kind: "report", topic: "lamp", payload: "off", retain: true });
    expect(house.part()).toBe(before);
  });
});
