import type { HouseConfig, Scenario } from "../scenario.ts";

const HOUSE: HouseConfig = {
  service: { base_url: "https://service.example" },
  official: { source: "rte" },
  mqtt: { url: "mqtt://192.0.2.1" },
  rules: [{ id: "peak", when: { period: "hp" } }],
  outputs: {
    list: [{ id: "boiler", topic: "boiler/set", choose: [{ when: "peak", payload: "off" }], else: "on" }],
  },
};

/**
 * Other programs write on vigie's topics. A second vigie asks who owns the base topic, and ends. Then another one takes the base topic
 * for an hour, and vigie has it again ten minutes later. In the end the
 * broker has another password for five minutes.
 */
export const OTHERS_ON_THE_BROKER: Scenario = {
  seed: 1,
  from: "2026-01-12T09:00:00Z",
  length: 9_000,
  trouble: 0,
  history: 3,
  oldBroker: false,
  configs: [HOUSE],
  devices: [],
  events: [
    { at: 1, kind: "start" },
    { at: 300, kind: "foreign", topic: "vigie/now/color", payload: "ON" },
    { at: 360, kind: "foreign", topic: "vigie/rules/peak/state", payload: "" },
    { at: 420, kind: "foreign", topic: "vigie/old/topic", payload: "1" },
    { at: 600, kind: "other vigie", how: "asks", for: 60 },
    { at: 900, kind: "quiet" },
    { at: 1_800, kind: "other vigie", how: "takes over", for: 3_600 },
    { at: 8_400, kind: "quiet" },
    { at: 8_500, kind: "password", password: "new", code: "not authorised", cuts: true, for: 300 },
  ],
};
