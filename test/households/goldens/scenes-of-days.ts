import { START, scenarioOf, sendsCommand } from "../script.ts";
import { BOILER, HOUSE, look, ROUGE_PEAK, type Scene } from "./scene.ts";

const RULES = [
  { id: "rouge_ahead", when: { day: "next", color: "rouge", confidence: "threshold" }, threshold: 60 },
  { ...ROUGE_PEAK, lead: "5m", lag: "10m" },
];

/** Colours and periods of a day, and what a broker and a page show of them. */
export const SCENES_OF_DAYS: readonly Scene[] = [
  {
    title: "a rouge day, from its announcement to its end",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "09:50",
      to: "46:05",
      colors: { "2026-01-11": "bleu", "2026-01-12": "blanc", "2026-01-13": "rouge", "2026-01-14": "bleu" },
      configs: [{ ...HOUSE, rules: RULES, outputs: { list: [BOILER] } }],
      happenings: [
        ["09:50", START],
        ["10:00", look("before the announcement")],
        ["13:00", look("announced")],
        ["30:01", look("it has begun")],
        ["38:00", sendsCommand("simulation", '{"color":"bleu","for":"40m"}')],
        ["38:10", look("a colour is pretended in vain")],
        ["46:01", look("off-peak")],
      ],
    }),
    shows: ["calendar", "elements", "metrics", "state", "first look"],
    commands: {
      announced: ["show", "explain", "explain --json rouge_ahead", "day tomorrow", "season", "history"],
      "off-peak": ["show --json", "explain --pretend rouge:next", "check"],
    },
  },
];
