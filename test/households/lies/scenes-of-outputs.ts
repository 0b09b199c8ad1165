import { HOUSE } from "../found/shared.ts";
import type { Device, HouseConfig, OutputText, Scenario, ScriptEvent, WebFault } from "../scenario.ts";

const PLAIN = { seed: 1, trouble: 0, history: 3, oldBroker: false };

/** Seconds, as in a script. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;

const EVENING = { id: "evening", when: { between: ["15:30", "18:30"] } };
const ALWAYS = { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } };
const ON_EVENING = { choose: [{ when: "evening", payload: "off" }], else: "on" } as const;
const ON_EVENING_OVER_HTTP = {
  choose: [{ when: "evening", payload: "off", expect: "is 1" }],
  else: { payload: "on", expect: "is 2" },
} as const;

const DEVICES: HouseConfig = {
  ...HOUSE,
  rules: [EVENING, ALWAYS],
  outputs: {
    list: [
      {
        ...overMqtt("device1"),
        confirm: {
          topic: "device1/state",
          keep: true,
          online: { topic: "device1/online", equals: "online" },
        },
      },
      { ...overMqtt("device2"), confirm: { topic: "device2/state", for: "10m" } },
      {
        ...overHttp("device3", "http://192.0.2.40"),
        ...ON_EVENING_OVER_HTTP,
        confirm: { url: "http://192.0.2.40/device3/state", keep: true },
      },
      {
        id: "device4",
        topic: "device4/set",
        choose: [
          { when: "evening", payload: "p1" },
          { when: "always", payload: "p2" },
        ],
      },
      overHttp("device5", "http://192.0.2.43"),
      { ...overMqtt("device6"), confirm: { topic: "device6/state" } },
      { ...overMqtt("device7"), confirm: { topic: "device7/state", keep: true } },
      {
        ...overHttp("device8", "http://192.0.2.42"),
        ...ON_EVENING_OVER_HTTP,
        confirm: { url: "http://192.0.2.42/device8/state" },
      },
      {
        id: "device9",
        topic: "device9/set",
        choose: [{ when: "evening", payload: "off" }],
        confirm: { topic: "device9/state" },
      },
      {
        ...overHttp("device10", "http://192.0.2.40"),
        ...ON_EVENING_OVER_HTTP,
        confirm: { url: "http://192.0.2.40/device10/state" },
      },
      keptOverBoth("device11", "http://192.0.2.44"),
      keptOverBoth("device12", "http://192.0.2.45"),
    ],
  },
};

function overMqtt(id: string): OutputText {
  return { id, topic: `${id}/set`, ...ON_EVENING };
}

function overHttp(id: string, host: string): OutputText {
  return { id, url: `${host}/${id}/set?turn={payload}`, ...ON_EVENING };
}

/** It is told over HTTP, and reports over MQTT. */
function keptOverBoth(id: string, host: string): OutputText {
  return { ...overHttp(id, host), confirm: { topic: `${id}/state`, keep: true } };
}

function reporting(id: string): Device {
  return { id, path: undefined, manner: "obeys", words: {}, report: { topic: `${id}/state`, retain: true } };
}

/** It says what it does only when it is asked. */
function answering(id: string): Device {
  return { id, path: undefined, manner: "obeys", words: { off: "is 1", on: "is 2" } };
}

const MESSAGES: HouseConfig = {
  ...HOUSE,
  rules: [
    { id: "today", when: { all: [{ day: "today", confidence: 0 }, { between: ["21:10", "20:50"] }] } },
    { id: "night", when: { between: ["21:30", "02:00"] } },
    { id: "rouge", when: { day: "now", color: "rouge" } },
    ...[1, 2].flatMap((value) =>
      ["home", "guests"].map((word) => ({
        id: `${word}${value}`,
        when: { mqtt: { topic: `house/value${value}`, equals: word } },
      })),
    ),
  ],
  outputs: {
    list: [
      message("phone1", "https://phone.example", { today: "it is {today.date}" }),
      message("phone2", "https://phone.example", { home1: "home in {now.period}", guests1: "guests" }),
      message("phone3", "https://deaf.example", { night: "night" }),
      message("phone4", "https://gone.example", { night: "night" }),
      message("phone5", "https://phone.example", { rouge: "rouge" }),
      message("phone6", "https://phone.example", { home2: "home", guests2: "guests" }),
    ],
  },
};

function message(id: string, host: string, texts: Readonly<Record<string, string>>): OutputText {
  const choose = Object.entries(texts).map(([when, payload]) => ({ when, payload }));
  return { id, url: `${host}/${id}/set?id={id}`, message: true, choose };
}

function webFault(at: number, host: string, fault: WebFault, seconds: number): ScriptEvent {
  return { at, kind: "web", host, fault, for: seconds };
}

function reported(at: number, device: string, payload: string): ScriptEvent {
  return { at, kind: "report", topic: `${device}/state`, payload, retain: false };
}

function said(at: number, topic: string, payload: string): ScriptEvent {
  return { at, kind: "report", topic, payload, retain: true };
}

/**
 * Devices of each kind that do what random ones seldom do: from 15:30 to 18:30 in Paris a choice is in force, before it nothing, and
 * `else` after it.
 */
export const EVENING_OF_DEVICES: Scenario = {
  ...PLAIN,
  from: "2026-01-05T14:00:00Z",
  length: 5 * HOUR,
  configs: [DEVICES],
  devices: [
    { ...reporting("device1"), online: { topic: "device1/online", there: "online", gone: "offline" } },
    { ...reporting("device2"), manner: "ignores" },
    answering("device3"),
    reporting("device6"),
    { ...reporting("device7"), manner: "is switched back" },
    answering("device8"),
    { ...reporting("device9"), report: { topic: "device9/state", retain: false } },
    answering("device10"),
  ],
  events: [
    { at: 1, kind: "start" },
    { at: 20 * MINUTE, kind: "quiet" },
    webFault(28 * MINUTE, "http://192.0.2.42", { kind: "hangs", seconds: null }, HOUR),
    webFault(28 * MINUTE, "http://192.0.2.43", { kind: "refuses" }, 5 * MINUTE),
    ...["device11", "device12"].flatMap((device) => [
      reported(33 * MINUTE, device, "off"),
      reported(35 * MINUTE, device, "on"),
    ]),
    webFault(34 * MINUTE, "http://192.0.2.44", { kind: "hangs", seconds: null }, HOUR),
    webFault(34 * MINUTE, "http://192.0.2.45", { kind: "refuses" }, 4 * MINUTE),
    reported(40 * MINUTE, "device12", "off"),
    reported(42 * MINUTE, "device12", "on"),
    { at: 50 * MINUTE, kind: "press", device: "device1" },
    { at: 55 * MINUTE, kind: "press", device: "device3" },
    { at: HOUR, kind: "press", device: "device6" },
    { at: 62 * MINUTE, kind: "press", device: "device9" },
    { at: 70 * MINUTE, kind: "broker", how: "killed", for: 30, retained: "kept" },
    { at: 80 * MINUTE, kind: "quiet" },
    { at: 85 * MINUTE, kind: "power", device: "device1", for: 7 * MINUTE, back: "online" },
    reported(100 * MINUTE, "device11", "off"),
    { at: 105 * MINUTE, kind: "quiet" },
    { at: 110 * MINUTE, kind: "power", device: "device1", for: 80 * MINUTE, back: "report" },
    { at: 130 * MINUTE, kind: "quiet" },
    { at: 135 * MINUTE, kind: "reload" },
    { at: 160 * MINUTE, kind: "quiet" },
    webFault(164 * MINUTE, "http://192.0.2.44", { kind: "status", status: 503, retryAfter: 300 }, 3 * MINUTE),
    reported(165 * MINUTE, "device11", "on"),
    { at: 200 * MINUTE, kind: "quiet" },
    webFault(205 * MINUTE, "http://192.0.2.43", { kind: "status", status: 404 }, 30 * MINUTE),
    webFault(215 * MINUTE, "http://192.0.2.40", { kind: "is unreachable" }, 40 * MINUTE),
    { at: 295 * MINUTE, kind: "quiet" },
  ],
};

/** Messages to people, from 21:00 to 07:00 in Paris: random households seldom send some. */
export const NIGHT_OF_MESSAGES: Scenario = {
  ...PLAIN,
  devices: [],
  from: "2026-01-05T20:00:00Z",
  length: 10 * HOUR,
  colors: { "2026-01-05": "bleu", "2026-01-06": "blanc", "2026-01-07": "bleu" },
  configs: [MESSAGES],
  events: [
    { at: 1, kind: "start" },
    webFault(20 * MINUTE, "https://deaf.example", { kind: "closes after" }, 4 * HOUR),
    webFault(20 * MINUTE, "https://gone.example", { kind: "refuses" }, 25 * MINUTE),
    said(30 * MINUTE, "house/value1", "home"),
    said(90 * MINUTE, "house/value1", "guests"),
    { at: 150 * MINUTE, kind: "quiet" },
    webFault(179 * MINUTE, "https://phone.example", { kind: "refuses" }, 6 * MINUTE),
    ...[0, 4, 8, 12, 16, 20, 24, 28].map((minute, index) =>
      said((200 + minute) * MINUTE, "house/value2", index % 2 === 0 ? "home" : "guests"),
    ),
    { at: 262 * MINUTE + 10, kind: "command", topic: "vigie/simulation/set", payload: "rouge" },
    said(340 * MINUTE, "house/value1", "home"),
    { at: 10 * HOUR - 1, kind: "quiet" },
  ],
};
