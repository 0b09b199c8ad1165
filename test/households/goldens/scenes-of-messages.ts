import type { HouseConfig, OutputText } from "../scenario.ts";
import { publishes, START, scenarioOf, sendsCommand } from "../script.ts";
import {
  BOILER_DEVICE,
  CONFIRMED_BOILER,
  EARLY_ROUGE_PEAK,
  houseWith,
  ROUGE_MORNING,
} from "./rouge-morning.ts";
import { HOUSE, look, type Scene } from "./scene.ts";

const ROUGE_TOMORROW = { id: "rouge_tomorrow", when: { day: "next", color: "rouge", official: true } };

const CHOICES: Scene = {
  title: "a heating with several choices, and a display with what vigie knows of the days",
  scenario: scenarioOf({
    date: "2026-01-12",
    from: "20:50",
    to: "30:06",
    colors: { "2026-01-12": "blanc", "2026-01-13": "rouge", "2026-01-14": "bleu" },
    configs: [
      {
        ...HOUSE,
        homeassistant: { language: "fr" },
        rules: [
          EARLY_ROUGE_PEAK,
          ROUGE_TOMORROW,
          {
            id: "nobody_home",
            when: { mqtt: { topic: "home/presence", equals: "away", max_age: "30m" } },
          },
        ],
        outputs: {
          list: [
            {
              id: "heating",
              name: "Chauffage",
              topic: "heating/set",
              qos: 0,
              choose: [
                { when: "rouge_peak", payload: "17" },
                { when: "nobody_home", payload: "16" },
              ],
              else: "20",
              unknown: "19",
            },
            {
              id: "display",
              topic: "display/set",
              qos: 2,
              retain: true,
              choose: [
                {
                  when: "rouge_tomorrow",
                  payload: {
                    title: "{next.day} : {next.color}",
                    date: "{next.date}",
                    sure: "{next.confidence}",
                    now: { color: "{now.color}", period: "{now.period}", rate: "{now.rate}" },
                    rouge: ["{next_rouge.date}", "{next_rouge.day}", "{left.rouge}", "{remaining.rouge}"],
                    later: "{d2.color}, {d7.day}",
                  },
                },
                { when: "rouge_peak", payload: "{now.color} jusqu’à 22:00, puis {next.color}" },
              ],
              else: "--",
            },
          ],
        },
      },
    ],
    happenings: [
      ["20:50", START],
      ["20:52", publishes("home/presence", "home")],
      ["20:55", look("somebody is at home")],
      ["21:00", publishes("home/presence", "away")],
      ["21:05", look("nobody is at home")],
      ["21:35", look("nobody knows who is at home")],
      ["30:05", look("the rouge day has begun")],
    ],
  }),
  commands: {
    "nobody is at home": ["explain --pretend rouge:next"],
    "nobody knows who is at home": ["show"],
  },
};

const RELAY: OutputText = {
  id: "relay",
  topic: "relay/set",
  choose: [
    { when: "rouge_peak", payload: "off" },
    { when: "afternoon", payload: "eco" },
  ],
  else: "on",
};
const PHONE: OutputText = {
  id: "phone",
  topic: "phone/say",
  message: true,
  choose: [
    { when: "rouge_peak", payload: { title: "Tempo", message: "{now.day} : {now.color}" } },
    { when: "afternoon", payload: "Lave-linge jusqu’à 17:00" },
  ],
};

function simulatedHouse(dry_when_simulated: boolean): HouseConfig {
  return {
    ...HOUSE,
    rules: [EARLY_ROUGE_PEAK, { id: "afternoon", when: { between: ["14:30", "17:00"] } }],
    outputs: { dry_when_simulated, list: [RELAY, PHONE] },
  };
}

const SIMULATED: Scene = {
  title: "a rouge day is pretended, which devices are not told at first, and then are",
  scenario: scenarioOf({
    date: "2026-01-14",
    from: "14:00",
    to: "15:21",
    colors: { "2026-01-13": "blanc", "2026-01-14": "bleu", "2026-01-15": "bleu" },
    configs: [simulatedHouse(true), simulatedHouse(false)],
    happenings: [
      ["14:00", START],
      ["14:20", sendsCommand("simulation", '{"color":"rouge","for":"20m"}')],
      ["14:25", look("pretended and not told")],
      ["14:35", look("what is true changes while a colour is pretended")],
      ["14:42", look("the simulation has ended")],
      ["14:50", { kind: "edit", config: 1 }],
      ["15:00", sendsCommand("simulation", "rouge")],
      ["15:05", look("pretended and told")],
      ["15:10", sendsCommand("simulation", "auto")],
      ["15:20", look("the second simulation has ended")],
    ],
  }),
  commands: { "pretended and not told": ["show"] },
};

/** The second time is less than six hours after the first. */
const THREE_TIMES_A_DAY = {
  id: "three_times_a_day",
  when: {
    any: [{ between: ["10:00", "10:30"] }, { between: ["14:00", "14:30"] }, { between: ["20:00", "20:30"] }],
  },
};
const NTFY = "https://ntfy.example";
const MATRIX = "https://matrix.example";
const MESSAGES: Scene = {
  title: "messages of two rouge days, by services that do not answer and over MQTT",
  scenario: scenarioOf({
    date: "2026-01-12",
    from: "09:50",
    to: "34:41",
    colors: { "2026-01-12": "blanc", "2026-01-13": "rouge", "2026-01-14": "rouge", "2026-01-15": "bleu" },
    configs: [
      {
        ...HOUSE,
        rules: [ROUGE_TOMORROW, THREE_TIMES_A_DAY],
        outputs: {
          list: [
            {
              id: "ntfy",
              name: "Téléphone",
              url: `${NTFY}/ntfy/{secret}`,
              headers: { Title: "Tempo" },
              secret_file: "plain",
              message: true,
              choose: [{ when: "rouge_tomorrow", payload: "{next.day}: {next.color}" }],
            },
            {
              id: "matrix",
              url: `${MATRIX}/matrix/{id}`,
              method: "PUT",
              message: true,
              choose: [
                {
                  when: "rouge_tomorrow",
                  payload: { msgtype: "m.text", body: "{next.day}: {next.color}" },
                },
              ],
            },
            {
              topic: "screen/say",
              message: true,
              choose: [{ when: "rouge_tomorrow", payload: "{next.day}: {next.color}" }],
            },
            {
              topic: "kitchen/say",
              message: true,
              choose: [{ when: "three_times_a_day", payload: "Lancer une machine" }],
            },
          ],
        },
      },
    ],
    happenings: [
      ["09:50", START],
      ["09:51", { kind: "web", host: NTFY, fault: { kind: "hangs", seconds: null }, for: 16_800 }],
      ["09:51", { kind: "web", host: MATRIX, fault: { kind: "status", status: 502 }, for: 6_000 }],
      ["11:10", look("told over MQTT, and tried again over HTTP")],
      ["11:20", { kind: "reload" }],
      ["12:30", look("one is told late, one is given up")],
      ["34:40", look("a day after")],
    ],
  }),
  commands: { "one is told late, one is given up": ["show", "explain --pretend rouge:next"] },
};

/** One output, as its owner edits it. */
const HEATER = { id: "heater", choose: [{ when: "rouge_peak", payload: "eco" }], else: "comfort" };
const HEATER_BY_MQTT: OutputText = { ...HEATER, topic: "heater/set" };
const SAME_TOPIC_FOR_PEOPLE: OutputText = {
  id: "heater",
  topic: "heater/set",
  message: true,
  choose: [{ when: "rouge_peak", payload: "{now.color} jusqu’à 22:00" }],
};
const EDITED: Scene = {
  title: "an output gets another topic, becomes a message, is removed and is put back",
  scenario: scenarioOf({
    ...ROUGE_MORNING,
    to: "06:51",
    configs: [
      houseWith(CONFIRMED_BOILER, HEATER_BY_MQTT),
      houseWith(CONFIRMED_BOILER, { ...HEATER, topic: "bathroom/set" }),
      houseWith(CONFIRMED_BOILER, { ...HEATER, url: "http://192.0.2.50/heater/set?turn={payload}" }),
      houseWith(CONFIRMED_BOILER, SAME_TOPIC_FOR_PEOPLE),
      houseWith({ ...CONFIRMED_BOILER, confirm: { topic: "boiler/status", path: "relay", every: "4m" } }),
      houseWith(CONFIRMED_BOILER, HEATER_BY_MQTT),
    ],
    devices: [BOILER_DEVICE],
    happenings: [
      ["05:45", START],
      ["06:05", { kind: "edit", config: 1 }],
      ["06:08", look("another topic")],
      ["06:10", { kind: "edit", config: 2 }],
      ["06:13", look("an address")],
      ["06:15", { kind: "edit", config: 3 }],
      ["06:18", look("a message for people")],
      ["06:20", { kind: "edit", config: 4 }],
      ["06:23", look("removed, and the boiler is to be confirmed otherwise")],
      ["06:30", sendsCommand("rules/rouge_peak/enabled", "OFF")],
      ["06:40", { kind: "edit", config: 5 }],
      ["06:50", look("put back after the rule has ended")],
    ],
  }),
};

/** What an output sends to people, and what it sends of days. */
export const SCENES_OF_MESSAGES: readonly Scene[] = [CHOICES, SIMULATED, MESSAGES, EDITED];
