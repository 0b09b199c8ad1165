import { afterAll, describe, expect, test } from "vitest";
import { MINUTE, withoutFakeTime } from "../support/fake-time.ts";
import { openStory, type Story } from "../support/lives.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import type { PlainDays } from "../support/plain-days.ts";
import { createCleanup } from "../support/vigie.ts";

const LONG = process.env["VIGIE_TEST_LONG"] === "1";
const reason = withoutMosquitto || withoutFakeTime;
const BOILER = "shellies/boiler/relay/0/command";
const PUMP = "heatpump/setpoint/set";
const CONFIG = {
  rules: [
    {
      id: "rouge_ahead",
      when: {
        any: [
          { day: "next", color: "rouge", confidence: 80 },
          { day: "now", color: "rouge" },
        ],
      },
    },
    { id: "rouge_peak", when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] }, lead: "5m" },
    {
      id: "preheat",
      when: {
        all: [
          { day: "next", color: "rouge", confidence: 95 },
          { period: "hc" },
          { between: ["03:30", "06:00"] },
        ],
      },
    },
  ],
  outputs: [
    { topic: BOILER, choose: [{ when: "rouge_peak", payload: "off" }], else: "on" },
    {
      topic: PUMP,
      choose: [
        { when: "rouge_peak", payload: "18" },
        { when: "preheat", payload: "20.5" },
      ],
      else: "19.5",
    },
  ],
};

describe.skipIf(reason)(`rouge days, in many short lives ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent.each([
    {
      weekend: "2026-03-29, when clocks go forward",
      laws: "off",
      date: "2026-03-29",
      announced: "2026-03-28T05:35:00Z",
      midnight: "2026-03-28T23:00:00Z",
      moved: "2026-03-29T01:00:00Z",
      begins: "2026-03-29T04:00:00Z",
      ends: "2026-03-30T04:00:00Z",
    },
    {
      weekend: "2026-10-25, when clocks go back",
      laws: "tempo",
      date: "2026-10-25",
      announced: "2026-10-24T04:35:00Z",
      midnight: "2026-10-24T22:00:00Z",
      moved: "2026-10-25T01:00:00Z",
      begins: "2026-10-25T05:00:00Z",
      ends: "2026-10-26T05:00:00Z",
    },
  ])(
    "rouge_ahead has no hole on $weekend, from the announcement to the end, through deaths and an outage",
    async (row) => {
      const { laws, date, announced, midnight, moved, begins, ends } = row;
      const days: PlainDays = { colors: {}, confidence: 60, officialAt: NEVER };
      const story = await openStory(cleanup, { days, config: { ...CONFIG, tariff: { laws } } });
      const { until, told } = story;
      let life = await story.await(announced);
      await until({ "rules/rouge_ahead/state": "OFF" });
      await life.past(announced);
      const said = life.time.clock.now();
      Object.assign(days, { colors: { [date]: "rouge" }, officialAt: "06:35" });
      await until({ "rules/rouge_ahead/state": "ON", "rules/rouge_ahead/next_off": ends });
      const since = story.holds("rules/rouge_ahead/since") ?? "";
      // It is looked for every five minutes.
      expect(Date.parse(since) - said).toBeLessThan((5 + SLACK) * MINUTE);
      await story.observer.until(() => turnsOf(story, "rouge_ahead").length > 0, "the turn was told");
      await life.kill();
      story.away = true;
      life = await story.await(midnight);
      await until({ "today/date": date });
      await life.kill();
      life = await story.await(moved);
      await life.past(Date.parse(moved) + 2 * MINUTE);
      await life.kill();
      expect(told(BOILER)).toEqual([]);
      life = await story.await(begins);
      await until({ "now/date": date, rouge_hp_now: "ON", "rules/rouge_ahead/since": since });
      await story.observer.until(() => told(BOILER).length > 0, "the boiler was told");
      await life.vigie.end();

      life = await story.await(ends);
      await until({ "rules/rouge_ahead/state": "OFF", "rules/rouge_ahead/since": ends });
      expect(life.time.clock.now()).toBeGreaterThanOrEqual(Date.parse(ends));
      await story.observer.until(() => turnsOf(story, "rouge_ahead").length > 1, "the rule's end was told");
      expect(runs(told("vigie/rules/rouge_ahead/state"))).toEqual(["OFF", "ON", "OFF"]);
      expect(turnsOf(story, "rouge_ahead")).toEqual(["rule_on", "rule_off"]);
      await story.observer.until(() => told(BOILER).length > 1, "the boiler was told again");
      expect(told(BOILER)).toEqual(["off", "on"]);
      expect(told("vigie/availability")).not.toContain("offline");
    },
  );
});

// Two at once are enough for two cores.
describe.skipIf(reason)(`a boiler and a heat pump, in many short lives ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent("three rouge days in a row preheat three times, and the heat pump is told each step once", async () => {
    const dates = ["2026-01-13", "2026-01-14", "2026-01-15"];
    const days = { colors: Object.fromEntries(dates.map((date) => [date, "rouge"])) };
    const story = await openStory(cleanup, { days, config: CONFIG });
    const { until, told } = story;
    for (const date of dates) {
      let life = await story.await(`${date}T02:30:00Z`);
      await until({ "rules/preheat/state": "ON", "rules/preheat/since": `${date}T02:30:00Z` });
      await story.observer.until(() => told(PUMP).at(-1) === "20.5", "the pump was told to preheat");
      await life.kill();
      life = await story.await(`${date}T04:55:00Z`);
      await story.observer.until(() => told(PUMP).at(-1) === "18", "the pump was told that it is dear");
      await until({ "rules/preheat/state": "OFF", "rules/preheat/since": `${date}T05:00:00Z` });
      await life.kill();
    }
    // Nobody was there at 22:00: that is made up for, where the next life comes before 03:30.
    expect(told(PUMP).filter((word) => word !== "19.5")).toEqual(["20.5", "18", "20.5", "18", "20.5", "18"]);
    expect(told(BOILER)).toEqual(["off", "on", "off", "on", "off"]);
    expect(runs(told("vigie/rules/preheat/state")).filter((word) => word === "ON")).toHaveLength(3);
    expect(runs(told("vigie/rules/rouge_ahead/state"))).toEqual(["ON"]);
  });

  test.concurrent("killed at each minute around 06:00 and 22:00, vigie tells the boiler off once, before 06:00, and on once", {
    timeout: 600_000,
  }, async () => {
    const days = { colors: { "2026-01-13": "rouge" } };
    const story = await openStory(cleanup, { days, config: CONFIG });
    const minutes = (from: string, to: string) => {
      const [first, last] = [Date.parse(`2026-01-13T${from}:30Z`), Date.parse(`2026-01-13T${to}:30Z`)];
      return Array.from({ length: (last - first) / MINUTE }, (_, index) => first + index * MINUTE);
    };
    const first = await story.await("2026-01-13T04:30:00Z");
    await story.until({ "next/color": "rouge", "rules/rouge_peak/state": "OFF" });
    await first.kill();
    const beforeSix = LONG ? minutes("04:45", "04:59") : minutes("04:53", "04:57");
    for (const at of beforeSix) await story.pass(at, 1);
    expect(story.told(BOILER)).toEqual(["off"]);
    const untilTen = [
      ...minutes("04:59", LONG ? "05:15" : "05:01"),
      ...minutes(LONG ? "20:45" : "20:58", "21:00"),
    ];
    for (const at of untilTen) await story.pass(at, at === untilTen.at(-1) ? 0.4 : 1);
    expect(story.told(BOILER)).toEqual(["off"]);
    for (const at of minutes("21:00", LONG ? "21:15" : "21:02")) await story.pass(at, 1);
    expect(story.told(BOILER)).toEqual(["off", "on"]);
  });
});

function turnsOf(story: Story, rule: string): unknown[] {
  return story
    .told("vigie/event")
    .map((text): Record<string, unknown> => JSON.parse(text))
    .filter((event) => event["rule"] === rule)
    .map(({ event_type }) => event_type);
}

/** A word that is told again is no turn. */
function runs(words: string[]): string[] {
  return words.filter((word, index) => word !== words[index - 1]);
}

const NEVER = "24:00";
/** Minutes of such a life that a busy machine may take: two seconds of ours. */
const SLACK = 8;
