import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { HeardValue } from "../../src/core/rules/value-readings.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import { dayInAnswer, forecastsAnswer } from "../support/answers.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
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
    "Rule r is disabled and needs no value any more, after 0 s",
    said,
  ]);
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
  memories.memory.set({ ...memories.memory.get(), spent: { day: "2026-01-05", count } });
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
    const { lines } = openTestLoop({ clock: clock(), ask: null, serviceKind: "none" });
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
