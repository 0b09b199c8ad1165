import type { HouseConfig, Scenario, ScriptEvent } from "./scenario.ts";

/** A household in which something was wrong once, as small as it was found. */
export interface Found {
  /** What must not happen again. */
  what: string;
  scenario: Scenario;
}

const HOUSE = {
  service: { base_url: "https://service.example" },
  official: { source: "rte" },
  mqtt: { url: "mqtt://192.0.2.1" },
};
const QUIET_HOUSE = { length: 3_600, trouble: 0, history: 3, oldBroker: false, devices: [] };

const PEAK = { id: "peak", when: { period: "hp" } };
const DEVICE = { topic: "device1/set", choose: [{ when: "peak", payload: "18" }] };

/** A rule on a value alone, and a device that follows it. */
const FLAPPING: HouseConfig = {
  ...HOUSE,
  rules: [{ id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } } }],
  outputs: {
    list: [
      {
        topic: "device1/set",
        choose: [{ when: "guests", payload: "p1" }],
        else: "p2",
        confirm: { topic: "device1/state" },
      },
    ],
  },
};

/** All are lived by `npm test`. The seed is that of the household in which it was found; the generator may have changed since. */
export const FOUND: readonly Found[] = [
  {
    what: "an output without else whose rule went OFF while vigie was away ends each start in an error",
    scenario: {
      ...QUIET_HOUSE,
      seed: 22,
      from: "2026-01-23T20:50:00Z",
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [DEVICE] } }],
      // hp ends at 21:00Z.
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "stop" },
        { at: 900, kind: "start" },
      ],
    },
  },
  {
    what: "a value that flaps many times a second turns a device many times a second",
    scenario: {
      ...QUIET_HOUSE,
      seed: 130,
      from: "2025-11-29T10:44:00Z",
      configs: [FLAPPING],
      devices: [
        {
          id: "device1",
          report: { topic: "device1/state", retain: true },
          path: undefined,
          manner: "obeys",
          words: {},
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 600,
          kind: "series",
          topic: "house/value1",
          every: 0.02,
          for: 11,
          retain: true,
          values: { words: ["home", "away", "guests"] },
        },
      ],
    },
  },
  {
    what: "a payload that could not be saved in time is sent although the rule is OFF again",
    scenario: {
      ...QUIET_HOUSE,
      seed: 2,
      from: "2026-04-27T20:12:00Z",
      configs: [FLAPPING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "home"),
        { at: 300, kind: "disk", fault: "hangs", for: 120 },
        valueAt(310, "guests"),
        valueAt(330, "home"),
      ],
    },
  },
  {
    what: "a colour that was pretended for less time than a rule has lag is missing in what is right",
    scenario: {
      ...QUIET_HOUSE,
      seed: 173466036,
      from: "2026-01-17T09:20:00Z",
      configs: [
        {
          ...HOUSE,
          service: { base_url: "none" },
          rules: [
            { id: "dear", when: { day: "next", color: ["rouge", "blanc"], confidence: 61 }, lag: "2h" },
          ],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 600,
          kind: "command",
          topic: "vigie/simulation/set",
          payload: '{"color":"blanc","from":"next","for":"5m"}',
        },
      ],
    },
  },
];

function valueAt(at: number, word: string): ScriptEvent {
  return {
    at,
    kind: "series",
    topic: "house/value1",
    every: 1,
    for: 0,
    retain: true,
    values: { words: [word] },
  };
}
