import type { Scenario } from "../scenario.ts";
import { QUIET, START, scenarioOf, sourceFault } from "../script.ts";

/** Other names for topics, an entity that is left out, and an owner who waits for the announcement until 08:00 only. */
export const OTHER_NAMES: Scenario = scenarioOf({
  date: "2026-01-12",
  from: "06:30",
  to: "11:30",
  configs: [
    {
      service: { base_url: "https://service.example", late_after: "08:00" },
      official: { source: "rte" },
      mqtt: { url: "mqtt://192.0.2.1", base_topic: "house/tempo" },
      homeassistant: { prefix: "ha", exclude: ["now_slot"] },
      rules: [{ id: "peak", when: { period: "hp" } }],
      outputs: { list: [] },
    },
  ],
  happenings: [
    ["06:30", START],
    ["07:30", QUIET],
    ["09:30", QUIET],
    ["11:29", QUIET],
  ],
});

/** A tariff without laws whose days begin at 07:30. On this Friday morning nobody names a colour of the Saturday before 10:30. */
export const OTHER_TARIFF: Scenario = scenarioOf({
  date: "2026-01-16",
  from: "05:10",
  to: "09:10",
  configs: [
    {
      service: { base_url: "none" },
      official: { source: "rte" },
      mqtt: { url: "mqtt://192.0.2.1" },
      tariff: { laws: "off", day_starts_at: "07:30" },
      rules: [{ id: "peak", when: { period: "hp" } }],
      outputs: { list: [] },
    },
  ],
  happenings: [
    ["05:10", START],
    ["09:05", QUIET],
  ],
});

/** A service that sends confidences in percent, then prices in cents. */
export const OTHER_UNITS: Scenario = scenarioOf({
  date: "2026-01-16",
  from: "05:10",
  to: "09:10",
  configs: [
    {
      service: { base_url: "https://service.example" },
      official: { source: "rte" },
      mqtt: { url: "mqtt://192.0.2.1" },
      tariff: {
        rates: [
          {
            from: "2020-01-01",
            bleu: { hp: 0.1111, hc: 0.1011 },
            blanc: { hp: 0.1211, hc: 0.1111 },
            rouge: { hp: 0.1311, hc: 0.1211 },
          },
        ],
      },
      rules: [{ id: "sure", when: { day: "d5", color: ["blanc", "bleu"], confidence: 30 } }],
      outputs: { list: [] },
    },
  ],
  happenings: [
    ["05:10", sourceFault("service", { kind: "percent" }, 6_500)],
    ["05:11", START],
    ["07:00", sourceFault("service", { kind: "cents" }, 7_200)],
    ["07:05", { kind: "stop" }],
    ["07:06", { kind: "state file", from: "none" }],
    ["07:07", START],
    ["09:05", QUIET],
  ],
});
