import { afterAll, describe, expect, test } from "vitest";
import { MINUTE, withoutFakeTime } from "../support/fake-time.ts";
import { LONG } from "../support/long.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import type { PlainDays } from "../support/plain-days.ts";
import { createCleanup } from "../support/vigie.ts";
import { prepareRuns, type RepeatedRuns } from "./repeated-runs.ts";

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

describe.skipIf(reason)(`rouge days, in many short runs ${reason}`, () => {
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
      const runs = await prepareRuns(cleanup, { days, config: { ...CONFIG, tariff: { laws } } });
      const { until, payloadsSentTo } = runs;
      let run = await runs.runBefore(announced);
      await until({ "rules/rouge_ahead/state": "OFF" });
      await run.waitUntilPast(announced);
      const said = run.time.clock.now();
      Object.assign(days, { colors: { [date]: "rouge" }, officialAt: "06:35" });
      await until({ "rules/rouge_ahead/state": "ON", "rules/rouge_ahead/next_off": ends });
      const since = runs.payloadOf("rules/rouge_ahead/since") ?? "";
      // It is looked for every five minutes.
      expect(Date.parse(since) - said).toBeLessThan((5 + SLACK) * MINUTE);
      await runs.observer.until(() => turnsOf(runs, "rouge_ahead").length > 0, "the turn was told");
      await runs.untilSaved("rouge_ahead", true);
      await run.kill();
      runs.serviceDown = true;
      run = await runs.runBefore(midnight);
      await until({ "today/date": date });
      await run.kill();
      run = await runs.runBefore(moved);
      await run.waitUntilPast(Date.parse(moved) + 2 * MINUTE);
      await run.kill();
      expect(payloadsSentTo(BOILER)).toEqual([]);
      run = await runs.runBefore(begins);
      await until({ "now/date": date, rouge_hp_now: "ON", "rules/rouge_ahead/since": since });
      await runs.observer.until(() => payloadsSentTo(BOILER).length > 0, "the boiler was told");
      await run.vigie.end();

      run = await runs.runBefore(ends);
      await until({ "rules/rouge_ahead/state": "OFF", "rules/rouge_ahead/since": ends });
      expect(run.time.clock.now()).toBeGreaterThanOrEqual(Date.parse(ends));
      await runs.observer.until(() => turnsOf(runs, "rouge_ahead").length > 1, "the rule's end was told");
      expect(withoutRepeats(payloadsSentTo("vigie/rules/rouge_ahead/state"))).toEqual(["OFF", "ON", "OFF"]);
      expect(turnsOf(runs, "rouge_ahead")).toEqual(["rule_on", "rule_off"]);
      await runs.observer.until(() => payloadsSentTo(BOILER).length > 1, "the boiler was told again");
      expect(payloadsSentTo(BOILER)).toEqual(["off", "on"]);
      expect(payloadsSentTo("vigie/availability")).not.toContain("offline");
    },
  );
});

// Two at once are enough for two cores.
describe.skipIf(reason)(`a boiler and a heat pump, in many short runs ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent("three rouge days in a row preheat three times, and the heat pump receives each step once", async () => {
    const dates = ["2026-01-13", "2026-01-14", "2026-01-15"];
    const days = { colors: Object.fromEntries(dates.map((date) => [date, "rouge"])) };
    const runs = await prepareRuns(cleanup, { days, config: CONFIG });
    const { until, payloadsSentTo } = runs;
    for (const date of dates) {
      let run = await runs.runBefore(`${date}T02:30:00Z`);
      await until({ "rules/preheat/state": "ON", "rules/preheat/since": `${date}T02:30:00Z` });
      await runs.observer.until(() => payloadsSentTo(PUMP).at(-1) === "20.5", "the pump was told to preheat");
      await runs.untilSent(PUMP, "20.5");
      await run.kill();
      run = await runs.runBefore(`${date}T04:55:00Z`);
      await runs.observer.until(
        () => payloadsSentTo(PUMP).at(-1) === "18",
        "the pump was told that it is dear",
      );
      await until({ "rules/preheat/state": "OFF", "rules/preheat/since": `${date}T05:00:00Z` });
      await runs.untilSent(PUMP, "18");
      await run.kill();
    }
    // Nobody was there at 22:00: a run that starts before 03:30 sends it.
    expect(payloadsSentTo(PUMP).filter((word) => word !== "19.5")).toEqual([
      "20.5",
      "18",
      "20.5",
      "18",
      "20.5",
      "18",
    ]);
    expect(payloadsSentTo(BOILER)).toEqual(["off", "on", "off", "on", "off"]);
    expect(
      withoutRepeats(payloadsSentTo("vigie/rules/preheat/state")).filter((word) => word === "ON"),
    ).toHaveLength(3);
    expect(withoutRepeats(payloadsSentTo("vigie/rules/rouge_ahead/state"))).toEqual(["ON"]);
  });

  test.concurrent("what-if: vigie is stopped or killed · killed at each minute around 06:00 and 22:00, vigie sends the boiler off once, before 06:00, and on once", {
    timeout: 600_000,
  }, async () => {
    const days = { colors: { "2026-01-13": "rouge" } };
    const runs = await prepareRuns(cleanup, { days, config: CONFIG });
    const minutes = (from: string, to: string) => {
      const [first, last] = [Date.parse(`2026-01-13T${from}:30Z`), Date.parse(`2026-01-13T${to}:30Z`)];
      return Array.from({ length: (last - first) / MINUTE }, (_, index) => first + index * MINUTE);
    };
    const first = await runs.runBefore("2026-01-13T04:30:00Z");
    await runs.until({ "next/color": "rouge", "rules/rouge_peak/state": "OFF" });
    await first.kill();
    const beforeSix = LONG ? minutes("04:45", "04:59") : minutes("04:53", "04:57");
    for (const at of beforeSix) await runs.runFor(at, 1);
    expect(runs.payloadsSentTo(BOILER)).toEqual(["off"]);
    const untilTen = [
      ...minutes("04:59", LONG ? "05:15" : "05:01"),
      ...minutes(LONG ? "20:45" : "20:58", "21:00"),
    ];
    for (const at of untilTen) await runs.runFor(at, at === untilTen.at(-1) ? 0.4 : 1);
    expect(runs.payloadsSentTo(BOILER)).toEqual(["off"]);
    for (const at of minutes("21:00", LONG ? "21:15" : "21:02")) await runs.runFor(at, 1);
    expect(runs.payloadsSentTo(BOILER)).toEqual(["off", "on"]);
  });
});

function turnsOf(runs: RepeatedRuns, rule: string): unknown[] {
  return runs
    .payloadsSentTo("vigie/event")
    .map((text): Record<string, unknown> => JSON.parse(text))
    .filter((event) => event["rule"] === rule)
    .map(({ event_type }) => event_type);
}

/** A payload that is sent again is not a change. */
function withoutRepeats(words: string[]): string[] {
  return words.filter((word, index) => word !== words[index - 1]);
}

const NEVER = "24:00";
/** Minutes of such a run that a busy machine may need: ten real seconds. A vigie that looks once an hour only is still found. */
const SLACK = 40;
