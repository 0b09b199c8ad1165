import type { ConditionText, HouseConfig, RuleText } from "../scenario.ts";
import {
  type Happening,
  KILL,
  publishes,
  START,
  STOP,
  scenarioOf,
  sendsCommand,
  sourceFault,
} from "../script.ts";
import { HOUSE, look, ROUGE_PEAK, type Scene } from "./scene.ts";

/** Off-peak at night and at noon, as many contracts have it. */
const NOON = { time_zone: "Europe/Paris", off_peak: ["02:00-07:00", "13:00-16:00"] };

/** Two rules: the reasons of the first name all conditions if all are true, those of the second if none is. */
function allAndAny(id: string, conditions: ConditionText[], options: Partial<RuleText> = {}): RuleText[] {
  return [
    { id: `${id}_all`, when: { all: conditions }, ...options },
    { id: `${id}_any`, when: { any: conditions }, ...options },
  ];
}

/** True on the evening of 30 November, false on the morning after. */
const DAYS: ConditionText[] = [
  { day: "now", color: "rouge" },
  { day: "next", color: ["blanc", "rouge"], confidence: 80 },
  { day: "tomorrow", color: "blanc", stage: ["announced", "final"] },
  { day: "d2", color: "bleu" },
  { day: "d3", color: "blanc", confidence: "threshold" },
  { day: "d4", color: "bleu" },
  { day: "d5", color: "blanc" },
  { day: "d6", color: "bleu" },
  { day: "d7", color: "blanc" },
];
const TIMES_AND_NUMBERS: ConditionText[] = [
  { period: "hp" },
  { between: ["18:00", "23:00"] },
  { weekday: ["mon", "fri"] },
  { month: ["oct", "nov"] },
  { rate: { above: 0.3 } },
  { left: { blanc: { at_least: 40 } } },
];
const SEASON: RuleText[] = [
  {
    id: "early",
    when: { days_remaining: { at_least: 240, below: 300 }, remaining: { blanc: { above: 30 } } },
  },
  {
    id: "late",
    when: { any: [{ days_remaining: { below: 30 } }, { remaining: { rouge: { at_most: 3 } } }] },
  },
];
const RANGES: RuleText[] = [
  { id: "some_rouge", when: { day: "next_7_days", color: "rouge" } },
  { id: "two_blanc", when: { day: "next_7_days", color: "blanc", at_least: 2 } },
  { id: "no_rouge_week", when: { day: "next_7_days", color: ["bleu", "blanc"], every: true } },
];

const VALUES: ConditionText[] = [
  { mqtt: { topic: "maison/presence", equals: ["home", "guests"] } },
  { mqtt: { topic: "zigbee2mqtt/salon", path: "occupancy", equals: true, max_age: "2h" } },
  { mqtt: { topic: "chaudiere/mode", path: "mode", equals: 3 } },
  { mqtt: { topic: "voiture/etat", path: "battery.level", below: 40 } },
  { mqtt: { topic: "jardin/thermometre", at_most: 2.5, max_age: "1h" } },
  { mqtt: { topic: "solaire/puissance", path: "phases.0", above: 1500 } },
  { mqtt: { topic: "cuve/niveau", path: "litres", at_least: 200, below: 1000 } },
];

/** What the devices of `VALUES` publish, in their order. */
function publishAll(time: string, payloads: readonly string[]): Happening[] {
  const topics = VALUES.map(({ mqtt }) => (mqtt as { topic: string }).topic);
  return topics.map((topic, index) => [time, publishes(topic, payloads[index]!)]);
}

const PEAK: RuleText = { id: "peak", when: { period: "hp" } };

/** What rules find, and what they say of it. */
export const SCENES_OF_RULES: readonly Scene[] = [
  {
    title: "each condition on days, times and numbers, unknown, true and false",
    scenario: scenarioOf({
      date: "2026-11-30",
      from: "20:00",
      to: "30:35",
      // With these forecasts all conditions on days are true at first.
      seed: 2,
      // Since the beginning of the season.
      history: 95,
      colors: {
        "2026-11-30": "rouge",
        "2026-12-01": "blanc",
        "2026-12-02": "bleu",
        "2026-12-03": "blanc",
        "2026-12-04": "bleu",
        "2026-12-05": "blanc",
        "2026-12-07": "blanc",
        "2026-12-08": "rouge",
      },
      configs: [
        {
          ...HOUSE,
          tariff: NOON,
          rules: [
            ...allAndAny("days", DAYS, { threshold: 60 }),
            ...allAndAny("numbers", TIMES_AND_NUMBERS),
            ...SEASON,
            ...RANGES,
            { id: "not_rouge", when: { not: { day: "now", color: "rouge" } } },
            {
              id: "pending",
              when: {
                not: {
                  any: [
                    { day: "tomorrow", official: true },
                    { day: "today", known: false },
                  ],
                },
              },
            },
            {
              id: "refers",
              when: { all: [{ rule: "days_any" }, { not: { rule: "pending" } }, { rule: "numbers_all" }] },
            },
          ],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["20:00", sourceFault("service", { kind: "down" }, 900)],
        ["20:00", sourceFault("rte", { kind: "down" }, 900)],
        ["20:00", START],
        ["20:10", look("unknown")],
        ["21:30", look("true")],
        ["30:30", look("false")],
      ],
    }),
    commands: { unknown: ["explain days_any"], true: ["explain"], false: ["explain"] },
  },
  {
    title: "each test of a value of the house, not heard, true, false and not readable",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "10:31",
      configs: [{ ...HOUSE, rules: allAndAny("values", VALUES), outputs: { list: [] } }],
      happenings: [
        ["10:00", START],
        ["10:02", look("not heard")],
        ...publishAll("10:05", [
          "home",
          '{"occupancy":true}',
          '{"mode":"3.0"}',
          '{"battery":{"level":39.5}}',
          "2.5",
          '{"phases":[1501,700,0]}',
          '{"litres":200}',
        ]),
        ["10:10", look("true")],
        ...publishAll("10:15", [
          "away",
          '{"occupancy":false}',
          '{"mode":4}',
          '{"battery":{"level":40}}',
          "2.6",
          '{"phases":[1500]}',
          '{"litres":1000}',
        ]),
        ["10:20", look("false")],
        ...publishAll("10:25", [
          "\u{FFFD}",
          '{"occupancy":null}',
          "mode 3",
          '{"battery":{}}',
          "unavailable",
          '{"phases":["1 kW"]}',
          '{"litres":[200]}',
        ]),
        ["10:30", look("not readable")],
      ],
    }),
    commands: {
      true: ["explain values_all"],
      false: ["explain values_any"],
      "not readable": ["explain values_all"],
    },
  },
  {
    title: "lead, lag and hold, and a value that flaps and grows too old",
    scenario: scenarioOf({
      date: "2026-01-13",
      from: "12:50",
      to: "16:00",
      colors: { "2026-01-13": "rouge" },
      configs: [
        {
          ...HOUSE,
          tariff: NOON,
          rules: [
            { ...ROUGE_PEAK, lead: "5m", lag: "10m" },
            {
              id: "frost",
              when: { mqtt: { topic: "jardin/thermometre", below: 2, max_age: "30m" } },
              hold: "15m",
            },
          ],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["12:50", START],
        ["12:55", publishes("jardin/thermometre", "1.8")],
        ["13:02", publishes("jardin/thermometre", "2.3")],
        ["13:05", look("the lag, and ON is held")],
        ["13:12", publishes("jardin/thermometre", "1.9")],
        ["13:20", look("OFF is held")],
        ["13:45", look("too old")],
        ["15:57", look("the lead")],
      ],
    }),
    commands: {
      "the lag, and ON is held": ["explain", "explain --json"],
      "the lead": ["explain rouge_peak"],
    },
  },
  {
    title: "a forecast that changes again within a hold",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "13:00",
      to: "18:10",
      colors: {
        "2026-01-12": "bleu",
        "2026-01-13": "bleu",
        "2026-01-14": "bleu",
        "2026-01-15": "rouge",
        "2026-01-16": "bleu",
        "2026-01-17": "bleu",
        "2026-01-19": "bleu",
      },
      configs: [
        {
          ...HOUSE,
          rules: [
            { id: "rouge_week", when: { day: "next_7_days", color: "rouge", confidence: 60 }, hold: "3h" },
            { id: "rouge_week_at_once", when: { day: "next_7_days", color: "rouge", confidence: 60 } },
          ],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["13:00", START],
        ["13:30", sourceFault("service", { kind: "wrong words" }, 3_600)],
        ["14:15", look("a forecast is gone")],
        ["15:30", look("it is back, and unknown is held")],
        ["18:05", look("the hold is over")],
      ],
    }),
    commands: { "it is back, and unknown is held": ["explain"] },
  },
  {
    title: "values of the house over a restart, and while the broker is away",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "11:40",
      configs: [
        {
          ...HOUSE,
          rules: [
            {
              id: "home",
              when: { mqtt: { topic: "maison/presence", equals: "home" } },
              when_unknown: "on",
            },
            {
              id: "car_low",
              when: { mqtt: { topic: "voiture/batterie", below: 40, max_age: "2h" } },
              when_unknown: "off",
            },
            { id: "frost", when: { mqtt: { topic: "jardin/thermometre", below: 2, max_age: "1h" } } },
            { id: "save", when: { all: [{ period: "hp" }, { not: { rule: "home" } }] } },
          ],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["10:00", START],
        ["10:05", publishes("maison/presence", "away")],
        ["10:06", publishes("voiture/batterie", "35", false)],
        ["10:07", publishes("jardin/thermometre", "1.5")],
        ["10:10", look("heard")],
        ["10:20", STOP],
        ["10:22", START],
        ["10:30", look("after a restart")],
        ["10:40", { kind: "broker", how: "stopped", for: 3_600, retained: "kept" }],
        ["10:42", KILL],
        ["10:43", START],
        ["10:50", look("the broker is away at a start")],
        ["11:30", look("it is away for long")],
      ],
    }),
    commands: { "after a restart": ["explain", "show"] },
  },
  {
    title: "rules switched and a threshold moved by commands, for a time and for ever",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "12:40",
      configs: [switchedHouse(60), switchedHouse(50)],
      happenings: [
        ["10:00", START],
        ["10:05", sendsCommand("rules/peak/enabled", '{"enabled":false,"for":"2h"}')],
        ["10:05", sendsCommand("rules/dear/enabled", "OFF")],
        ["10:05", sendsCommand("rules/rouge_week/threshold", "95")],
        ["10:10", look("commanded")],
        ["10:20", STOP],
        ["10:21", START],
        ["10:22", sendsCommand("rules/peak/enabled", "peut-être")],
        ["10:22", sendsCommand("rules/rouge_week/threshold", "101")],
        ["10:22", { ...sendsCommand("rules/dear/enabled", "ON"), retain: true }],
        ["10:30", look("after a restart, and commands that are none")],
        ["12:06", { kind: "edit", config: 1 }],
        ["12:10", look("the time is over, and the configuration has another threshold")],
        ["12:20", sendsCommand("rules/dear/enabled", '{"enabled":true,"for":"10m"}')],
        ["12:25", look("enabled for a time")],
      ],
    }),
    commands: { commanded: ["explain", "show"] },
  },
];

function switchedHouse(threshold: number): HouseConfig {
  return {
    ...HOUSE,
    rules: [
      PEAK,
      { id: "dear", when: { rate: { above: 0.15 } } },
      {
        id: "rouge_week",
        when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
        threshold,
      },
      { id: "wait", when: { any: [{ rule: "peak" }, { rule: "dear" }] } },
    ],
    outputs: {
      list: [{ id: "ballon", topic: "ballon/set", choose: [{ when: "peak", payload: "off" }], else: "on" }],
    },
  };
}
