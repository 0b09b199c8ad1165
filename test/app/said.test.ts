import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { LogLine } from "../../src/core/log/log-line.ts";
import { saidAtStart } from "../../src/core/loop/changes.ts";
import type { HeardValue } from "../../src/core/rules/value-readings.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import { dayInAnswer, forecastsAnswer } from "../support/answers.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { BOILER, outputsOf } from "../support/outputs.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES, PARIS } from "../support/tariff.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const MINUTE = 60_000;
const NOON = Date.parse("2026-01-05T12:00:00Z");
const DAY = 24 * 3_600_000;
const DUE = { essential: true, recheck: false };
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));

test("the end of a simulation is logged where its time is over, and not where a command ended or replaced it", async () => {
  const clock = { at: NOON };
  const { command, lines, loop } = openTestLoop({ clock, days: BLEU });
  const pretend = (color: "rouge" | "blanc" | null) =>
    command({ kind: "simulation", request: color && { color, from: "now", for: MINUTE } });
  const ended = () => lines.filter((line) => line.startsWith("The simulation has ended"));
  const after = (milliseconds: number) => {
    clock.at += milliseconds;
    loop.refresh();
    return ended();
  };
  await pretend("rouge");
  await pretend(null);
  expect(after(2 * MINUTE)).toEqual([]);
  await pretend("blanc");
  expect(after(MINUTE / 2)).toEqual([]);
  await pretend("rouge");
  expect(after(MINUTE / 2)).toEqual([]);
  const sentence = "The simulation has ended: rouge is not pretended any more for the tariff day 2026-01-05";
  expect(after(MINUTE / 2)).toEqual([sentence]);
  expect(after(DAY)).toEqual([sentence]);
});

test("a rule that becomes unknown is logged with the reason, and is no event: there are those of ON and OFF only", async () => {
  const clock = { at: NOON };
  const heard = new Map<string, HeardValue>([["garden", { payload: "1", at: NOON }]]);
  const rules = rulesOptions.parse([
    { id: "cold", when: { mqtt: { topic: "garden", below: 2, max_age: "30m" } } },
  ]);
  const { lines, events, goTo, noticeValues } = openTestLoop({ clock, heard, rules, days: BLEU });
  // The disk has ended the first write by then.
  await settled();
  goTo(NOON + 30 * MINUTE);
  expect(lines).toEqual(["Rule cold is unknown: garden is below 2, at most 30 min old (too old)"]);
  expect(events).toEqual([]);
  heard.set("garden", { payload: "1", at: clock.at });
  await noticeValues();
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^Rule cold is ON: garden is below 2/)]);
  expect(events).toEqual([{ event_type: "rule_on", rule: "cold" }]);
});

test("the missing value of a rule is no problem any more while the rule is disabled", async () => {
  const rules = rulesOptions.parse([
    { id: "r", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "off" },
  ]);
  const { lines, command } = openTestLoop({ clock: { at: NOON }, rules });
  for (const enabled of [false, true]) await command({ kind: "enabled", rule: "r", enabled });
  const said = expect.stringMatching(/^Rule r counts as OFF \(when_unknown\)/);
  expect(lines.filter((line) => !line.startsWith("x/set"))).toEqual([
    said,
    "No value is missing for rule r any more, after 0 s",
    said,
  ]);
});

describe("the missing value of a rule, over a reload", () => {
  const WITH_VALUE = rulesOptions.parse([
    { id: "r", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "off" },
  ]);
  const reloadWith = (rules: typeof WITH_VALUE) => {
    const { loop, config } = openTestLoop({ clock: { at: NOON }, rules: WITH_VALUE, days: BLEU });
    const known = loop.pause();
    const lines: LogLine[] = [];
    loop.begin({
      config: { ...config, rules: [...rules] },
      known,
      said: saidAtStart(known.kept),
      sinks: [],
      say: (changes) => void lines.push(...changes.lines),
    });
    return lines.filter((line) => "problem" in line);
  };

  test("is no new problem if it goes on", () => {
    expect(reloadWith(WITH_VALUE)).toEqual([]);
  });

  test("is over if the rule is gone", () => {
    const isOver = "No value is missing for rule r any more";
    expect(reloadWith([])).toEqual([{ problem: "values of rule r", isOver }]);
  });
});

test("the missing value of a rule is neither over nor missing anew while the clock is wrong, and is over once", async () => {
  const clock = { at: NOON, steady: 0 };
  const heard = new Map<string, HeardValue>();
  const { said, loop, noticeValues, know, days } = openTestLoop({
    clock,
    heard,
    rules: rulesOptions.parse([
      { id: "r", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "off" },
    ]),
    days: knownDaysOf({ ...BLEU.days, "2026-01-05": official("bleu", { first_said: NOON - MINUTE }) }),
    checkClock: "auto",
    ask: null,
  });
  const set = async (by: number) => {
    clock.at += by;
    loop.refresh();
    await settled();
    return loop.view().facts.service.problem_code;
  };
  expect(await set(-DAY)).toBe("clock");
  // A reload.
  know(days());
  expect(await set(DAY)).not.toBe("clock");
  for (const payload of ["39", "41"]) {
    heard.set("car", { payload, at: clock.at });
    await noticeValues();
  }
  expect(said.filter((line) => "problem" in line && line.problem === "values of rule r")).toEqual([
    { problem: "values of rule r", starts: expect.stringMatching(/^Rule r counts as OFF/) },
    { problem: "values of rule r", isOver: "No value is missing for rule r any more" },
  ]);
});

test("a verdict that a wrong clock alone would change is no change, neither then nor when the clock is right again", async () => {
  const clock = { at: NOON, steady: 0 };
  const { loop, lines, events } = openTestLoop({
    clock,
    rules: rulesOptions.parse([{ id: "r", when: { between: ["13:00", "14:00"] } }]),
    days: knownDaysOf({ ...BLEU.days, "2026-01-05": official("bleu", { first_said: NOON - MINUTE }) }),
    checkClock: "auto",
    ask: null,
  });
  for (const by of [-DAY, DAY]) {
    clock.at += by;
    loop.refresh();
    await settled();
  }
  expect(loop.view().verdicts).toMatchObject([{ state: true }]);
  expect(lines.filter((line) => line.startsWith("Rule"))).toEqual([]);
  expect(events).toEqual([]);
});

test("a source that never answered before answers, and not again", async () => {
  let isAway = true;
  const { lines, loop } = openTestLoop({
    clock: { at: NOON },
    ask: async () => {
      if (isAway) throw new ServiceUnreachable(FORECAST_SERVICE, "GET /v1/public", "example.org", "no route");
      return { answer: forecastsAnswer(null), date: null, made_at: null, sent: null };
    },
  });
  for (const away of [true, false, true, false]) {
    isAway = away;
    await loop.poll(DUE);
  }
  const away = expect.stringContaining("could not be reached");
  expect(lines).toEqual([
    away,
    "The forecast service answers, after 0 s",
    away,
    "The forecast service answers again, after 0 s",
  ]);
});

test("requests may be sent again when the next day begins, not when an hourly poll succeeds", async () => {
  const clock = { at: NOON };
  const { lines, loop, memories } = openTestLoop({
    clock,
    days: BLEU,
    ask: async () => ({ answer: forecastsAnswer(null), date: null, made_at: null, sent: null }),
  });
  const count = FORECAST_SERVICE.budget;
  memories.service.set({ ...memories.service.get(), spent: { day: "2026-01-05", count } });
  await loop.poll(DUE);
  clock.at += 3_600_000;
  await loop.poll(DUE);
  const said = "vigie has sent all requests that it may send today: only the hourly poll goes on";
  const ofBudget = () => lines.filter((line) => line.includes("may send"));
  expect(ofBudget()).toEqual([said]);
  clock.at = NOON + DAY;
  await loop.poll(DUE);
  expect(ofBudget()).toEqual([said, "vigie may send requests to the service again, after 1 day"]);
});

test("a clock that is wrong by what the state file holds is said once more when a source has told the time", async () => {
  const HOUR = 60 * MINUTE;
  const clock = { at: NOON - 3 * HOUR, steady: 0 };
  const days = knownDaysOf({ ...BLEU.days, "2026-01-05": official("bleu", { first_said: NOON - HOUR }) });
  const { lines, loop } = openTestLoop({
    clock,
    days,
    checkClock: "auto",
    ask: async () => {
      const time = NOON + clock.steady;
      return { answer: forecastsAnswer(null), date: time, made_at: time, sent: time };
    },
  });
  const said = () => lines.filter((line) => line.startsWith("The clock of this machine is wrong"));
  expect(said()).toEqual([expect.stringContaining("it is 2026-01-05 12:00 or later")]);
  for (let poll = 0; poll < 3; poll += 1) {
    clock.at += MINUTE;
    clock.steady += MINUTE;
    await loop.poll(DUE);
  }
  expect(said().slice(1)).toEqual([expect.stringContaining("by its sources it is 2026-01-05 13:01")]);
});

test("a clock that is doubted and then found wrong is not said to be contradicted by nobody, until it is right", async () => {
  const HOUR = 60 * MINUTE;
  const clock = { at: NOON, steady: 0 };
  const times = () => ({ date: NOON + HOUR + clock.steady, made_at: null, sent: NOON + HOUR + clock.steady });
  const { lines, loop } = openTestLoop({
    clock,
    days: BLEU,
    checkClock: "auto",
    ask: async () => ({ answer: forecastsAnswer(null), ...times() }),
    askOfficial: async () => ({
      answer: { kind: "light", words: [{ date: "2026-01-05", color: "bleu" }] },
      ...times(),
    }),
  });
  const after = async (milliseconds: number, ask: () => Promise<unknown>) => {
    clock.at += milliseconds;
    clock.steady += milliseconds;
    await ask();
    await settled();
  };
  const said = () => lines.filter((line) => /contradicts the clock|clock of this machine may be/.test(line));
  for (let time = 0; time < 2; time += 1) await after(MINUTE, () => loop.poll(DUE));
  expect(said()).toEqual([expect.stringMatching(/may be wrong/)]);
  for (let time = 0; time < 2; time += 1)
    await after(MINUTE, () => loop.pollOfficial([{ request: { kind: "light" }, essential: true }]));
  expect(lines.join()).toMatch(/The clock of this machine is wrong/);
  expect(said()).toEqual([expect.stringMatching(/may be wrong/)]);
  clock.at += HOUR;
  loop.refresh();
  await settled();
  expect(said().at(-1)).toMatch(/^No source contradicts the clock of this machine any more/);
});

describe("old prices", () => {
  const clock = () => ({ at: Date.parse("2027-05-03T12:00:00Z") });
  const OLD =
    "The newest prices of tariff.rates began on 2026-08-01, more than eight months ago, and no service names any. Compare them with your contract, and add a row with the new ones";
  const linesOfPrices = (lines: string[]) => lines.filter((line) => /prices/.test(line));

  test("are said at the start if there is no service", async () => {
    const { lines } = openTestLoop({ clock: clock(), ask: null });
    await settled();
    expect(linesOfPrices(lines)).toEqual([OLD]);
  });

  test("are said once the service has answered without a price, and no more when it names one", async () => {
    let rates = { hp: null as number | null, hc: null };
    const ask = async () => {
      const day = { ...dayInAnswer("2027-05-03", "bleu"), rates };
      return { answer: forecastsAnswer(null, day), date: null, made_at: null, sent: null };
    };
    const { lines, loop } = openTestLoop({ clock: clock(), ask });
    await settled();
    expect(linesOfPrices(lines)).toEqual([]);
    for (const _ of [1, 2]) await loop.poll(DUE);
    expect(linesOfPrices(lines)).toEqual([OLD]);
    rates = { hp: 0.1654, hc: null };
    await loop.poll(DUE);
    expect(linesOfPrices(lines).slice(1)).toEqual([
      expect.stringMatching(/^The prices in force are not old any more/),
    ]);
  });

  test("are said at the start by what the state file holds", async () => {
    const days = knownDaysOf(officialDays("2027-04-20", "2027-05-03"));
    const { lines } = openTestLoop({ clock: clock(), days });
    await settled();
    expect(linesOfPrices(lines)).toEqual([OLD]);
  });
});

describe("prices of the owner that begin", () => {
  /** A poll before, the morning on which they begin, and a poll after that: the lines about prices of each. */
  async function live(before: typeof FEBRUARY_PRICES, now: typeof FEBRUARY_PRICES) {
    const rates = [
      { ...before, from: "2025-08-01" },
      { ...now, from: "2026-01-06" },
    ];
    const priced = (date: string) => ({ ...dayInAnswer(date, "bleu"), rates: FEBRUARY_PRICES.bleu });
    const { lines, loop, goTo } = openTestLoop({
      clock: { at: NOON },
      tariff: { ...PARIS, rates },
      ask: async () => ({
        answer: forecastsAnswer(NOON, priced("2026-01-05"), priced("2026-01-06"), priced("2026-01-07")),
        date: null,
        made_at: null,
        sent: null,
      }),
    });
    const newLines = () => lines.splice(0).filter((line) => /^The prices? /.test(line));
    await loop.poll(DUE);
    const first = newLines();
    goTo(Date.parse("2026-01-06T06:30:00+01:00"));
    const morning = newLines();
    await loop.poll(DUE);
    return [first, morning, newLines()];
  }
  const DIFFER = expect.stringContaining("one of the two is out of date");

  test("are compared with those of the service once it has answered since", async () => {
    expect(await live(FEBRUARY_PRICES, AUGUST_PRICES)).toEqual([[], [], [DIFFER]]);
  });

  test("end a difference of those before once the service has answered since", async () => {
    const agree = expect.stringMatching(
      /^The prices of the service and those of the configuration agree again/,
    );
    expect(await live(AUGUST_PRICES, FEBRUARY_PRICES)).toEqual([[DIFFER], [], [agree]]);
  });
});

test("a doubt about the clock ends by time alone, two hours after the last answer that raised it", async () => {
  const HOUR = 60 * MINUTE;
  const clock = { at: NOON, steady: 0 };
  const { lines, loop, payload } = openTestLoop({
    clock,
    days: BLEU,
    checkClock: "auto",
    ask: async () => {
      const time = NOON + 10 * MINUTE + clock.steady;
      return { answer: forecastsAnswer(null), date: time, made_at: null, sent: time };
    },
  });
  const pass = (milliseconds: number) => {
    clock.at += milliseconds;
    clock.steady += milliseconds;
    loop.refresh();
  };
  for (let poll = 0; poll < 2; poll += 1) {
    pass(2 * MINUTE);
    await loop.poll(DUE);
  }
  const said = () => lines.filter((line) => /contradicts the clock|clock of this machine may be/.test(line));
  expect(said()).toEqual([expect.stringMatching(/may be wrong/)]);
  expect(payload("service/problem_code")).toBe("clock");
  pass(HOUR);
  expect(said()).toHaveLength(1);
  pass(HOUR);
  expect(said().slice(1)).toEqual([expect.stringMatching(/^No source contradicts the clock/)]);
  expect(payload("service/problem_code")).not.toBe("clock");
});

test("what a device has taken is logged, also if a reload comes in the same turn of the event loop", async () => {
  const rules = rulesOptions.parse([{ id: "cheap", when: { day: "now", color: "bleu" } }]);
  const outputs = outputsOf([{ ...BOILER, choose: [{ when: "cheap", payload: "on" }] }]);
  const { lines, loop, outputs: post } = openTestLoop({ clock: { at: NOON }, rules, outputs, days: BLEU });
  post({ kind: "connection opened", connection: 1, version: 5 });
  await settled();
  const [due] = loop.view().sends;
  post({ kind: "acknowledged", number: due?.number ?? 0 });
  loop.pause();
  expect(lines).toEqual([expect.stringMatching(/^Sent "on" to .*: cheap is ON$/)]);
});

test("a clock that is set back during a reload is noticed after it", async () => {
  const clock = { at: NOON, steady: 0 };
  const { lines, loop, know } = openTestLoop({ clock, days: BLEU });
  loop.pause();
  clock.at -= 3_600_000;
  know(BLEU);
  loop.refresh();
  await settled();
  expect(lines).toContain("The clock was set back by 1 h");
});
