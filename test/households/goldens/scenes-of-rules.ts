import type { ConditionText, RuleText } from "../scenario.ts";
import { START, scenarioOf } from "../script.ts";
import { HOUSE, look, type Scene } from "./scene.ts";

/** Off-peak at night and at noon, as many contracts have it. */
const NOON = { time_zone: "Europe/Paris", off_peak: ["02:00-07:00", "13:00-16:00"] };

/** The reasons of the first name all of them when all are true, those of the second when none is. */
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
        "2026-12-08": "bleu",
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
        ["20:00", { kind: "source", source: "service", fault: { kind: "down" }, for: 900 }],
        ["20:00", { kind: "source", source: "rte", fault: { kind: "down" }, for: 900 }],
        ["20:00", START],
        ["20:10", look("unknown")],
        ["21:30", look("true")],
        ["30:30", look("false")],
      ],
    }),
    commands: { unknown: ["explain days_any"], true: ["explain"], false: ["explain"] },
  },
];
