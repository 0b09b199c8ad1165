import type { HouseConfig, Scenario } from "../scenario.ts";
import { type Happening, KILL, QUIET, START, STOP, scenarioOf, sendsCommand } from "../script.ts";

const HOUSE: HouseConfig = {
  service: { base_url: "https://service.example" },
  official: { source: "rte" },
  mqtt: { url: "mqtt://192.0.2.1" },
  rules: [
    { id: "peak", when: { period: "hp" } },
    {
      id: "rouge_peak",
      when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
      lead: "5m",
      lag: "10m",
    },
    { id: "rouge_ahead", when: { day: "next", color: "rouge", confidence: "threshold" }, threshold: 60 },
    { id: "evening", when: { all: [{ rule: "peak" }, { between: ["17:00", "20:00"] }] } },
    { id: "in_a_week", when: { day: "d7", color: "rouge" } },
  ],
  outputs: {
    list: [
      { id: "boiler", topic: "boiler/set", choose: [{ when: "rouge_peak", payload: "off" }], else: "on" },
      { id: "heating", topic: "heating/set", choose: [{ when: "evening", payload: "high" }], else: "low" },
    ],
  },
};
const COLORS = { "2026-01-11": "bleu", "2026-01-12": "rouge", "2026-01-13": "blanc" } as const;

/** Nothing goes wrong on a rouge day. In the evening vigie is reloaded and restarted. */
export const ROUGE_DAY = sceneOf("05:00", "23:30", HOUSE, [
  ["05:00", START],
  ["12:30", sendsCommand("rules/rouge_ahead/threshold", "70")],
  ["13:00", sendsCommand("rules/peak/enabled", '{"enabled":false,"for":"2h"}')],
  ["15:30", sendsCommand("simulation", '{"color":"bleu","for":"40m"}')],
  ["19:00", sendsCommand("rules/evening/enabled", "OFF")],
  ["20:30", QUIET],
  ["20:31", { kind: "reload" }],
  ["20:33", QUIET],
  ["22:40", QUIET],
  ["22:41", STOP],
  ["22:42", START],
  ["22:43", QUIET],
]);

/**
 * vigie is away for 50 minutes when the period changes, and again when the date does. Between them the broker ends the connection at each
 * message for the boiler. No service names the days of the week.
 */
export const AWAY_IN_THE_NIGHT = sceneOf("20:20", "24:50", { ...HOUSE, service: { base_url: "none" } }, [
  ["20:20", START],
  ["21:40", KILL],
  ["22:20", { kind: "refuse", topic: "boiler/set", ends: true, for: 4_000 }],
  ["22:30", START],
  ["23:40", STOP],
  ["24:30", START],
]);

/** Until 05:00 the service cannot tell the season, and RTE asks for a pause. From 06:15 to 07:05 the clock of the machine is an hour behind, then five hours. At 07:35 vigie starts with one that is 40 days behind, and without its sources. */
export const TROUBLED_MORNING = sceneOf("00:30", "08:10", HOUSE, [
  [
    "00:30",
    {
      kind: "source",
      source: "service",
      fault: { kind: "path", part: "season", status: 503 },
      for: 16_200,
    },
  ],
  ["00:31", START],
  ["03:00", { kind: "source", source: "rte", fault: { kind: "status", status: 429 }, for: 7_000 }],
  ["06:10", STOP],
  ["06:15", { kind: "jump", by: -3_600 }],
  ["06:20", START],
  ["07:05", { kind: "jump", by: 3_600 }],
  ["07:10", { kind: "jump", by: -5 * 3_600 }],
  ["07:30", { kind: "jump", by: 5 * 3_600 }],
  ["07:33", STOP],
  ["07:34", { kind: "source", source: "rte", fault: { kind: "down" }, for: 1_500 }],
  ["07:34", { kind: "source", source: "service", fault: { kind: "down" }, for: 1_500 }],
  ["07:34", { kind: "jump", by: -40 * 86_400 }],
  ["07:35", START],
  ["07:55", { kind: "jump", by: 40 * 86_400 }],
]);

/**
 * vigie is stopped three times: then its state file is damaged, then both are, and then one of a newer vigie has its place. Then its
 * configuration is wrong, also at the next start.
 */
export const SPOILT_FILES = sceneOf("06:10", "08:00", HOUSE, [
  ["06:10", START],
  ["06:30", STOP],
  ["06:31", { kind: "state file", from: "damaged", how: "cut" }],
  ["06:32", START],
  ["07:00", KILL],
  ["07:01", { kind: "state file", from: "damaged", how: "zeroed", both: true }],
  ["07:02", START],
  ["07:30", STOP],
  ["07:31", { kind: "state file", from: "newer version" }],
  ["07:32", START],
  ["07:33", { kind: "state file", from: "back" }],
  ["07:34", START],
  ["07:40", { kind: "edit", config: 0, wrong: "value" }],
  ["07:50", STOP],
  ["07:51", START],
  ["07:52", { kind: "edit", config: 0 }],
  ["07:53", START],
]);
/** The first days of a season, in which each of its days is known; the prices of the service change on the third one. */
export const FIRST_DAYS: Scenario = scenarioOf({
  date: "2026-09-03",
  from: "04:30",
  to: "08:00",
  history: 10,
  dearer: { from: "2026-09-03", by: 0.01 },
  configs: [HOUSE],
  happenings: [["04:30", START]],
});

function sceneOf(from: string, to: string, config: HouseConfig, happenings: readonly Happening[]): Scenario {
  // From two days later on the service names other prices: a price of then is not one of today.
  const dearer = { from: "2026-01-14", by: 0.01 };
  return scenarioOf({ date: "2026-01-12", from, to, colors: COLORS, dearer, configs: [config], happenings });
}
