import { START, scenarioOf } from "../script.ts";
import { BOILER, HOUSE, look, ROUGE_PEAK, type Scene } from "./scene.ts";

const DAY = 86_400;
const COLORS = {
  "2026-01-12": "blanc",
  "2026-01-13": "rouge",
  "2026-01-14": "bleu",
  "2026-01-15": "rouge",
} as const;
const BOILER_TOLD_UNKNOWN = { ...BOILER, unknown: "eco" };

/** Off-peak hours and a rule that begin or end in the hour that comes twice, or not at all. */
const NIGHT = {
  ...HOUSE,
  tariff: { off_peak: ["23:30-02:30", "03:00-06:00"] },
  rules: [
    { id: "water_heating", when: { period: "hc" } },
    { id: "car_charging", when: { between: ["02:15", "02:45"] } },
  ],
  outputs: {
    list: [
      {
        id: "water_heater",
        topic: "water_heater/set",
        choose: [{ when: "water_heating", payload: "on" }],
        else: "off",
      },
    ],
  },
};

/** The clock of the machine, and nights in which the clocks of all are changed. */
export const SCENES_OF_CLOCKS: readonly Scene[] = [
  {
    title: "the clock of the machine is set two days ahead, then a day back, and the machine sleeps",
    scenario: scenarioOf({
      date: "2026-01-13",
      from: "09:50",
      to: "17:20",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [ROUGE_PEAK], outputs: { list: [BOILER_TOLD_UNKNOWN] } }],
      happenings: [
        ["09:50", START],
        ["10:20", { kind: "jump", by: 2 * DAY }],
        ["10:30", look("two days ahead")],
        ["11:00", { kind: "jump", by: -2 * DAY }],
        ["11:10", look("right again")],
        ["12:00", { kind: "jump", by: -DAY }],
        ["12:10", look("a day behind")],
        ["12:30", { kind: "jump", by: DAY }],
        ["13:00", { kind: "suspend", for: 14_400 }],
        ["17:10", look("after four hours of sleep")],
      ],
    }),
    commands: {
      "two days ahead": ["show", "explain"],
      "a day behind": ["day today"],
    },
  },
  {
    title: "the clock of the machine is twenty minutes behind, as the service alone says",
    scenario: scenarioOf({
      date: "2026-01-13",
      from: "13:50",
      to: "15:40",
      colors: COLORS,
      configs: [
        {
          ...HOUSE,
          official: { source: "off" },
          rules: [ROUGE_PEAK],
          outputs: { list: [BOILER_TOLD_UNKNOWN] },
        },
      ],
      happenings: [
        ["13:50", START],
        ["14:00", { kind: "jump", by: -1_200 }],
        ["14:50", look("doubted")],
        ["15:00", { kind: "jump", by: 1_200 }],
        ["15:30", look("right again")],
      ],
    }),
  },
  {
    title: "the night in which the clocks go back",
    scenario: scenarioOf({
      date: "2026-10-24",
      from: "23:50",
      to: "31:10",
      configs: [NIGHT],
      happenings: [
        ["23:50", START],
        ["26:20", look("02:20 for the first time")],
        ["26:40", look("02:40 for the first time")],
        ["27:20", look("02:20 for the second time")],
        ["31:05", look("the next day has begun")],
      ],
    }),
    commands: { "02:40 for the first time": ["show", "explain", "explain --at 2026-10-25T02:20"] },
  },
  {
    title: "the night in which the clocks go forward",
    scenario: scenarioOf({
      date: "2026-03-28",
      from: "23:50",
      to: "29:10",
      configs: [NIGHT],
      happenings: [
        ["23:50", START],
        ["25:50", look("before the hour that is skipped")],
        ["26:10", look("after it")],
        ["29:05", look("the next day has begun")],
      ],
    }),
    commands: { "before the hour that is skipped": ["explain --at 2026-03-29T02:20"] },
  },
];
