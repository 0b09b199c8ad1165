import { type Found, HOUSE, NIGHT, PEAK, QUIET_HOUSE, QUIET_MORNING } from "./shared.ts";

/** The colours of days, and rules that judge them. */
export const DAYS_AND_RULES: readonly Found[] = [
  {
    what: "a judge that wants a payload sent that a rule chooses by its lag, after a colour was pretended",
    scenario: {
      ...QUIET_HOUSE,
      seed: 744000006,
      from: "2025-11-17T09:00:00Z",
      length: 2_500,
      configs: [
        {
          ...HOUSE,
          rules: [{ id: "dear", when: { day: "today", color: "rouge" }, lag: "1h" }],
          outputs: {
            dry_when_simulated: true,
            list: [{ topic: "device1/set", choose: [{ when: "dear", payload: "off" }] }],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 60,
          kind: "command",
          topic: "vigie/simulation/set",
          payload: '{"color":"rouge","from":"now","for":"5m"}',
        },
        { at: 2_400, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge that measures what an edited rule said by the rule that took its place",
    scenario: {
      ...QUIET_HOUSE,
      seed: 711000087,
      from: "2026-01-20T22:30:00Z",
      configs: [
        { ...HOUSE, rules: [{ id: "rule1", when: { period: "hc" } }], outputs: { list: [] } },
        { ...HOUSE, rules: [{ id: "rule1", when: { period: "hp" } }], outputs: { list: [] } },
      ],
      events: [
        { at: 1, kind: "start" },
        // A second before midnight in Paris, at which each rule is looked at.
        { at: 1_799, kind: "edit", config: 1 },
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
  {
    what: "RTE says rouge and goes down: rouge is taken back when the service says bleu after 11:30",
    scenario: {
      ...QUIET_HOUSE,
      seed: 7,
      from: "2026-01-12T08:00:00Z",
      length: 5 * 3_600,
      trouble: 1,
      configs: [
        { ...HOUSE, rules: [{ id: "eve", when: { day: "next", color: "rouge" } }], outputs: { list: [] } },
      ],
      events: [
        { at: 1, kind: "start" },
        // 11:25 in Paris.
        { at: 8_700, kind: "source", source: "rte", fault: { kind: "down" }, for: 7_200 },
      ],
    },
  },
  {
    what: "a word is confirmed by the time of Paris although it was heard by that of Martinique",
    scenario: {
      ...QUIET_HOUSE,
      length: 2 * 3_600,
      seed: 1,
      from: "2026-01-05T10:45:00Z",
      configs: [
        { ...HOUSE, tariff: { time_zone: "America/Martinique" }, rules: [NIGHT], outputs: { list: [] } },
        { ...HOUSE, rules: [NIGHT], outputs: { list: [] } },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 4_000, kind: "source", source: "service", fault: { kind: "down" }, for: 3_000 },
        { at: 4_000, kind: "source", source: "rte", fault: { kind: "down" }, for: 3_000 },
        { at: 4_100, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "the season of the service fails, and is asked for again within the hour",
    scenario: {
      ...QUIET_MORNING,
      length: 14_400,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        {
          at: 0,
          kind: "source",
          source: "service",
          fault: { kind: "path", part: "season", status: 503 },
          for: 14_400,
        },
        { at: 1, kind: "start" },
      ],
    },
  },
  {
    what: "a source that asks for a pause of an hour is asked before its end",
    scenario: {
      ...QUIET_MORNING,
      length: 7_200,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        {
          at: 60,
          kind: "source",
          source: "service",
          fault: { kind: "status", status: 429, retryAfter: 3_600 },
          for: 7_000,
        },
      ],
    },
  },
  {
    what: "a judge demands an event of a next day that is pretended",
    scenario: {
      ...QUIET_MORNING,
      seed: 43152502,
      length: 1_200,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "command", topic: "vigie/simulation/set", payload: "rouge:next" },
      ],
    },
  },
  {
    // The two endpoints of the service contradict each other, and their answers leave fields out by the seed.
    what: "a judge for which the forecasts replace what the endpoint of the date has said since, though they are not newer",
    scenario: {
      ...QUIET_HOUSE,
      seed: 5,
      from: "2026-01-05T05:50:00Z",
      configs: [{ ...HOUSE, rules: [], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 1_500, kind: "source", source: "service", fault: { kind: "nulls" }, for: 2_000 },
      ],
    },
  },
  {
    what: "a judge that finds the price of a colour at the day in force only, although that came in cents and is not used",
    scenario: {
      ...QUIET_HOUSE,
      seed: 716400555,
      from: "2025-11-29T02:03:00Z",
      length: 3_900,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "source", source: "service", fault: { kind: "cents" }, for: 120 },
        { at: 60, kind: "start" },
      ],
    },
  },
];
