import type { HouseConfig, ScriptEvent } from "../scenario.ts";
import {
  DEVICE,
  type Found,
  GUESTS,
  GUESTS_ON,
  HOUSE,
  houseWith,
  KEPT_DEVICE,
  NIGHT,
  ONLINE,
  PEAK,
  QUIET_HOUSE,
  QUIET_MORNING,
  RELAY,
  REPORTING,
  REPORTING_ONLINE,
  ROUGE_AHEAD,
  valueAt,
  valuesAt,
} from "./shared.ts";

const SLOWLY_CONFIRMED: HouseConfig = houseWith(PEAK, {
  ...DEVICE,
  confirm: { topic: "device1/state", every: "20s" },
});

/** The broker answers late. */
export const SLOW_BROKER: readonly Found[] = [
  {
    what: "a judge that takes a telling that a slow broker delayed for one that came ten minutes before the next",
    scenario: {
      ...QUIET_HOUSE,
      seed: 711000077,
      from: "2026-02-02T02:00:00Z",
      configs: [{ ...HOUSE, rules: [NIGHT], outputs: { list: [KEPT_DEVICE] } }],
      devices: [{ ...REPORTING, manner: "is switched back" }],
      events: [
        { at: 1, kind: "start" },
        { at: 900, kind: "latency", milliseconds: 3_000, for: 700 },
      ],
    },
  },
  ...[400, 3_000].map(
    (milliseconds): Found => ({
      what: `a choice begins again sooner than a broker with a latency of ${milliseconds} ms hears that it has ended`,
      scenario: {
        ...QUIET_HOUSE,
        length: 600,
        seed: 3,
        from: "2026-01-05T10:00:00Z",
        configs: [houseWith(GUESTS, { topic: "device1/set", choose: [GUESTS_ON] })],
        events: [
          { at: 1, kind: "start" },
          { at: 60, kind: "latency", milliseconds, for: 300 },
          chatterAt(100, 0.3),
          chatterAt(160, 0.02),
        ],
      },
    }),
  ),
  {
    what: "a judge that calls events too many in ten seconds, though a slow broker only took them one after the other",
    scenario: {
      ...QUIET_HOUSE,
      length: 800,
      seed: 112,
      from: "2026-01-05T20:50:00Z",
      configs: [{ ...HOUSE, rules: [GUESTS], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 318, kind: "latency", milliseconds: 3_000, for: 61 },
        chatterAt(338, 0.3),
        chatterAt(346, 0.3),
        chatterAt(362, 0.3),
      ],
    },
  },
  {
    what: "a judge that mistakes the connection of a reload, which a slow broker delays, for one after an outage",
    scenario: {
      ...RELAY,
      ...QUIET_HOUSE,
      length: 1_300,
      devices: RELAY.devices,
      configs: RELAY.configs.flatMap((config) => [
        { ...config, homeassistant: { discovery: "components" } },
        { ...config, homeassistant: { discovery: "components" }, rules: [...config.rules, PEAK] },
      ]),
      events: [
        { at: 1, kind: "start" },
        { at: 400, kind: "latency", milliseconds: 3_000, for: 600 },
        { at: 530, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "a judge that expects on a topic what began a hold, though a slow broker never got it",
    scenario: {
      ...QUIET_HOUSE,
      oldBroker: true,
      length: 1_100,
      seed: 1,
      from: "2026-01-05T21:10:00Z",
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS, { id: "held", when: { all: [{ rule: "guests" }, { period: "hc" }] }, hold: "5m" }],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(20, "guests"),
        valueAt(333.9, "home"),
        { at: 583.9, kind: "latency", milliseconds: 3_000, for: 80 },
        valuesAt(603.9, {
          every: 0.3,
          for: 45,
          words: ["home", "home", "home", "home", "home", "home", "home", "guests"],
        }),
        valueAt(649.9, "home"),
        { at: 943.9, kind: "quiet" },
        { at: 1_000, kind: "quiet" },
      ],
    },
  },
  {
    what: "a slow broker that refuses MQTT 5 first keeps a start from being online in a minute and a half",
    scenario: {
      ...QUIET_MORNING,
      oldBroker: true,
      length: 1_500,
      configs: [
        {
          ...HOUSE,
          rules: [1, 2, 3, 4, 5, 6].map((number) => ({ id: `rule${number}`, when: { period: "hp" } })),
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "latency", milliseconds: 3_000, for: 700 },
        { at: 700, kind: "stop" },
        { at: 720, kind: "start" },
      ],
    },
  },
  {
    what: "while a reload waits for a slow broker, the days that it has learnt are missing",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T22:40:00Z",
      configs: [{ ...HOUSE, rules: [ROUGE_AHEAD], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "latency", milliseconds: 3_000, for: 2_400 },
        { at: 1_570, kind: "reload" },
      ],
    },
  },
  {
    what: "a vigie whose state file is gone asks a slow broker first who owns the topics, and is not online in two minutes",
    scenario: {
      ...QUIET_MORNING,
      oldBroker: true,
      length: 1_500,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "latency", milliseconds: 3_000, for: 700 },
        { at: 700, kind: "stop" },
        { at: 710, kind: "state file", from: "none" },
        { at: 720, kind: "start" },
      ],
    },
  },
  {
    what: "a stop at a slow old broker takes longer than five seconds",
    scenario: {
      ...QUIET_HOUSE,
      oldBroker: true,
      length: 800,
      seed: 1,
      from: "2026-01-05T20:50:00Z",
      configs: [SLOWLY_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "latency", milliseconds: 3_000, for: 400 },
        { at: 408, kind: "stop" },
        { at: 414, kind: "start" },
      ],
    },
  },
  {
    what: "a turn of a rule waits until a slow broker has answered, and is on its topic later than foretold",
    scenario: {
      ...QUIET_HOUSE,
      oldBroker: true,
      length: 800,
      seed: 1,
      from: "2026-01-05T20:50:00Z",
      configs: [SLOWLY_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "latency", milliseconds: 3_000, for: 400 },
        { at: 420, kind: "stop" },
        { at: 426, kind: "start" },
      ],
    },
  },
  {
    what: "while reports go on arriving at a slow broker, one of them counts as held from before for minutes",
    scenario: {
      ...QUIET_MORNING,
      length: 1_300,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          topic: "device1/set",
          choose: [GUESTS_ON],
          else: "p2",
          confirm: { topic: "device1/state" },
        }),
      ],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        { at: 500, kind: "latency", milliseconds: 3_000, for: 700 },
        { at: 600, kind: "reload" },
        valuesAt(610, { every: 20, for: 300, words: ["guests", "home"] }),
      ],
    },
  },
  {
    what: "that a device is there is known from a slow broker only after it has confirmed what it was sent meanwhile",
    scenario: {
      ...QUIET_MORNING,
      length: 800,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set?turn={payload}",
          choose: [GUESTS_ON],
          else: "p2",
          confirm: {
            url: "http://192.0.2.40/device1/state",
            online: ONLINE,
          },
        }),
      ],
      devices: [
        {
          id: "device1",
          path: undefined,
          manner: "obeys",
          words: {},
          online: { topic: "device1/online", there: "online", gone: "offline" },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(100, "guests"),
        valueAt(200, "home"),
        { at: 500, kind: "latency", milliseconds: 3_000, for: 700 },
        { at: 600, kind: "kill", steps: 0 },
        { at: 611, kind: "start" },
        valueAt(700, "guests"),
      ],
    },
  },
  {
    what: "a slow broker that holds much says late that a device is there, which is told again only then",
    scenario: {
      ...QUIET_MORNING,
      length: 1_100,
      configs: [
        {
          ...HOUSE,
          rules: [PEAK, GUESTS],
          outputs: {
            list: [
              {
                id: "device1",
                topic: "device1/set",
                choose: [{ when: "peak", payload: "p1" }],
                confirm: {
                  topic: "device1/state",
                  online: ONLINE,
                },
              },
              {
                id: "device5",
                topic: "device5/set",
                choose: [GUESTS_ON],
                else: "p2",
                confirm: { topic: "device5/state" },
              },
            ],
          },
        },
      ],
      devices: [
        REPORTING_ONLINE,
        { ...REPORTING, id: "device5", manner: "flaps", report: { topic: "device5/state", retain: true } },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 500, kind: "latency", milliseconds: 3_000, for: 500 },
        { at: 600, kind: "connection lost" },
        valuesAt(610, { every: 35, for: 300, words: ["guests", "home"] }),
      ],
    },
  },
  {
    what: "a value turns a rule again and again, and a slow broker gets what follows late",
    scenario: {
      ...QUIET_MORNING,
      length: 14_400,
      configs: [
        houseWith(GUESTS, {
          topic: "device1/set",
          choose: [GUESTS_ON],
          else: "p2",
          confirm: { topic: "device1/state", every: "5s", for: "1h", keep: true },
        }),
      ],
      devices: [{ ...REPORTING, manner: "is switched back" }],
      events: [
        { at: 1, kind: "start" },
        valuesAt(60, { every: 120, for: 14_000, words: ["home", "away", "guests"] }),
        { at: 600, kind: "latency", milliseconds: 400, for: 13_000 },
      ],
    },
  },
  {
    what: "a judge takes the payload that a slow broker gets at a new connection for the repetition of it",
    scenario: {
      ...QUIET_MORNING,
      seed: 464875373,
      length: 900,
      configs: [houseWith(PEAK, { ...DEVICE, confirm: { topic: "device1/state", keep: true } })],
      devices: [{ ...REPORTING, report: { topic: "device1/state", retain: false } }],
      events: [
        { at: 1, kind: "start" },
        { at: 120, kind: "kill", steps: 0 },
        { at: 130, kind: "state file", from: "none" },
        { at: 400, kind: "start" },
        { at: 402, kind: "latency", milliseconds: 20, for: 400 },
      ],
    },
  },
  {
    what: "a judge reads the price of the hour before, as a slow broker has not got the one in force",
    scenario: {
      ...QUIET_MORNING,
      seed: 350728565,
      from: "2025-12-03T00:46:00Z",
      length: 72_960,
      history: 3,
      dearer: { from: "2025-12-06", by: 0.2 },
      configs: [
        {
          service: {
            base_url: "https://service.example",
            poll: { every: "15m", announcement: { between: ["06:30", "12:00"], every: "15m" } },
          },
          official: { source: "off" },
          mqtt: { url: "mqtt://192.0.2.1", base_topic: "tempo" },
          homeassistant: { discovery: "components", exclude: ["season_left_rouge", "rules_rule1_since"] },
          rules: [
            {
              id: "rule1",
              when: {
                day: "next",
                color: "rouge",
                confidence: "threshold",
                stage: ["forecast", "announced"],
              },
              threshold: 86,
            },
          ],
          outputs: {
            list: [
              {
                id: "device8",
                url: "http://192.0.2.40/device8/set",
                choose: [{ when: "rule1", payload: "p1" }],
                confirm: { topic: "device8/state" },
              },
            ],
          },
        },
      ],
      devices: [
        {
          id: "device8",
          path: "state.output",
          manner: "obeys",
          words: {},
          report: { topic: "device8/state", retain: true },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 59899, kind: "broker", how: "killed", for: 60, retained: "lost" },
        { at: 64538, kind: "latency", milliseconds: 3000, for: 10800 },
      ],
    },
  },
];

/** A value changes its mind again and again for some seconds. */
function chatterAt(at: number, every: number): ScriptEvent {
  return valuesAt(at, { every, for: 11, words: ["home", "away", "guests", "home", "guests", "guests"] });
}
