import type { Scenario } from "../scenario.ts";
import { QUIET, START, scenarioOf, sourceFault } from "../script.ts";

/** Both sources are away for more than four hours of a morning, and then the broker for some minutes. */
export const SOURCES_AWAY: Scenario = scenarioOf({
  date: "2026-01-13",
  from: "05:00",
  to: "12:00",
  configs: [
    {
      service: { base_url: "https://service.example" },
      official: { source: "rte" },
      mqtt: { url: "mqtt://192.0.2.1" },
      rules: [{ id: "peak", when: { period: "hp" } }],
      outputs: { list: [] },
    },
  ],
  happenings: [
    ["05:00", START],
    ["06:00", sourceFault("service", { kind: "down" }, 16_200)],
    ["06:01", sourceFault("rte", { kind: "status", status: 503 }, 16_800)],
    ["11:30", { kind: "broker", how: "stopped", for: 600, retained: "kept" }],
    ["11:59", QUIET],
  ],
});
