import { describe, expect, test } from "vitest";
import { placeOf } from "../../../src/core/outputs/output.ts";
import { startOutputs } from "../../../src/core/outputs/start-outputs.ts";
import { rougeFacts } from "../../support/facts.ts";
import { BOILER, outputsOf, verdictsOf } from "../../support/outputs.ts";
import { byHand, HOUR, house, MINUTE, PHONE, SECOND, START } from "../../support/outputs-house.ts";

const OVER_MQTT = { ...PHONE, key: BOILER.key, to: BOILER.to };
const BY_ID = {
  ...PHONE,
  to: {
    ...PHONE.to,
    kind: "http",
    place: "https://matrix.example.org",
    method: "PUT",
    url: "https://matrix.example.org/send/{id}",
  },
} as const;
const TWO_TEXTS = {
  ...PHONE,
  choose: [
    { when: "peak", payload: "A" },
    { when: "other", payload: "B" },
  ],
};
const taken = (number: number) => ({ kind: "acknowledged", number }) as const;
const unanswered = (mayHaveArrived: boolean) => (number: number) =>
  ({
    kind: "unanswered",
    number,
    message: "no answer",
    mayHaveArrived,
    retryAfter: null,
    isBusy: mayHaveArrived,
  }) as const;
const nothing = () => ({ kind: "saved", changes: 0 }) as const;

test("a delivered message was tried once, and one that may have arrived before, twice", () => {
  const triesOf = (first: typeof taken | ReturnType<typeof unanswered>) => {
    const vigie = house(PHONE);
    vigie.answerWith(first);
    vigie.turn(true);
    vigie.answerWith(taken);
    vigie.wait(MINUTE);
    return vigie.kept().messages[PHONE.key]?.last?.tries;
  };
  expect([taken, unanswered(false), unanswered(true)].map(triesOf)).toEqual([1, 1, 2]);
});

test("502 and 504 for two minutes: the message arrives", () => {
  const vigie = house(PHONE);
  vigie.answerWith(unanswered(true));
  vigie.turn(true);
  vigie.wait(2 * MINUTE);
  vigie.answerWith(taken);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("sent");
  expect(vigie.tellings()).toEqual([0, 30, 150]);
});

test("by PUT with {id} it is tried each ten minutes without end, always with the same id", () => {
  const vigie = house(BY_ID);
  vigie.answerWith(unanswered(true));
  vigie.turn(true);
  vigie.wait(24 * HOUR);
  expect(vigie.tellings().slice(0, 5)).toEqual([0, 30, 150, 750, 1_350]);
  expect(vigie.sent.length).toBeGreaterThan(140);
  expect(new Set(vigie.ids()).size).toBe(1);
  expect(vigie.state()).toBe("waiting");
});

describe("over MQTT a connection that is lost is a try without an answer", () => {
  const losing = () => {
    const vigie = house(OVER_MQTT);
    vigie.answerWith(() => ({ kind: "connection lost", connection: vigie.connection() }));
    vigie.connect();
    vigie.turn(true);
    return vigie;
  };
  const reconnect = (vigie: ReturnType<typeof losing>, length: number) => {
    for (const end = vigie.now() + length; vigie.now() < end; ) {
      if (vigie.status()) vigie.connect();
      vigie.wait(10 * SECOND);
    }
  };

  test("after six of them it is given up, and that is said once", () => {
    const vigie = losing();
    reconnect(vigie, 3 * HOUR);
    expect(vigie.sent).toHaveLength(6);
    expect(vigie.state()).toBe("failed");
    const lines = vigie.said.filter((line) => line.includes(placeOf(OVER_MQTT)));
    expect(lines).toEqual([
      expect.stringContaining("It was sent 6 times, and may have arrived. It is not sent again"),
    ]);
  });

  test("a connection that stays brings it", () => {
    const vigie = losing();
    vigie.answerWith(taken);
    reconnect(vigie, MINUTE);
    expect(vigie.state()).toBe("sent");
  });
});

describe("a message under way", () => {
  test("that another choice replaces, and that arrives, is not sent again within six hours", () => {
    const vigie = house(TWO_TEXTS);
    vigie.answerWith(nothing);
    vigie.states({ peak: true, other: false });
    const first = vigie.number();
    vigie.states({ peak: false, other: false });
    vigie.wait(SECOND);
    vigie.answerWith(taken);
    vigie.take(taken(first));
    vigie.wait(MINUTE);
    vigie.states({ peak: true, other: false });
    vigie.wait(HOUR);
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(["A"]);
  });

  test("is answered before the next one is sent, and the last one that is read is the one in force", () => {
    const vigie = house(TWO_TEXTS);
    vigie.answerWith(nothing);
    vigie.states({ peak: true, other: false });
    const first = vigie.number();
    vigie.states({ peak: false, other: true });
    expect(vigie.sent).toHaveLength(1);
    vigie.answerWith(taken);
    vigie.take(taken(first));
    vigie.states({ peak: true, other: false });
    vigie.wait(MINUTE);
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(["A", "B", "A"]);
  });
});

describe("a restart", () => {
  const lost = () => {
    const vigie = house(PHONE);
    vigie.answerWith(unanswered(true));
    vigie.turn(true);
    vigie.wait(3 * MINUTE);
    expect(vigie.sent).toHaveLength(3);
    return vigie;
  };

  test("makes no try of a message come sooner that may have arrived", () => {
    const again = house(PHONE, { kept: lost().kept(), at: 3 * MINUTE, isPeak: true });
    again.turn(true);
    again.wait(20 * MINUTE);
    expect(again.tellings()).toEqual([750]);
  });

  /** How long a reload at this time waits until the message is tried again. */
  const pauseAfterReload = (vigie: ReturnType<typeof house>, time: number) => {
    const steady = 30 * 24 * HOUR + time;
    const { passing: before } = vigie.part();
    const at = { now: START + time, steady };
    const again = startOutputs(vigie.kept(), at, { outputs: outputsOf([PHONE]), before });
    return again.passing.messages.get(PHONE.key)!.retry!.at - steady;
  };

  test("of the configuration only makes none come sooner either", () => {
    expect(pauseAfterReload(lost(), 3 * MINUTE)).toBe(570 * SECOND);
  });

  test("of the configuration that cuts off the second try makes the third one come after two minutes if the second one was written, else at once", () => {
    const pause = (mayHaveArrived: boolean) => {
      const vigie = house(PHONE);
      vigie.answerWith(unanswered(true));
      vigie.turn(true);
      vigie.answerWith(nothing);
      vigie.wait(35 * SECOND);
      vigie.take({ kind: "ending" });
      vigie.take({ kind: "cut off", number: vigie.number(), mayHaveArrived });
      return pauseAfterReload(vigie, 35 * SECOND);
    };
    expect(pause(true)).toBe(2 * MINUTE);
    expect(pause(false)).toBeLessThanOrEqual(0);
  });

  test("with a clock that was set back makes it come after its pause at the latest", () => {
    const again = house(PHONE, { kept: lost().kept(), at: -24 * HOUR, isPeak: true });
    again.turn(true);
    again.wait(11 * MINUTE);
    expect(again.sent).toHaveLength(1);
  });

  test("with another address tells it what is in force, shows nothing of what was sent to the former one", () => {
    const vigie = house(PHONE);
    vigie.turn(true);
    const moved = { ...PHONE, key: "http:phone:other" };
    const again = house(moved, { kept: vigie.kept(), at: MINUTE });
    expect(again.state()).toBe("nothing");
    again.turn(true);
    expect(again.sent).toHaveLength(1);
    expect(Object.keys(again.kept().messages)).toEqual([moved.key]);
  });
});

describe("a text without a day", () => {
  test("is told when its choice begins from unknown, but not within six hours", () => {
    const vigie = house(PHONE);
    vigie.turn(true);
    vigie.turn(null);
    vigie.wait(HOUR);
    vigie.turn(true);
    expect(vigie.sent).toHaveLength(1);
    vigie.wait(6 * HOUR);
    vigie.turn(null);
    vigie.turn(true);
    expect(vigie.sent).toHaveLength(2);
  });

  test("that comes and goes with another one is told at most six times an hour, and then when the hour is over", () => {
    const vigie = house(TWO_TEXTS);
    for (let round = 0; round < 10; round += 1) {
      vigie.states({ peak: true, other: false });
      vigie.wait(MINUTE);
      vigie.states({ peak: false, other: true });
      vigie.wait(MINUTE);
    }
    expect(vigie.sent).toHaveLength(6);
    vigie.states({ peak: true, other: false });
    vigie.wait(HOUR);
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(["A", "B", "A", "B", "A", "B", "A"]);
  });
});

test("a disk that hangs keeps a message whose text changes again and again back for five seconds", () => {
  const vigie = house({ ...PHONE, choose: [{ when: "peak", payload: "{left.rouge}" }] });
  const facts = rougeFacts();
  vigie.saves(false);
  vigie.turn(true);
  for (let rouge = 0; rouge < 8; rouge += 1) {
    vigie.facts({ ...facts, dated: { ...facts.dated, left: { bleu: 1, blanc: 1, rouge } } } as typeof facts);
    vigie.wait(SECOND);
  }
  expect(vigie.sent).toEqual([{ at: 5 * SECOND, payload: "4" }]);
});

describe("a message that may have gone out before a kill", () => {
  const kill = (vigie: ReturnType<typeof house>) => {
    const again = house(TWO_TEXTS, { kept: vigie.saved(), at: vigie.now() });
    again.verdicts(null);
    return again;
  };

  test("was tried, and is tried again after its pause", () => {
    const vigie = house(TWO_TEXTS);
    vigie.answerWith(nothing);
    vigie.states({ peak: true, other: false });
    vigie.wait(10 * SECOND);
    const again = kill(vigie);
    again.states({ peak: true, other: false });
    again.wait(HOUR);
    expect([...vigie.tellings(), ...again.tellings()]).toEqual([0, 30]);
  });

  test("may be the last one that people read: the one before it is told again if it is in force", () => {
    const vigie = house(TWO_TEXTS);
    vigie.states({ peak: true, other: false });
    vigie.answerWith(nothing);
    vigie.wait(MINUTE);
    vigie.states({ peak: false, other: true });
    const again = kill(vigie);
    again.states({ peak: true, other: true });
    again.wait(HOUR);
    expect([...vigie.sent, ...again.sent].map(({ payload }) => payload)).toEqual(["A", "B", "A"]);
  });

  test("is shown as sent after its choice has ended, and keeps its id", () => {
    const vigie = house(PHONE);
    vigie.answerWith(nothing);
    vigie.turn(true);
    const again = house(PHONE, { kept: vigie.saved(), at: MINUTE });
    again.turn(false);
    expect(again.state()).toBe("sent");
    again.turn(true);
    expect([...vigie.ids(), ...again.ids()]).toEqual([vigie.ids()[0], vigie.ids()[0]]);
  });
});

describe("a message whose choice ends before it is saved", () => {
  const texts = (vigie: ReturnType<typeof house>) => vigie.sent.map(({ payload }) => payload);
  const flicker = (vigie: ReturnType<typeof house>) => {
    vigie.saves(false);
    vigie.states({ peak: true, other: true });
    vigie.wait(SECOND);
    vigie.states({ peak: false, other: true });
    vigie.saves(true);
    vigie.wait(HOUR);
  };

  test("is not sent, and the one before is not told again, however long ago it was", () => {
    const vigie = house(TWO_TEXTS);
    vigie.states({ peak: false, other: true });
    vigie.wait(7 * HOUR);
    flicker(vigie);
    expect(texts(vigie)).toEqual(["B"]);
    expect(vigie.status()).toMatchObject({ state: "sent", sent: { payload: "B" } });
  });

  test("is not shown as sent", () => {
    const vigie = house(PHONE);
    vigie.saves(false);
    vigie.turn(true);
    vigie.turn(false);
    expect([vigie.state(), vigie.status()?.sent]).toEqual(["nothing", undefined]);
  });

  test("after a reload meanwhile is saved again before it goes out", () => {
    const vigie = byHand([PHONE], { verdicts: verdictsOf({ peak: true }) });
    vigie.settle();
    vigie.take({ kind: "ending" });
    const again = byHand([PHONE], { kept: vigie.part().kept, verdicts: verdictsOf({ peak: true }) });
    again.settle();
    expect(again.due()).toEqual([]);
    again.save();
    expect(again.due()).toHaveLength(1);
  });
});

test("an output that has another id at the same topic goes on with its messages, also when the former id is that of another output", () => {
  const named = { ...PHONE, id: "anne", key: BOILER.key, to: BOILER.to };
  const vigie = house({ ...named, id: "phone" });
  vigie.connect();
  vigie.turn(true);
  const renamed = house(named, { kept: vigie.kept(), at: MINUTE, isPeak: true });
  renamed.connect();
  renamed.turn(true);
  expect(renamed.sent).toEqual([]);
  const away = house({ ...PHONE, id: "phone" }, { kept: renamed.kept(), at: HOUR, isPeak: true });
  expect(Object.keys(away.kept().messages)).toContain(BOILER.key);
});
