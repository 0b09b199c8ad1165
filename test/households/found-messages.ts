import type { Found } from "./found/shared.ts";
import type { HouseConfig, ScriptEvent } from "./scenario.ts";

const HOUSE = {
  service: { base_url: "https://service.example" },
  mqtt: { url: "mqtt://192.0.2.1" },
};
const SHARED = { seed: 1, trouble: 0, history: 3, oldBroker: false, devices: [] };
const SERVICE = "https://phone.example";
const PHONE = { id: "phone", url: `${SERVICE}/phone/set`, message: true } as const;

function ruleOf(word: string) {
  return { id: word, when: { mqtt: { topic: "house/value1", equals: word } } };
}

function valueAt(at: number, payload: string): ScriptEvent {
  return { at, kind: "report", topic: "house/value1", payload, retain: true };
}

/** Nobody knows whether a message has arrived, and vigie is reloaded, stopped and killed between its tries. */
const TRIED: HouseConfig = {
  ...HOUSE,
  rules: [ruleOf("guests")],
  outputs: { list: [{ ...PHONE, choose: [{ when: "guests", payload: "m1" }] }] },
};

/** One choice follows the other, and on a bleu day somebody pretends a rouge day. */
const CHANGING: HouseConfig = {
  ...HOUSE,
  rules: [ruleOf("guests"), ruleOf("home"), { id: "rouge", when: { day: "today", color: "rouge" } }],
  outputs: {
    list: [
      {
        ...PHONE,
        choose: [
          { when: "guests", payload: "m1" },
          { when: "home", payload: "m2" },
        ],
      },
      { id: "board", topic: "board/set", message: true, choose: [{ when: "rouge", payload: "m3" }] },
    ],
  },
};

export const FOUND_IN_MESSAGES: readonly Found[] = [
  {
    what: "a reload, a restart or a kill brings the next try of a message nearer that may have arrived",
    scenario: {
      ...SHARED,
      from: "2026-01-05T07:00:00Z",
      length: 7_200,
      configs: [TRIED],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "web", host: SERVICE, fault: { kind: "closes after" }, for: 7_000 },
        valueAt(60, "guests"),
        { at: 120, kind: "reload" },
        { at: 400, kind: "stop" },
        { at: 420, kind: "start" },
        { at: 1_000, kind: "kill", steps: 0 },
        { at: 1_010, kind: "start" },
      ],
    },
  },
  {
    what: "a message is not sent, though its choice follows another one, or is not marked, though a colour is pretended",
    scenario: {
      ...SHARED,
      from: "2026-01-05T07:00:00Z",
      length: 3_600,
      colors: { "2026-01-05": "bleu" },
      configs: [CHANGING],
      events: [
        { at: 1, kind: "start" },
        ...["guests", "home", "guests"].map((word, index) => valueAt(600 * (index + 1), word)),
        { at: 2_420, kind: "command", topic: "vigie/simulation/set", payload: "rouge" },
        { at: 3_000, kind: "command", topic: "vigie/simulation/set", payload: "auto" },
      ],
    },
  },
];
