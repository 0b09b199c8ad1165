import { expect, test } from "vitest";
import type { BothVerdicts } from "../../../src/core/outputs/choose-outputs.ts";
import type { Output } from "../../../src/core/outputs/output.ts";
import type { OutputsKept } from "../../../src/core/outputs/outputs-kept.ts";
import { verdictsOf } from "../../support/outputs.ts";
import {
  assumed,
  byHand,
  CONFIRM,
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

const ONLINE = { topic: "boiler/online", equals: "true" };
/** It says on a topic that it is there. */
const PRESENT: Output = { ...SHOWING, confirm: { ...CONFIRM, online: ONLINE } };
const PRESENT_KEPT: Output = { ...KEEPING, confirm: { ...CONFIRM, keep: true, online: ONLINE } };

type House = ReturnType<typeof house>;

function says(vigie: House, payload: "true" | "false", retain = false) {
  vigie.publish(ONLINE.topic, payload, retain);
}

/** Seconds since the beginning; null: it is not away. */
function awaySince(vigie: House): number | null {
  const { away_since = null } = vigie.status()?.sent ?? {};
  return away_since === null ? null : (away_since - START) / SECOND;
}

/** State, and since when it is away. */
function shown(vigie: House) {
  return [vigie.state(), awaySince(vigie)];
}

function startAgain(kept: OutputsKept, at: number, output: Output = PRESENT): House {
  return house(output, { kept, at, isPeak: true });
}

test.each([
  ["with keep", PRESENT_KEPT],
  ["without keep", PRESENT],
])(
  "a confirmed device that says that it is away is sent, away since then, and told when it is back: %s",
  (_title, output) => {
    const vigie = confirmed(output);
    says(vigie, "false");
    expect(shown(vigie)).toEqual(["sent", 60]);
    expect(vigie.said).toEqual([
      "It is not known what boiler/set does now: it is away, as boiler/online says",
    ]);
    vigie.wait(3 * HOUR);
    expect(shown(vigie)).toEqual(["sent", 60]);
    expect(vigie.sent).toEqual([]);
    says(vigie, "true");
    expect(shown(vigie)).toEqual(["waiting", null]);
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(["off"]);
    vigie.report("off");
    vigie.wait(SECOND);
    expect(shown(vigie)).toEqual(["confirmed", null]);
  },
);

test("what is in force by else is not known either when its device is back, until it reports", () => {
  const vigie = confirmed(PRESENT);
  vigie.turn(false);
  vigie.report("on");
  vigie.wait(SECOND);
  vigie.sent.length = 0;
  expect(vigie.state()).toBe("confirmed");
  says(vigie, "false");
  vigie.wait(HOUR);
  says(vigie, "true");
  vigie.wait(HOUR);
  expect(shown(vigie)).toEqual(["sent", null]);
  expect(vigie.sent).toEqual([]);
  vigie.report("on");
  expect(vigie.state()).toBe("confirmed");
});

test("a device that is only assumed to obey, and goes away, is not told for what it says then", () => {
  const vigie = assumed(PRESENT);
  expect(vigie.state()).toBe("sent");
  vigie.sent.length = 0;
  says(vigie, "false");
  expect(shown(vigie)).toEqual(["sent", 60]);
  vigie.report("on");
  vigie.wait(6 * SECOND);
  expect(shown(vigie)).toEqual(["contrary", 60]);
  expect(vigie.sent).toEqual([]);
});

test("a device that reports though the broker holds that it is away is told at once what it does not do", () => {
  const vigie = confirmed(PRESENT_KEPT);
  says(vigie, "false", true);
  vigie.wait(MINUTE);
  expect(shown(vigie)).toEqual(["sent", 60]);
  // Somebody presses the button again and again.
  for (let times = 0; times < 6; times += 1) {
    vigie.report("on");
    vigie.wait(6 * SECOND);
    expect(shown(vigie)).toEqual(["contrary", 60]);
    if (times < 5) vigie.report("off");
    vigie.wait(MINUTE);
  }
  expect(vigie.sent).toHaveLength(5);
  expect(vigie.said.at(-1)).toMatch(/and something switches it back: boiler reported "on"/);
});

test("what is reported as its own while it says that it is away is no tick, and is one when it is back", () => {
  const vigie = confirmed(PRESENT);
  vigie.turn(false);
  says(vigie, "false");
  expect(shown(vigie)).toEqual(["waiting", 60]);
  vigie.report("on");
  vigie.wait(SECOND);
  expect(shown(vigie)).toEqual(["sent", 60]);
  says(vigie, "true");
  expect(shown(vigie)).toEqual(["confirmed", null]);
});

test("over HTTP, too, an answer is no tick while the device says that it is away", () => {
  const vigie = house({ ...OVER_HTTP, confirm: { ...OVER_HTTP.confirm, online: ONLINE } });
  vigie.stateIs(() => '{"ison":false}');
  vigie.connect();
  vigie.turn(true);
  vigie.wait(MINUTE);
  expect(vigie.state()).toBe("confirmed");
  says(vigie, "false");
  vigie.wait(HOUR);
  expect(shown(vigie)).toEqual(["sent", 60]);
});

test("since when it is away goes on over a reload, a restart, a new connection and another payload", () => {
  const vigie = confirmed(PRESENT);
  says(vigie, "false");
  const again = startAgain(vigie.kept(), HOUR);
  expect(shown(again)).toEqual(["sent", 60]);
  again.connect();
  says(again, "false", true);
  again.reportsRead();
  again.wait(MINUTE);
  expect(shown(again)).toEqual(["sent", 60]);
  again.lose();
  again.wait(MINUTE);
  again.connect();
  again.reportsRead();
  again.wait(MINUTE);
  expect(shown(again)).toEqual(["sent", 60]);
  again.turn(false);
  expect(shown(again)).toEqual(["waiting", 60]);
  says(again, "true");
  expect(awaySince(again)).toBe(null);
});

test("a device that came back while vigie was stopped is away no more, and is told", () => {
  const vigie = confirmed(PRESENT);
  says(vigie, "false");
  const again = startAgain(vigie.kept(), HOUR);
  again.connect();
  says(again, "true", true);
  again.reportsRead();
  expect(shown(again)).toEqual(["waiting", null]);
  expect(again.sent.map(({ payload }) => payload)).toEqual(["off"]);
});

test("a device that came back just before vigie starts again is told, though the broker holds its report from before", () => {
  const vigie = confirmed(PRESENT);
  for (const payload of ["false", "true", "false", "true"] as const) {
    says(vigie, payload);
    vigie.wait(SECOND);
  }
  const again = startAgain(vigie.kept(), vigie.now() + MINUTE);
  again.connect();
  again.report("off", true);
  says(again, "true", true);
  again.reportsRead();
  again.wait(MINUTE);
  expect(again.sent.map(({ payload }) => payload)).toContain("off");
});

test("that a device is away, as the broker holds it from before, counts after five seconds in which it says nothing else", () => {
  const vigie = confirmed(PRESENT);
  const hears = (after: () => void) => {
    vigie.lose();
    vigie.connect();
    says(vigie, "false", true);
    vigie.wait(3 * SECOND);
    expect(shown(vigie)).toEqual(["confirmed", null]);
    after();
    vigie.wait(3 * SECOND);
  };
  hears(() => says(vigie, "true", true));
  expect(shown(vigie)).toEqual(["confirmed", null]);
  hears(() => undefined);
  expect(vigie.state()).toBe("sent");
});

test("a device that comes and goes is away at once, then only if that stands for two minutes", () => {
  const vigie = confirmed(PRESENT);
  const changes: number[] = [];
  let last = shown(vigie).join();
  for (let second = 0; second < 720; second += 1) {
    if (second % 20 === 0) says(vigie, second % 40 === 0 ? "false" : "true");
    vigie.report("off");
    vigie.wait(SECOND);
    const now = shown(vigie).join();
    if (now.split(",")[1] !== last.split(",")[1]) changes.push(second);
    last = now;
  }
  // Five minutes after the last time that it counted, the next one counts at once again.
  expect(changes.slice(0, 4)).toEqual([0, 20, 320, 340]);
  says(vigie, "false");
  vigie.wait(2 * MINUTE + SECOND);
  expect(vigie.state()).toBe("sent");
});

test("a device that is away when it is told the first time is so", () => {
  const vigie = house(PRESENT);
  vigie.connect();
  says(vigie, "false", true);
  vigie.reportsRead();
  vigie.wait(MINUTE);
  expect(shown(vigie)).toEqual(["nothing", null]);
  vigie.turn(true);
  expect(shown(vigie)).toEqual(["waiting", 0]);
});

test("a payload that is dropped while it waited for its save leaves its device away", () => {
  const vigie = confirmed(PRESENT);
  vigie.saves(false);
  vigie.turn(false);
  says(vigie, "false");
  vigie.turn(true);
  vigie.saves(true);
  vigie.wait(MINUTE);
  expect(shown(vigie)).toEqual(["sent", 60]);
});

test("a message that is empty, or without what is asked for, says nothing", () => {
  const vigie = confirmed({
    ...SHOWING,
    confirm: { ...CONFIRM, online: { topic: ONLINE.topic, equals: { state: "online" } } },
  });
  for (const payload of ["", "offline", '{"linkquality":12}']) vigie.publish(ONLINE.topic, payload);
  expect(shown(vigie)).toEqual(["confirmed", null]);
  vigie.publish(ONLINE.topic, '{"state":"offline"}');
  expect(shown(vigie)).toEqual(["sent", 60]);
});

test("nothing of it is left when the owner removes online", () => {
  const vigie = confirmed(PRESENT);
  says(vigie, "false");
  const again = startAgain(vigie.kept(), HOUR, SHOWING);
  expect(shown(again)).toEqual(["sent", null]);
});

test("a device that takes its place, at another topic, is not away", () => {
  const vigie = confirmed(PRESENT);
  says(vigie, "false");
  const moved = startAgain(vigie.kept(), HOUR, { ...PRESENT, key: "relay2/set" });
  expect(shown(moved)).toEqual(["waiting", null]);
});

test("a device that takes its place with other payloads is never sent those of the one before", () => {
  const vigie = confirmed(PRESENT);
  const other: Output = {
    ...PRESENT,
    key: "relay2/set",
    choose: [{ when: "peak", payload: "0", expect: "0" }],
  };
  const moved = house(other, { kept: vigie.kept(), at: HOUR, isPeak: null });
  moved.connect();
  moved.wait(HOUR);
  expect(moved.sent).toEqual([]);
});

test.each([
  ["told if its choice is ON still", true, ["off"]],
  ["told nothing if its choice has ended", false, []],
])("after a start, a device that is there and never obeyed waits for the rules: %s", (_title, peak, told) => {
  const { else: _else, ...output } = PRESENT;
  const before = house(output);
  before.connect();
  before.turn(true);
  before.wait(2 * HOUR);
  expect(before.state()).toBe("failed");
  const vigie = byHand([output], { kept: before.kept(), at: 3 * HOUR, isAfterCrash: true });
  vigie.open(1);
  vigie.report("true", true, ONLINE.topic);
  vigie.take({ kind: "reports read", connection: 1 });
  vigie.pass(15 * SECOND);
  expect(vigie.due()).toEqual([]);
  vigie.decide(verdictsOf({ peak }));
  expect(vigie.due().map(({ payload }) => payload)).toEqual(told);
});

test.each([
  ["told if its choice is ON still", true, ["off"]],
  ["told nothing if its choice has ended", false, []],
])(
  "after a jump of the clock, a device that came back waits for the rules, too: %s",
  (_title, peak, told) => {
    const { else: _else, ...output } = PRESENT;
    const vigie = confirmed(output);
    vigie.lose();
    vigie.verdicts(null);
    vigie.connect();
    says(vigie, "true", true);
    vigie.reportsRead();
    vigie.wait(15 * SECOND);
    expect(vigie.sent).toEqual([]);
    vigie.verdicts(verdictsOf({ peak }));
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(told);
  },
);

test.each([
  ["told if its choice is ON still", true, ["off"]],
  ["told nothing if its choice has ended", false, []],
])(
  "on a new connection a device that came back waits for the values of its rule: %s",
  (_title, peak, told) => {
    const { else: _else, ...output } = PRESENT;
    const vigie = confirmed(output);
    vigie.lose();
    vigie.wait(MINUTE);
    vigie.verdicts(awaitingValues());
    vigie.connect();
    says(vigie, "true", true);
    vigie.reportsRead();
    vigie.wait(10 * SECOND);
    expect(vigie.sent).toEqual([]);
    vigie.turn(peak);
    expect(vigie.sent.map(({ payload }) => payload)).toEqual(told);
  },
);

test("a device over HTTP that never obeyed is told while the broker is away, though its rule waits for values", () => {
  const vigie = house(OVER_HTTP);
  vigie.turn(true);
  vigie.wait(HOUR + MINUTE);
  expect(vigie.state()).toBe("failed");
  vigie.sent.length = 0;
  vigie.verdicts(awaitingValues());
  vigie.wait(20 * MINUTE);
  expect(vigie.sent.map(({ payload }) => payload)).toEqual(["off", "off"]);
});

/** The rule is ON by what its values were before, and the broker has not sent what they are. */
function awaitingValues(): BothVerdicts {
  const known = {
    ...verdictsOf({}).withSimulation,
    verdicts: new Map([["peak", { state: true, reason: "waiting" as const }]]),
  };
  return { withSimulation: known, withoutSimulation: known };
}
