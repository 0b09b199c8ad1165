import type { HouseConfig } from "../scenario.ts";
import {
  FLAPPING,
  type Found,
  HOUSE,
  QUIET_HOUSE,
  QUIET_MORNING,
  REPORTING,
  valueAt,
  valuesAt,
} from "./shared.ts";

/** Heating that is saved in the expensive hours, unless somebody is home. */
const PRESENCE: HouseConfig = {
  ...HOUSE,
  rules: [
    { id: "home", when_unknown: "on", when: { mqtt: { topic: "house/value1", equals: "home" } } },
    { id: "save", when: { all: [{ period: "hp" }, { not: { rule: "home" } }] } },
  ],
  outputs: { list: [{ topic: "device1/set", choose: [{ when: "save", payload: "16" }], else: "19" }] },
};

/** A value of the house decides. */
export const VALUES: readonly Found[] = [
  {
    what: "a value that flaps many times a second turns a device many times a second",
    scenario: {
      ...QUIET_HOUSE,
      length: 700,
      seed: 130,
      from: "2025-11-29T10:44:00Z",
      configs: [FLAPPING],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valuesAt(600, { every: 0.02, for: 11, words: ["home", "away", "guests"] }),
      ],
    },
  },
  {
    what: "a rule with a hold waits, long after a start, for a value that the broker does not hold",
    scenario: {
      ...QUIET_MORNING,
      length: 4_000,
      configs: [
        {
          ...HOUSE,
          rules: [{ id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } }, hold: "12h" }],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 60, kind: "report", topic: "house/value1", payload: "guests", retain: false },
        { at: 600, kind: "stop" },
        { at: 900, kind: "start" },
        { at: 3_600, kind: "quiet" },
      ],
    },
  },
  {
    what: "a sensor that is dead makes the house cold, though somebody is home in doubt",
    scenario: {
      ...QUIET_HOUSE,
      seed: 3,
      from: "2026-01-23T10:00:00Z",
      configs: [PRESENCE],
      events: [{ at: 1, kind: "start" }, valueAt(60, "home"), valueAt(600, "unavailable")],
    },
  },
  {
    what: "five rules that a value turns each second send too many events",
    scenario: {
      ...QUIET_MORNING,
      length: 500,
      configs: [
        {
          ...HOUSE,
          rules: [1, 2, 3, 4, 5].map((number) => ({
            id: `rule${number}`,
            when: { mqtt: { topic: "house/value1", equals: true } },
          })),
          outputs: { list: [] },
        },
      ],
      events: [{ at: 1, kind: "start" }, valuesAt(360, { every: 1.5, for: 11, words: ["true", "false"] })],
    },
  },
  {
    what: "a judge calls an event said twice, as the rule was unknown in between while the broker was away",
    scenario: {
      ...QUIET_MORNING,
      seed: 325993908,
      from: "2026-04-27T05:47:00Z",
      length: 63_439,
      configs: [
        {
          ...HOUSE,
          rules: [
            {
              id: "rule1",
              when: {
                all: [{ between: ["01:00", "00:45"] }, { mqtt: { topic: "house/value1", at_most: 6 } }],
              },
            },
          ],
          outputs: { list: [] },
        },
      ],
      events: [
        {
          ...{ at: 42_675, kind: "series", topic: "house/value1", every: 1_800, for: 36_000, retain: true },
          values: { low: 7, high: 50, path: undefined },
        },
        { at: 52_518, kind: "broker", how: "killed", for: 10_800, retained: "kept" },
        { at: 52_545, kind: "start" },
      ],
    },
  },
];
