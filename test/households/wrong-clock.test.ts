import { describe, expect, test } from "vitest";
import { LONG } from "../support/long.ts";
import { runHousehold } from "./household.ts";
import type { ScriptEvent } from "./scenario.ts";

/** Whole households in virtual time, whose machine shows another time than it is. Times are those of Paris, in January. */
const FROM = "2026-01-13T04:00:00Z";

/** By day the device does 18, by night 12. What it gets, and when by the true time. */
async function live(length: number, events: ScriptEvent[]) {
  const trace = await runHousehold({
    seed: 1,
    from: FROM,
    length,
    trouble: 0,
    history: 3,
    oldBroker: false,
    devices: [],
    configs: [
      {
        service: { base_url: "https://service.example" },
        official: { source: "rte" },
        mqtt: { url: "mqtt://192.0.2.1" },
        rules: [
          { id: "day", when: { period: "hp" } },
          { id: "night", when: { period: "hc" } },
        ],
        outputs: {
          list: [
            {
              topic: "device1/set",
              choose: [
                { when: "day", payload: "18" },
                { when: "night", payload: "12" },
              ],
            },
          ],
        },
      },
    ],
    events,
  });
  const published = trace.events.flatMap((event) => (event.kind === "published" ? [event] : []));
  const secondsFrom = (steady: number) => Math.round(steady / 1000);
  return {
    warnings: trace.events.flatMap((event) => (event.kind === "log" ? [event.sentence] : [])),
    sent: published
      .filter(({ topic }) => topic === "device1/set")
      .map(({ steady, payload }) => [secondsFrom(steady), payload]),
    last: (topic: string) => published.findLast((event) => event.topic === `vigie/${topic}`)?.payload,
  };
}

const at = (time: string) => (Date.parse(`2026-01-13T${time}+01:00`) - Date.parse(FROM)) / 1000;
const bothDown = (from: number, length: number): ScriptEvent[] =>
  (["service", "rte"] as const).map((source) => ({
    at: from,
    kind: "source",
    source,
    fault: { kind: "down" },
    for: length,
  }));
/** It is on since 05:00, and the device got 18 at 06:00. Then vigie ends, and starts again at 06:20 with another clock. */
const startsWith = (by: number, time = "06:20:00"): ScriptEvent[] => [
  { at: 1, kind: "start" },
  { at: at("06:10:00"), kind: "stop" },
  { at: at("06:15:00"), kind: "jump", by },
  { at: at(time), kind: "start" },
];
const BEFORE = [
  [1, "12"],
  [3600, "18"],
];

describe("a running vigie", () => {
  test("waits for nobody at 06:00, though no source answers", async () => {
    const { sent } = await live(at("06:05:00"), [{ at: 1, kind: "start" }, ...bothDown(1800, 7200)]);
    expect(sent).toEqual(BEFORE);
  });

  test("sends what is due within 15 s of a start, though no source answers", async () => {
    const { sent } = await live(at("06:30:00"), [
      { at: 1, kind: "start" },
      { at: 1800, kind: "stop" },
      ...bothDown(1850, 7200),
      { at: at("06:20:00"), kind: "start" },
    ]);
    expect(sent[1]?.[1]).toBe("18");
    expect(sent[1]?.[0]).toBeGreaterThan(at("06:20:00"));
    expect(sent[1]?.[0]).toBeLessThanOrEqual(at("06:20:16"));
  });
});

describe("a clock that is wrong at a start", () => {
  const wrong: [string, number][] = [
    ["16 hours ahead, in the night", 16 * 3_600],
    ["an hour and a half behind", -5_400],
    ["a day behind, in the night", -86_400 - 3_600],
  ];
  test.each(LONG ? wrong : wrong.slice(0, 2))("by %s sends no device anything", async (_, by) => {
    const { sent, last } = await live(at("06:40:00"), startsWith(by));
    expect(sent).toEqual(BEFORE);
    expect([last("now/color"), last("service/problem_code")]).toEqual(["None", "clock"]);
  });

  test("what-if: The clock is wrong · readme: Two sources that check each other · by exactly an hour is found by both sources together", async () => {
    const { sent, last } = await live(at("06:40:00"), startsWith(-3_600));
    expect(sent).toEqual(BEFORE);
    expect([last("now/color"), last("service/problem_code")]).toEqual(["None", "clock"]);
  });

  test("by exactly an hour stays found while RTE has no need to be asked", async () => {
    // RTE is asked last at 12:47, and its answer counts as recent for two hours.
    const { sent, last } = await live(at("15:00:00"), startsWith(-3_600, "12:20:00"));
    expect(sent).toEqual(BEFORE);
    expect([last("now/color"), last("service/problem_code")]).toEqual(["None", "clock"]);
  });

  test("by exactly an hour, of which one source alone tells, is a problem, and withholds nothing", async () => {
    const { sent, last, warnings } = await live(at("07:10:00"), [
      ...startsWith(-3_600),
      { at: at("06:18:00"), kind: "source", source: "rte", fault: { kind: "down" }, for: 7_200 },
    ]);
    expect(sent.slice(2).map(([, payload]) => payload)).toEqual(["12", "18"]);
    expect(last("now/color")).not.toBe("None");
    expect(warnings.join()).toMatch(
      /The clock of this machine may be wrong: it shows 2026-01-13 05:20, and by a source it is 2026-01-13 06:20\. vigie goes on/,
    );
    expect(last("service/problem_code")).toBe("clock");
  });

  test("what-if: The clock is wrong · that is found after a payload went out is taken back", async () => {
    const { sent } = await live(at("08:00:00"), [...startsWith(-4_200), ...bothDown(at("06:18:00"), 1_200)]);
    expect(sent.map(([, payload]) => payload)).toEqual(["12", "18", "12", "18"]);
    const [wrong = 0, back = 0] = sent.slice(2).map(([time]) => Number(time));
    expect(wrong).toBeLessThanOrEqual(at("06:20:16"));
    expect(back).toBeGreaterThan(wrong);
  });
});

describe("a clock that is right", () => {
  test("has its payload not taken back by the only source that answers, whose clock goes ahead", async () => {
    const ahead = (from: string, seconds: number, length: number): ScriptEvent => ({
      at: at(from),
      kind: "source",
      source: "service",
      fault: { kind: "clock", seconds },
      for: length,
    });
    const { sent, last } = await live(at("09:30:00"), [
      { at: 1, kind: "start" },
      { at: 1, kind: "source", source: "rte", fault: { kind: "down" }, for: 20_000 },
      ahead("05:10:00", 600, 7_190),
      ahead("07:10:00", 4_200, 10_000),
    ]);
    expect(last("service/problem_code")).toBe("clock");
    expect(last("now/color")).toBe("None");
    expect(sent.map(([, payload]) => payload)).toEqual(["12", "18"]);
  });
});

describe("a clock that jumps while vigie runs", () => {
  test("by hours is asked about at once, before anything is sent", async () => {
    const { sent } = await live(at("06:50:00"), [
      { at: 1, kind: "start" },
      { at: at("06:20:00"), kind: "jump", by: -5_400 },
    ]);
    expect(sent).toEqual(BEFORE);
  });

  test("by hours ahead is asked about before anything is sent that is not due yet", async () => {
    const { sent, last } = await live(at("05:50:00"), [
      { at: 1, kind: "start" },
      { at: at("05:30:00"), kind: "jump", by: 7_200 },
    ]);
    expect(sent).toEqual(BEFORE.slice(0, 1));
    expect(last("service/problem_code")).toBe("clock");
  });

  test("by exactly an hour is found at once", async () => {
    const { sent, last } = await live(at("06:50:00"), [
      { at: 1, kind: "start" },
      { at: at("06:20:00"), kind: "jump", by: -3_600 },
    ]);
    expect(sent).toEqual(BEFORE);
    expect(last("service/problem_code")).toBe("clock");
  });

  test("each ten seconds holds nothing back for more than 15 s", async () => {
    const jumps = Array.from({ length: 30 }, (_, index): ScriptEvent[] => [
      { at: at("06:00:02") + 10 * index, kind: "jump", by: index % 2 === 0 ? 70 : -70 },
    ]).flat();
    const { sent } = await live(at("06:10:00"), [
      { at: 1, kind: "start" },
      ...bothDown(1_800, 7_200),
      { at: at("05:59:58"), kind: "jump", by: -100 },
      ...jumps,
    ]);
    expect(sent.at(-1)?.[1]).toBe("18");
    expect(sent.at(-1)?.[0]).toBeLessThanOrEqual(at("06:02:00"));
  });
});
