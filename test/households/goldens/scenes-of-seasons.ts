import { START, scenarioOf, sourceFault } from "../script.ts";
import { HOUSE, look, type Scene } from "./scene.ts";

const OWN_TARIFF = {
  off_peak: [
    { months: ["apr", "may", "jun", "jul", "aug"], windows: ["02:00-07:00", "13:00-16:00"] },
    { weekdays: ["sat", "sun"], windows: ["00:00-24:00"] },
    { windows: ["22:00-06:00"] },
  ],
  rates_first: "owner",
  rates: [
    {
      from: "2026-02-01",
      bleu: { hp: 0.17, hc: 0.13 },
      blanc: { hp: 0.19, hc: 0.15 },
      rouge: { hp: 0.72, hc: 0.16 },
    },
    {
      from: "2026-09-01",
      bleu: { hp: 0.21, hc: 0.14 },
      blanc: { hp: 0.23, hc: 0.16 },
      rouge: { hp: 0.75, hc: 0.17 },
    },
  ],
};

/** What follows from the date: seasons, prices, hours, and the laws of the tariff. */
export const SCENES_OF_SEASONS: readonly Scene[] = [
  {
    title: "a season ends, and other hours and prices begin",
    scenario: scenarioOf({
      date: "2026-08-31",
      from: "20:00",
      to: "31:20",
      history: 364,
      configs: [
        {
          ...HOUSE,
          tariff: OWN_TARIFF,
          rules: [
            { id: "season_ends", when: { days_remaining: { below: 5 } } },
            { id: "many_rouge_left", when: { left: { rouge: { at_least: 20 } } } },
            { id: "dear", when: { rate: { above: 0.2 } } },
          ],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["20:00", START],
        ["20:10", look("the last day of the season")],
        ["24:10", look("after midnight")],
        ["31:10", look("the first day of the season")],
      ],
    }),
    commands: {
      "the last day of the season": ["season", "check", "explain --at 2026-09-01T12:00 dear"],
      "the first day of the season": ["season", "season 2025-2026"],
    },
  },
  {
    title: "rouge on a public holiday, which the laws of the tariff forbid and then do not",
    scenario: scenarioOf({
      date: "2026-11-10",
      from: "09:50",
      to: "13:20",
      colors: { "2026-11-10": "bleu", "2026-11-11": "rouge" },
      configs: [
        {
          ...HOUSE,
          rules: [{ id: "rouge_next", when: { day: "next", color: "rouge" } }],
          outputs: { list: [] },
        },
        {
          ...HOUSE,
          tariff: { laws: "off" },
          rules: [{ id: "rouge_next", when: { day: "next", color: "rouge" } }],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["09:50", START],
        ["11:10", look("the laws forbid it")],
        ["11:40", { kind: "edit", config: 1 }],
        ["13:10", look("there are no laws any more")],
      ],
    }),
    commands: {
      "the laws forbid it": ["day tomorrow"],
      "there are no laws any more": ["season"],
    },
  },
  {
    title: "February 29 begins",
    scenario: scenarioOf({
      date: "2028-02-28",
      from: "20:00",
      to: "30:10",
      configs: [
        {
          ...HOUSE,
          service: { base_url: "none" },
          rules: [{ id: "february", when: { month: ["feb"] } }],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["20:00", START],
        ["20:10", look("February 28")],
        ["30:05", look("February 29")],
      ],
    }),
    commands: { "February 29": ["explain --at 2028-03-01T05:00", "history"] },
  },
  {
    title: "the first day of a new house in summer, when no rouge can come",
    scenario: scenarioOf({
      date: "2026-07-14",
      from: "08:29",
      to: "10:55",
      configs: [
        {
          ...HOUSE,
          rules: [
            { id: "rouge_this_week", when: { day: "next_7_days", color: "rouge" } },
            { id: "blanc_next", when: { day: "next", color: "blanc" } },
          ],
          outputs: {
            list: [
              {
                id: "pool_pump",
                topic: "pool_pump/set",
                choose: [{ when: "blanc_next", payload: "off" }],
                else: "on",
              },
            ],
          },
        },
      ],
      happenings: [
        ["08:29", sourceFault("service", { kind: "down" }, 1_800)],
        ["08:29", sourceFault("rte", { kind: "hangs" }, 1_800)],
        ["08:30", START],
        ["08:35", look("no source has answered yet")],
        ["10:20", look("the sources have answered")],
        ["10:50", look("tomorrow is announced")],
      ],
    }),
    shows: ["calendar", "metrics"],
    commands: { "no source has answered yet": ["show", "check"] },
  },
];
