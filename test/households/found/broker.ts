import type { HouseConfig, ScriptEvent } from "../scenario.ts";
import {
  eachMinute,
  FLAPPING,
  type Found,
  flappingFor,
  GUESTS,
  GUESTS_CONFIRMED,
  GUESTS_ON,
  GUESTS_ONLINE,
  HOUSE,
  houseWith,
  QUIET_HOUSE,
  QUIET_MORNING,
  REPORTING_ONLINE,
  valueAt,
} from "./shared.ts";

/** A heater over HTTP that follows whether somebody is home, and is told something else if nobody knows. */
const heaterOf = (when: object): HouseConfig => ({
  ...HOUSE,
  rules: [{ id: "home", when: { mqtt: { topic: "house/value1", equals: "home", ...when } } }],
  outputs: {
    list: [
      {
        id: "device1",
        url: "http://192.0.2.40/device1/set?turn={payload}",
        choose: [{ when: "home", payload: "20" }],
        unknown: "17",
        else: "15",
      },
    ],
  },
});

/** Somebody is home; then the broker is away for half an hour, and vigie starts meanwhile. */
const STARTED_ALONE: ScriptEvent[] = [
  { at: 1, kind: "start" },
  valueAt(60, "home"),
  { at: 600, kind: "broker", how: "killed", for: 1_620, retained: "kept" },
  { at: 605, kind: "stop" },
  { at: 620, kind: "start" },
];

/** The broker is away, loses connections or refuses messages. */
export const BROKER: readonly Found[] = [
  {
    what: "a device that never answers is never failed, because the connection is lost each minute",
    scenario: {
      ...QUIET_HOUSE,
      length: 700,
      seed: 10,
      from: "2025-11-29T10:44:00Z",
      configs: [flappingFor("3m")],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        ...eachMinute(70, 8),
        { at: 610, kind: "quiet" },
      ],
    },
  },
  {
    what: "a broker that ends the connection at a topic is sent to it at each connection, and no other device hears anything",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_200,
      seed: 9,
      from: "2025-11-29T10:44:00Z",
      configs: [
        {
          ...FLAPPING,
          outputs: {
            list: [
              { topic: "device1/set", choose: [GUESTS_ON] },
              { topic: "device2/set", choose: [GUESTS_ON] },
            ],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "refuse", topic: "device1/set", ends: true, for: 1_100 },
        valueAt(60, "guests"),
      ],
    },
  },
  {
    what: "a device over HTTP follows a value that is older than its max_age, as vigie started while the broker was away",
    scenario: {
      ...QUIET_HOUSE,
      seed: 4,
      from: "2026-01-23T12:00:00Z",
      configs: [heaterOf({ max_age: "20m" })],
      events: STARTED_ALONE,
    },
  },
  {
    what: "a value without max_age counts for longer than 15 min, as vigie started while the broker was away",
    scenario: {
      ...QUIET_HOUSE,
      seed: 5,
      from: "2026-01-23T12:00:00Z",
      configs: [heaterOf({})],
      events: STARTED_ALONE,
    },
  },
  ...[
    { topic: "device1/set", choose: [{ when: "outside", payload: "p1" }] },
    {
      id: "device1",
      url: "http://192.0.2.40/device1/set?turn={payload}",
      choose: [{ when: "outside", payload: "p1" }],
    },
  ].map(
    (output): Found => ({
      what: `a choice ends and begins again while the broker is away (${output.id ?? output.topic})`,
      scenario: {
        ...QUIET_HOUSE,
        length: 4_000,
        seed: 1,
        // Its quarter of an hour begins at 12:00 in Paris.
        from: "2026-01-05T10:45:00Z",
        configs: [
          {
            ...HOUSE,
            rules: [{ id: "outside", when: { not: { between: ["12:00", "12:15"] } } }],
            outputs: { list: [output] },
          },
        ],
        events: [
          { at: 1, kind: "start" },
          { at: 600, kind: "broker", how: "killed", for: 1_800, retained: "kept" },
        ],
      },
    }),
  ),
  {
    what: "a device is away again within five minutes, on another connection",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [GUESTS_ONLINE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 200, kind: "power", device: "device1", for: 20, back: "report", keeps: true },
        { at: 240, kind: "connection lost" },
        { at: 280, kind: "power", device: "device1", for: 300, back: "report", keeps: true },
      ],
    },
  },
  {
    what: "a broker refuses a message with QoS 0 in silence, and vigie repeats it as its device has not confirmed it",
    scenario: {
      ...QUIET_MORNING,
      length: 600,
      configs: ([1, 0] as const).map((qos) =>
        houseWith(GUESTS, {
          topic: "device1/set",
          qos,
          choose: [GUESTS_ON],
          confirm: { topic: "device1/state", every: "20s", for: "10m" },
        }),
      ),
      events: [
        { at: 1, kind: "start" },
        { at: 50, kind: "refuse", topic: "device1/set", for: 200 },
        valueAt(60, "guests"),
        { at: 80, kind: "edit", config: 1 },
        { at: 590, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge demands a message that prepares Home Assistant for other discovery messages, and expires",
    scenario: {
      ...QUIET_MORNING,
      seed: 677232868,
      length: 900,
      configs: [GUESTS_CONFIRMED, { ...GUESTS_CONFIRMED, homeassistant: { discovery: "components" } }],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "edit", config: 1 },
      ],
    },
  },
];
