import type { HouseConfig, OutputText, RuleText } from "../scenario.ts";
import { KILL, START, STOP, scenarioOf, sendsCommand } from "../script.ts";
import { HOUSE, look, ROUGE_PEAK, type Scene } from "./scene.ts";

const ROUGE_AHEAD: RuleText = {
  id: "rouge_ahead",
  name: { fr: "Rouge annoncé ou en cours", en: "Rouge ahead or now" },
  when: {
    any: [
      { day: "next", color: "rouge", confidence: "threshold" },
      { day: "now", color: "rouge" },
    ],
  },
  threshold: 60,
};
const NAMED_ROUGE_PEAK: RuleText = {
  ...ROUGE_PEAK,
  name: { fr: "Heures pleines rouges", en: "Rouge peak hours" },
};
const WINTER: RuleText = {
  id: "winter",
  name: { fr: "Hiver", en: "Winter" },
  when: { month: ["nov", "dec", "jan", "feb", "mar"] },
};
const NAMED_BOILER: OutputText = {
  id: "ballon",
  name: { fr: "Ballon d’eau chaude", en: "Boiler" },
  topic: "ballon/set",
  choose: [{ when: "rouge_peak", payload: "off" }],
  else: "on",
};
const HEATING: OutputText = {
  id: "chauffage",
  name: { fr: "Chauffage", en: "Heating" },
  topic: "chauffage/set",
  choose: [{ when: "winter", payload: "19" }],
  else: "7",
};

function house(rules: RuleText[], list: OutputText[], more: object = {}): HouseConfig {
  return { ...HOUSE, ...more, rules, outputs: { list } };
}

function diskFor(minutes: number, fault: "fails" | "hangs") {
  return { kind: "disk", fault, for: minutes * 60 } as const;
}

function stateFile(from: "earlier" | "none") {
  return { kind: "state file", from } as const;
}

function others(topic: string, payload: string) {
  return { kind: "foreign", topic, payload } as const;
}

const OTHER_VIGIE = JSON.stringify({
  installation: "cave",
  incarnation: "cave1",
  host: "cave",
  version: "1.0.0",
  since: "2026-01-01T00:00:00Z",
  client_id: "vigie-cave",
});
const HOME_ASSISTANT_STOPS = { kind: "home assistant", payload: "offline" } as const;
const HOME_ASSISTANT_STARTS = { kind: "home assistant", payload: "online" } as const;

/** What is around vigie: Home Assistant, the broker, the disk, and houses with little in them. */
export const SCENES_OF_THE_HOUSE: readonly Scene[] = [
  {
    title: "Home Assistant, in French, then in English with fewer entities, and it restarts",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "10:31",
      configs: [
        house([ROUGE_AHEAD, NAMED_ROUGE_PEAK], [NAMED_BOILER]),
        house([NAMED_ROUGE_PEAK], [NAMED_BOILER], {
          homeassistant: { language: "en", exclude: ["now_slot", "season_start", "rules_rouge_peak_since"] },
        }),
      ],
      happenings: [
        ["10:00", START],
        ["10:02", HOME_ASSISTANT_STARTS],
        ["10:05", look("in French")],
        ["10:10", { kind: "edit", config: 1 }],
        ["10:15", look("in English, with fewer entities")],
        ["10:20", HOME_ASSISTANT_STOPS],
        ["10:21", look("Home Assistant is stopped")],
        ["10:22", HOME_ASSISTANT_STARTS],
        ["10:30", look("Home Assistant has restarted")],
      ],
    }),
    shows: ["discovery", "metrics"],
  },
  {
    title: "one discovery message for each entity below another prefix, then none",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "10:20",
      configs: [
        house([WINTER], []),
        house([WINTER], [], { homeassistant: { discovery: "components", prefix: "ha" } }),
        house([WINTER], [], { homeassistant: { discovery: "off" } }),
      ],
      happenings: [
        ["10:00", START],
        ["10:02", { kind: "edit", config: 1 }],
        ["10:05", look("a message for each entity")],
        ["10:10", { kind: "edit", config: 2 }],
        ["10:15", look("no discovery")],
      ],
    }),
    shows: ["discovery"],
  },
  {
    title: "an old broker, which loses what it holds, and vigie is stopped",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "11:05",
      oldBroker: true,
      configs: [house([WINTER], [HEATING])],
      happenings: [
        ["10:00", START],
        ["10:05", look("no topic expires")],
        ["10:10", others("vigie/now/color", "bleu")],
        ["10:10", others("vigie/ancien", "42")],
        ["10:11", sendsCommand("rules/winter/enabled", "OFF")],
        ["10:25", look("others have written below the base topic")],
        ["10:30", { kind: "broker", how: "killed", for: 120, retained: "lost" }],
        ["10:45", look("the broker is back, and held nothing")],
        ["10:50", STOP],
        ["11:02", look("stopped")],
      ],
    }),
    commands: { stopped: ["show"] },
  },
  {
    title: "others write below the base topic, and the broker refuses a topic",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "11:10",
      configs: [house([WINTER], [HEATING])],
      happenings: [
        ["10:00", START],
        ["10:05", others("vigie/now/color", "bleu")],
        ["10:05", others("vigie/ancien", "42")],
        ["10:05", others("vigie/cave/owner", OTHER_VIGIE)],
        ["10:05", others("vigie/cave/now/color", "rouge")],
        ["10:10", look("others have written")],
        ["10:14", { kind: "refuse", topic: "vigie/rules/winter/enabled", for: 1_200 }],
        ["10:15", sendsCommand("rules/winter/enabled", "OFF")],
        ["10:20", look("a topic is refused")],
        ["10:38", look("it is not refused any more")],
        ["10:40", { kind: "refuse", topic: "chauffage/set", for: 900 }],
        ["10:41", sendsCommand("rules/winter/enabled", "ON")],
        ["10:50", look("the topic of a device is refused")],
        ["11:08", look("nothing is refused any more")],
      ],
    }),
  },
  {
    title: "a colour is pretended for the next day, over six o’clock, until its time is over",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "04:50",
      to: "08:10",
      colors: { "2026-01-11": "bleu", "2026-01-12": "bleu", "2026-01-13": "blanc" },
      configs: [house([ROUGE_AHEAD, NAMED_ROUGE_PEAK], [NAMED_BOILER])],
      happenings: [
        ["04:50", START],
        ["04:55", sendsCommand("simulation", '{"color":"rouge","from":"next","for":"3h"}')],
        ["05:00", look("the next day is pretended")],
        ["06:10", look("it is in force")],
        ["08:00", look("the time is over")],
      ],
    }),
    shows: ["calendar", "metrics"],
    commands: { "the next day is pretended": ["show", "explain"], "it is in force": ["show"] },
  },
  {
    title: "a colour is pretended for an hour before six o’clock, and ends with its day",
    scenario: scenarioOf({
      date: "2026-01-13",
      from: "05:20",
      to: "06:10",
      colors: { "2026-01-12": "bleu", "2026-01-13": "bleu" },
      configs: [house([ROUGE_AHEAD], [])],
      happenings: [
        ["05:20", START],
        ["05:25", sendsCommand("simulation", "rouge")],
        ["05:30", look("pretended")],
        ["06:05", look("its day is over")],
      ],
    }),
  },
  {
    title: "a colour is pretended for today, with dry outputs, and ended by hand",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "11:35",
      colors: { "2026-01-12": "bleu", "2026-01-13": "rouge" },
      configs: [
        {
          ...HOUSE,
          rules: [NAMED_ROUGE_PEAK],
          outputs: { dry_when_simulated: true, list: [NAMED_BOILER] },
        },
      ],
      happenings: [
        ["10:00", START],
        ["10:05", sendsCommand("simulation", "Rouge")],
        ["10:06", sendsCommand("simulation", "vert")],
        ["10:10", look("today is pretended")],
        ["10:15", sendsCommand("simulation", "auto")],
        ["10:20", look("ended by hand")],
        ["11:25", sendsCommand("simulation", "blanc:next")],
        ["11:30", look("an announced rouge day is not hidden")],
      ],
    }),
    commands: { "today is pretended": ["explain", "show"] },
  },
  {
    title: "a disk that fails, and one that hangs",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "11:20",
      configs: [house([WINTER, ROUGE_AHEAD], [HEATING])],
      happenings: [
        ["10:00", START],
        ["10:10", diskFor(20, "fails")],
        ["10:12", sendsCommand("rules/winter/enabled", "OFF")],
        ["10:15", look("it fails")],
        ["10:35", look("it works again")],
        ["10:40", diskFor(20, "hangs")],
        ["10:41", sendsCommand("rules/winter/enabled", "ON")],
        ["10:50", look("it hangs")],
        ["11:10", look("it has ended its write")],
      ],
    }),
    shows: ["metrics"],
  },
  {
    title: "a kill, an earlier state file, and none",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "11:20",
      configs: [house([WINTER, ROUGE_AHEAD], [HEATING])],
      happenings: [
        ["10:00", START],
        ["10:05", sendsCommand("rules/rouge_ahead/threshold", "85")],
        ["10:10", sendsCommand("rules/winter/enabled", "OFF")],
        ["10:20", KILL],
        ["10:25", START],
        ["10:30", look("after a kill")],
        // What the earlier file does not have.
        ["10:38", sendsCommand("rules/winter/enabled", "ON")],
        ["10:39", sendsCommand("rules/rouge_ahead/threshold", "90")],
        ["10:40", STOP],
        ["10:41", stateFile("earlier")],
        ["10:42", START],
        ["10:50", look("with an earlier state file")],
        ["11:00", STOP],
        ["11:01", stateFile("none")],
        ["11:02", START],
        ["11:10", look("with none")],
      ],
    }),
    shows: ["metrics"],
  },
  {
    title: "a house without a service, rules, outputs and discovery",
    scenario: scenarioOf({
      date: "2026-12-07",
      from: "10:00",
      to: "10:20",
      configs: [house([], [], { service: { base_url: "none" }, homeassistant: { discovery: "off" } })],
      happenings: [
        ["10:00", START],
        ["10:10", look("ten minutes after the start")],
      ],
    }),
    shows: ["elements", "metrics", "state"],
    commands: { "ten minutes after the start": ["show", "explain", "check"] },
  },
  {
    title: "a house that begins on the simulator, with its own broker",
    scenario: scenarioOf({
      date: "2026-01-12",
      from: "10:00",
      to: "10:20",
      configs: [
        {
          service: { base_url: "simulator", allow_simulator: true },
          mqtt: HOUSE.mqtt,
          rules: [ROUGE_AHEAD, NAMED_ROUGE_PEAK],
          // As the embedded broker has it: a household has no embedded one.
          outputs: { list: [{ ...NAMED_BOILER, topic: "first_look/boiler/set" }] },
        },
      ],
      happenings: [
        ["10:00", START],
        ["10:10", look("ten minutes after the start")],
        ["10:15", STOP],
      ],
    }),
    shows: ["calendar", "first look", "metrics"],
    commands: { "ten minutes after the start": ["show", "check"] },
  },
];
