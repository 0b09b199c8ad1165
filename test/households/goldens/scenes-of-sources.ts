import { KILL, START, scenarioOf, sourceFault } from "../script.ts";
import { BOILER, HOUSE, look, ROUGE_PEAK, type Scene } from "./scene.ts";

const SURE_ROUGE = {
  id: "rouge_surely_next",
  when: { day: "next", color: "rouge", official: true },
};
const COLORS = {
  "2026-01-12": "blanc",
  "2026-01-13": "rouge",
  "2026-01-14": "rouge",
  "2026-01-15": "bleu",
} as const;

const DOWN = { kind: "down" } as const;
const HOUR = 3_600;

/** What is seen of sources that are away, late or wrong, or that do not exist. */
export const SCENES_OF_SOURCES: readonly Scene[] = [
  {
    title: "the service is down for thirty hours, and RTE alone names the colours",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "09:50",
      to: "41:10",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [SURE_ROUGE, ROUGE_PEAK], outputs: { list: [BOILER] } }],
      happenings: [
        ["09:50", START],
        ["10:01", sourceFault("service", DOWN, 30 * HOUR)],
        ["10:15", look("a poll has failed")],
        ["13:30", look("away for more than three hours")],
        ["40:01", look("away for thirty hours")],
        ["41:05", look("it answers again")],
      ],
    }),
    shows: ["calendar", "metrics", "state"],
    commands: {
      "away for more than three hours": ["day 2026-01-13", "show"],
      "away for thirty hours": ["explain --at 2026-01-14T12:00 rouge_peak"],
    },
  },
  {
    title: "both sources are down over 06:00, and vigie is killed before and started after it",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "20:00",
      to: "31:20",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [SURE_ROUGE, ROUGE_PEAK], outputs: { list: [BOILER] } }],
      happenings: [
        ["20:00", START],
        ["20:10", sourceFault("service", DOWN, 11 * HOUR)],
        ["20:10", sourceFault("rte", DOWN, 11 * HOUR)],
        ["29:50", KILL],
        ["30:05", look("killed, and the broker holds topics of yesterday")],
        ["30:15", look("these topics have expired")],
        ["30:20", START],
        ["30:30", look("started again without any source")],
        ["31:15", look("both sources answer again")],
      ],
    }),
    commands: { "started again without any source": ["show"] },
  },
  {
    title: "RTE alone, without forecasts, is down over the announcement and over 06:00",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "09:50",
      to: "55:20",
      colors: COLORS,
      configs: [
        {
          ...HOUSE,
          service: { base_url: "none" },
          rules: [
            SURE_ROUGE,
            { id: "rouge_this_week", when: { day: "next_7_days", color: "rouge" } },
            { ...ROUGE_PEAK, when_unknown: "on" },
          ],
          outputs: { list: [BOILER] },
        },
      ],
      happenings: [
        ["09:50", START],
        ["10:20", look("before the announcement")],
        ["13:00", look("tomorrow is known")],
        ["33:00", sourceFault("rte", DOWN, 22 * HOUR)],
        ["39:00", look("no announcement, and RTE is down")],
        ["54:30", look("the colour of the day in force is not known")],
        ["55:15", look("RTE answers again")],
      ],
    }),
    commands: {
      "before the announcement": ["check", "season", "history"],
      "the colour of the day in force is not known": ["show", "explain rouge_peak"],
    },
  },
  {
    title: "the service alone announces a colour late",
    scenario: scenarioOf({
      // With this seed the service names the colour at 13:05.
      seed: 68,
      trouble: 1,
      date: "2026-01-12",
      from: "09:50",
      to: "14:20",
      colors: COLORS,
      configs: [
        {
          ...HOUSE,
          official: { source: "off" },
          service: { ...HOUSE.service, late_after: "11:15" },
          rules: [SURE_ROUGE],
          outputs: { list: [] },
        },
      ],
      happenings: [
        ["09:50", START],
        ["11:10", look("not announced, and not late yet")],
        ["11:20", look("late")],
        ["14:15", look("announced")],
      ],
    }),
    commands: { late: ["day tomorrow"] },
  },
  {
    title: "RTE says rouge and the service blanc, until the service says rouge, too",
    scenario: scenarioOf({
      // With this seed the service says blanc at first, and rouge at 13:01.
      seed: 13,
      trouble: 1,
      date: "2026-01-12",
      from: "10:05",
      to: "14:20",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [SURE_ROUGE], outputs: { list: [] } }],
      happenings: [
        ["10:05", START],
        ["10:50", look("both are announced only")],
        ["12:10", look("both are confirmed")],
        ["14:15", look("they agree")],
      ],
    }),
    shows: ["calendar", "metrics"],
    commands: { "both are confirmed": ["day tomorrow", "show", "explain", "check --live"] },
  },
  {
    title: "a colour that is corrected on the day before",
    scenario: scenarioOf({
      // With this seed blanc is announced at 07:00, and RTE corrects it at 11:05.
      seed: 6,
      trouble: 1,
      date: "2026-01-12",
      from: "06:50",
      to: "12:20",
      colors: COLORS,
      configs: [
        {
          ...HOUSE,
          rules: [{ id: "dear_day", when: { day: "next", color: ["blanc", "rouge"], official: true } }],
          outputs: {
            list: [
              {
                id: "phone",
                topic: "phone/notify",
                message: true,
                choose: [{ when: "dear_day", payload: "{next.day}: {next.color}" }],
              },
            ],
          },
        },
      ],
      happenings: [
        ["06:50", START],
        ["07:40", look("announced as blanc")],
        // RTE has said rouge at 11:05 by then, and a cache says once more what it said before.
        ["11:07", sourceFault("rte", { kind: "cache", seconds: HOUR / 2, tells: true }, 300)],
        ["11:20", look("corrected to rouge")],
        ["12:10", look("final")],
      ],
    }),
    commands: { "corrected to rouge": ["day tomorrow", "show"] },
  },
  {
    title: "answers with an error, with wrong words, without JSON, and cut ones",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "09:50",
      to: "17:10",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [SURE_ROUGE], outputs: { list: [] } }],
      happenings: [
        ["09:50", START],
        ["10:00", sourceFault("service", { kind: "status", status: 429, retryAfter: 1_200 }, HOUR / 2)],
        ["10:00", sourceFault("rte", { kind: "status", status: 503 }, HOUR / 2)],
        ["10:20", look("too many requests for the service, and an error of RTE")],
        ["10:35", sourceFault("service", { kind: "wrong words" }, HOUR)],
        ["10:35", sourceFault("rte", { kind: "wrong words" }, HOUR)],
        ["11:20", look("words that are no colours")],
        ["11:40", sourceFault("service", { kind: "cut" }, 2 * HOUR)],
        ["11:40", sourceFault("rte", { kind: "no json" }, 2 * HOUR)],
        ["13:20", look("half answers of the service, and no JSON of RTE")],
        ["13:45", sourceFault("service", { kind: "status", status: 404 }, 2 * HOUR)],
        ["13:45", sourceFault("rte", { kind: "status", status: 404 }, 2 * HOUR)],
        ["15:10", look("both have nothing at their addresses")],
        ["17:05", look("right again")],
      ],
    }),
    commands: { "both have nothing at their addresses": ["check --live"] },
  },
  {
    title: "the service fails all morning, until the requests of the day are used up",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "06:20",
      to: "11:20",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [SURE_ROUGE], outputs: { list: [] } }],
      happenings: [
        ["06:20", START],
        ["06:25", sourceFault("service", { kind: "status", status: 503 }, 3.5 * HOUR)],
        ["09:50", look("all requests are used up")],
        ["11:10", look("asked hourly only")],
      ],
    }),
    shows: ["metrics"],
  },
  {
    title: "the history of the service and the season of RTE are not found",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "09:50",
      to: "11:30",
      colors: COLORS,
      configs: [{ ...HOUSE, rules: [SURE_ROUGE], outputs: { list: [] } }],
      happenings: [
        ["09:50", sourceFault("service", { kind: "path", part: "history", status: 404 }, HOUR)],
        ["09:50", sourceFault("rte", { kind: "path", part: "tempo?", status: 404 }, HOUR)],
        ["09:50:10", START],
        ["10:20", look("days of the past are missing")],
        ["11:25", look("found again")],
      ],
    }),
    shows: ["metrics"],
    commands: { "days of the past are missing": ["check --live"] },
  },
];
