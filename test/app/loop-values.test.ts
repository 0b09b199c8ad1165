import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { type HeardValue, readKeptValues } from "../../src/core/rules/value-readings.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const GRACE = 10 * MINUTE;
const NOON = Date.parse("2026-01-05T11:00:00Z");
const DAYS = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const aged = (max_age: string | null) => ({
  mqtt: { topic: "car", below: 40, ...(max_age !== null && { max_age }) },
});
const LOW = aged("2h");

/** The loop, with a value that the test publishes; it goes on from boundary to boundary. */
function open(
  rule: object,
  store = createMemoryStore(emptyState("test")),
  broker = { isSettled: true },
  at = NOON,
) {
  const clock = { at };
  const heard = new Map<string, HeardValue>();
  const kept: Record<string, { hash: string; at: number }> = {};
  const test = openTestLoop({
    rules: rulesOptions.parse([{ id: "r", ...rule }]),
    days: DAYS,
    clock,
    heard,
    kept,
    store,
    isSettled: () => broker.isSettled,
  });
  let published = 0;
  let last = "";
  const countMessages = () => {
    const topics = ["rules/r/state", "rules/r/since", "rules/r", "rules/r/plan"].map((topic) => [
      test.payload(topic),
      test.expires(topic),
    ]);
    if (JSON.stringify(topics) !== last) published += 1;
    last = JSON.stringify(topics);
  };
  return {
    ...test,
    store,
    clock,
    broker,
    goTo: (at: number) => test.goTo(at, countMessages),
    /** A live message. */
    hear: async (payload: string) => {
      heard.set("car", { payload, at: clock.at });
      kept["car"] = { hash: "x", at: clock.at };
      await test.noticeValues();
      countMessages();
    },
    state: () => test.payload("rules/r/state"),
    /** What the log says of a verdict that has changed. */
    turns: () => test.lines.flatMap((line) => /^Rule r is (ON|OFF|unknown): /.exec(line)?.[1] ?? []),
    published: () => published,
  };
}

describe("a value", () => {
  test("that changes nothing costs no look, and is known all the same", async () => {
    const { loop, hear } = open({ when: LOW });
    await hear("39");
    const view = loop.view();
    await hear("38");
    expect(loop.view()).toBe(view);
    expect(loop.known().passing.values.heard.get("car")?.payload).toBe("38");
    await hear("41");
    expect(loop.view()).not.toBe(view);
  });

  test("turns the rule, with one event, and is in nothing that is published or saved", async () => {
    const { hear, state, turns, events, lines, payload, store, goTo } = open({ when: LOW });
    await hear("41.987");
    goTo(NOON + SECOND);
    await hear("12.345");
    expect(state()).toBe("ON");
    expect(turns()).toEqual(["OFF", "ON"]);
    expect(events).toEqual([
      { event_type: "rule_off", rule: "r" },
      { event_type: "rule_on", rule: "r" },
    ]);
    const all = [payload("rules/r"), payload("rules/r/plan"), lines.join()].join();
    goTo(NOON + HOUR);
    expect(all + serialiseState(store.state())).not.toMatch(/41\.987|12\.345/);
  });

  test("is unknown at the instant at which it is too old, and until the next message", async () => {
    const { hear, state, goTo, turns } = open({ when: LOW });
    await hear("39");
    goTo(NOON + 2 * HOUR - 1);
    expect(state()).toBe("ON");
    goTo(NOON + 2 * HOUR);
    expect(state()).toBe("None");
    await hear("39");
    expect(state()).toBe("ON");
    expect(turns()).toEqual(["ON", "unknown", "ON"]);
  });
});

test("hold and max_age together: the times that docs/rules.md gives as its example", async () => {
  const { hear, goTo, state } = open({
    hold: "15m",
    when: { mqtt: { topic: "car", below: 2, max_age: "30m" } },
  });
  await hear("1.8");
  expect(state()).toBe("ON");
  goTo(NOON + 10 * MINUTE);
  await hear("2.3");
  expect(state()).toBe("ON");
  goTo(NOON + 15 * MINUTE);
  expect(state()).toBe("OFF");
  goTo(NOON + 20 * MINUTE);
  await hear("1.9");
  goTo(NOON + 30 * MINUTE - 1);
  expect(state()).toBe("OFF");
  goTo(NOON + 30 * MINUTE);
  expect(state()).toBe("ON");
  goTo(NOON + 50 * MINUTE - 1);
  expect(state()).toBe("ON");
  goTo(NOON + 50 * MINUTE);
  expect(state()).toBe("None");
});

test("a value that cannot be read is logged once, and its end, where when_unknown keeps the verdict", async () => {
  const { lines, hear, clock, state } = open({
    when: { mqtt: { topic: "car", path: "battery", below: 40 } },
    when_unknown: "off",
  });
  const never =
    "Rule r counts as OFF (when_unknown), because a value is unknown: car battery is below 40 (never heard)";
  const hearNext = async (payload: string) => {
    await hear(payload);
    clock.at += MINUTE;
  };
  expect(lines).toEqual([never]);
  await hearNext('{"battery":50}');
  expect(lines.splice(0)).toEqual([never, "No value is missing for rule r any more, after 0 s"]);
  for (const payload of ["secret", "secret 2", '{"soc":30}', "secret"]) await hearNext(payload);
  expect(state()).toBe("OFF");
  await hearNext('{"battery":50}');
  expect(lines).toEqual([
    "Rule r counts as OFF (when_unknown), because a value is unknown: car battery is below 40 (not JSON)",
    "Rule r counts as OFF (when_unknown), because a value is unknown: car battery is below 40 (no battery in its JSON)",
    "No value is missing for rule r any more, after 4 min",
  ]);
});

test("a missing value that does not decide for some hours is missing all the same", async () => {
  const { lines, hear, goTo, state } = open({
    when: { all: [{ period: "hc" }, { mqtt: { topic: "car", below: 40 } }] },
    when_unknown: "on",
  });
  const missing = () => lines.filter((line) => /^Rule r (?!is )|for rule r /.test(line));
  const stateAt = (at: number) => {
    goTo(at);
    return state();
  };
  const [night, day] = [NOON + 11 * HOUR, NOON + 24 * HOUR];
  expect([night, day, night + 24 * HOUR, day + 24 * HOUR].map(stateAt)).toEqual(["ON", "OFF", "ON", "OFF"]);
  const said =
    "Rule r counts as ON (when_unknown), because a value is unknown: car is below 40 (never heard)";
  expect(missing()).toEqual([said]);
  await hear("50");
  expect(missing()).toEqual([
    said,
    expect.stringMatching(/^No value is missing for rule r any more, after /),
  ]);
});

describe("the topics of a rule", () => {
  test("expire when the value is too old, after the grace", async () => {
    const { hear, expires } = open({ when: LOW });
    await hear("39");
    for (const topic of ["state", "since"]) expect(expires(`rules/r/${topic}`)).toBe(NOON + 2 * HOUR + GRACE);
    expect(expires("rules/r")).toBe(NOON + 2 * HOUR + GRACE);
    expect(expires("rules/r/plan")).toBe(undefined);
  });

  test("expire at the next turn, after the grace, where that is before the value is too old", async () => {
    const { hear, expires } = open({ when: { all: [LOW, { between: ["11:00", "13:00"] }] } });
    await hear("39");
    for (const topic of ["rules/r/state", "rules/r/since", "rules/r"])
      expect(expires(topic)).toBe(NOON + HOUR + GRACE);
  });

  test("never expire on the broker while values arrive, and are published again seldom", async () => {
    const { hear, expires, goTo, published } = open({ when: LOW });
    for (let at = NOON; at < NOON + 24 * HOUR; at += 59 * SECOND) {
      goTo(at);
      await hear(String(20 + ((at / SECOND) % 19)));
      const left = (expires("rules/r/state") ?? 0) - at;
      expect(left).toBeGreaterThanOrEqual(MINUTE);
      expect(left).toBeLessThanOrEqual(2 * HOUR + GRACE);
    }
    expect(published()).toBeLessThanOrEqual(14);
  });
});

test("a value that flaps each second around its bound is not published while the rule holds", async () => {
  const { hear, goTo, state, published } = open({ hold: "5m", when: LOW });
  await hear("39");
  const before = published();
  for (let second = 1; second < 300; second += 1) {
    goTo(NOON + second * SECOND);
    await hear(second % 2 === 0 ? "39" : "41");
    expect(state()).toBe("ON");
  }
  expect(published()).toBe(before);
  goTo(NOON + 300 * SECOND);
  expect(state()).toBe("OFF");
});

describe("the state file", () => {
  test("gets a turn of a value within five minutes, in one write for all of them", async () => {
    const { hear, goTo, store, loop, clock } = open({ when: LOW });
    await hear("39");
    const writes = store.writes();
    for (let second = 4; second < 300; second += 5) {
      goTo(NOON + second * SECOND);
      await hear(second % 2 === 0 ? "39" : "41");
    }
    expect(store.writes()).toBe(writes);
    goTo(NOON + 5 * MINUTE + SECOND);
    expect(store.writes()).toBe(writes + 1);
    expect(store.state().rules).toMatchObject({ rules: { r: { state: false } } });
    expect(loop.view().boundary.now).toBeGreaterThan(clock.at);
    goTo(NOON + 30 * MINUTE);
    expect(store.writes()).toBe(writes + 1);
  });

  test("gets a turn that the clock makes at once, also of a rule that looks at a value", async () => {
    const { hear, goTo, store, state } = open({ when: { all: [LOW, { between: ["11:00", "13:00"] }] } });
    await hear("39");
    goTo(NOON + HOUR - SECOND);
    const writes = store.writes();
    goTo(NOON + HOUR);
    await settled();
    expect([state(), store.writes()]).toEqual(["OFF", writes + 1]);
    expect(store.state().rules).toMatchObject({ rules: { r: { state: false } } });
  });

  test("gets a turn of a value with the next write of anything else", async () => {
    const { hear, goTo, store, command } = open({ when: LOW });
    await hear("39");
    goTo(NOON + SECOND);
    await hear("41");
    await command({ kind: "enabled", rule: "r", enabled: true, for: HOUR });
    expect(store.state().rules).toMatchObject({ rules: { r: { state: false } } });
  });
});

describe("the age of a value", () => {
  /** Of a value that arrives each ten minutes for half a day: how late it is on the disk at worst, and the writes of that time. */
  async function saveForHalfADay(max_age?: string) {
    const { hear, goTo, store } = open({ hold: "1h", when: { mqtt: { topic: "car", below: 40, max_age } } });
    await hear("39");
    // The turn that it makes is saved by then.
    goTo(NOON + 10 * MINUTE);
    const writes = store.writes();
    let latest = 0;
    for (let at = NOON + 10 * MINUTE; at <= NOON + 12 * HOUR; at += 10 * MINUTE) {
      goTo(at);
      await hear("39");
      latest = Math.max(latest, at - (readKeptValues(store.state().values)["car"]?.at ?? 0));
    }
    return { latest, writes: store.writes() - writes };
  }

  test("is at most three hours late on the disk, also where nothing else is saved", async () => {
    const { latest, writes } = await saveForHalfADay("6h");
    expect(latest).toBeLessThanOrEqual(3 * HOUR + 10 * MINUTE);
    expect(writes).toBe(3);
    expect((await saveForHalfADay()).writes).toBe(0);
  });

  test("is saved again also after the clock was set back", async () => {
    const { hear, goTo, store, clock, loop } = open({ hold: "1h", when: LOW });
    await hear("39");
    goTo(NOON + 4 * HOUR);
    const writes = store.writes();
    clock.at = NOON - 24 * HOUR;
    loop.refresh();
    await hear("39");
    goTo(NOON - 20 * HOUR);
    expect(store.writes()).toBeGreaterThan(writes);
  });
});

describe("a restart", () => {
  test("makes no turn, no event and no unknown verdict before the value has come back", async () => {
    const first = open({ when: LOW });
    await first.hear("39");
    first.goTo(NOON + 6 * MINUTE);
    const store = createMemoryStore(parseState(serialiseState(first.store.state())));
    const second = open({ when: LOW }, store, { isSettled: false });
    second.goTo(NOON + 6 * MINUTE);
    second.loop.refresh();
    expect([second.state(), second.payload("rules/r/since")]).toEqual(["ON", "2026-01-05T11:00:00Z"]);
    second.broker.isSettled = true;
    await second.hear("38");
    expect([second.state(), second.payload("rules/r/since")]).toEqual(["ON", "2026-01-05T11:00:00Z"]);
    expect([second.turns(), second.events]).toEqual([[], []]);
  });
});

describe("a restart while the broker is away", () => {
  /** A stop in order saves all. */
  const stopped = ({ loop, store }: ReturnType<typeof open>) => {
    const { rules, values } = loop.known().kept;
    return createMemoryStore(parseState(serialiseState({ ...store.state(), rules, values })));
  };
  /** The rule has a value of noon; an hour later vigie starts, and no broker answers. */
  const restart = async (rule: object, state = "ON") => {
    const first = open(rule);
    await first.hear("39");
    const second = open(rule, stopped(first), { isSettled: false }, NOON + HOUR);
    expect(second.state()).toBe(state);
    return second;
  };

  test.each([
    ["stands for what is left of its max_age", { when: LOW }, NOON + 2 * HOUR],
    [
      "stands for half a minute if nothing of its max_age is left",
      { when: aged("30m") },
      NOON + HOUR + 30 * SECOND,
    ],
    ["without max_age stands for 15 minutes", { when: aged(null) }, NOON + HOUR + 15 * MINUTE],
  ])("a value %s, and is unknown then", async (_title, rule, end) => {
    const { goTo, state, payload } = await restart(rule);
    goTo(end - SECOND);
    expect(state()).toBe("ON");
    expect(payload("rules/r")).toContain("as before: the values that the broker holds have not arrived yet");
    goTo(end);
    expect(state()).toBe("None");
    expect(payload("rules/r")).toContain("not heard since vigie started");
    goTo(end + 5 * HOUR);
    expect(state()).toBe("None");
  });

  test("then `when_unknown` counts", async () => {
    const { goTo, state } = await restart({ when: LOW, when_unknown: "off" });
    goTo(NOON + 2 * HOUR - SECOND);
    expect(state()).toBe("ON");
    goTo(NOON + 2 * HOUR);
    expect(state()).toBe("OFF");
  });

  test("what-if: The broker is down · of two values the one that is unknown decides nothing any more, and the other one stands", async () => {
    const other = { mqtt: { topic: "car", below: 50 } };
    const { goTo, state } = await restart({ when: { any: [LOW, other] } });
    goTo(NOON + HOUR + 15 * MINUTE);
    expect(state()).toBe("ON");
    goTo(NOON + 2 * HOUR);
    expect(state()).toBe("None");
  });

  test("the clock turns the rule meanwhile, by what the value was", async () => {
    const { goTo, state } = await restart({ when: { all: [aged("24h"), { period: "hc" }] } }, "OFF");
    goTo(Date.parse("2026-01-05T21:00:00Z"));
    expect(state()).toBe("ON");
  });

  test("the next restart does not let it stand anew", async () => {
    const second = await restart({ when: LOW });
    second.goTo(NOON + 2 * HOUR);
    expect(open({ when: LOW }, stopped(second), { isSettled: false }, NOON + 2 * HOUR + MINUTE).state()).toBe(
      "None",
    );
  });

  test("what the broker sends in the end counts at once", async () => {
    const { goTo, hear, state, broker } = await restart({ when: LOW });
    goTo(NOON + 5 * HOUR);
    broker.isSettled = true;
    await hear("38");
    expect(state()).toBe("ON");
  });
});

test("what-if: The broker is down · after a reload while the broker is away, what this vigie has heard counts by its age, as if there had been none", async () => {
  const rules = [LOW, aged(null)].map((when, index) => ({ id: `r${index}`, when }));
  const first = open({ when: LOW });
  await first.hear("39");
  const before = first.loop.pause();
  const clock = { at: NOON + HOUR };
  const { goTo, payload } = openTestLoop({
    rules: rulesOptions.parse(rules),
    days: DAYS,
    clock,
    before,
    kept: { ...before.kept.values },
    isSettled: () => false,
  });
  const states = () => rules.map(({ id }) => payload(`rules/${id}/state`));
  goTo(NOON + HOUR + MINUTE);
  expect(states()).toEqual(["ON", "ON"]);
  goTo(NOON + 2 * HOUR);
  expect(states()).toEqual(["None", "ON"]);
  expect(payload("rules/r0")).toContain("too old");
});

describe("the first verdict of a rule on a value", () => {
  test("is no change, however long the broker takes to send the value: a reload may add the rule", async () => {
    const { broker, hear, turns, state, store, loop, goTo } = open({ when: LOW }, undefined, {
      isSettled: false,
    });
    expect(state()).toBe("None");
    const writes = store.writes();
    goTo(NOON + SECOND);
    loop.refresh();
    expect(store.writes()).toBe(writes);
    broker.isSettled = true;
    await hear("39");
    expect([state(), turns()]).toEqual(["ON", []]);
    goTo(NOON + MINUTE);
    await hear("41");
    expect(turns()).toEqual(["OFF"]);
  });
});
