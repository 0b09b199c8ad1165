import type { ConfirmText, HouseConfig, ScriptEvent } from "../scenario.ts";
import {
  FLAPPING,
  type Found,
  GUESTS,
  GUESTS_CONFIRMED,
  GUESTS_ON,
  GUESTS_ONLINE,
  houseWith,
  KEPT_DEVICE,
  NIGHT,
  ONLINE,
  onGuests,
  PEAK,
  QUIET_HOUSE,
  QUIET_MORNING,
  RELAY,
  REPORTING,
  REPORTING_ONLINE,
  valueAt,
} from "./shared.ts";

/** A device is told over MQTT. */
export const DEVICES_OVER_MQTT: readonly Found[] = [
  {
    what: "a device that never obeyed is given up, because the broker held an old report of what it is to do",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_600,
      seed: 4,
      from: "2025-11-29T10:44:00Z",
      configs: [FLAPPING],
      events: [
        { at: 1, kind: "report", topic: "device1/state", payload: "p1", retain: true },
        { at: 5, kind: "start" },
        valueAt(60, "guests"),
        { at: 600, kind: "report", topic: "device1/state", payload: "p2", retain: false },
        { at: 1_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "after a start a device that never obeyed is told what its choice has not wanted for long",
    scenario: {
      ...QUIET_HOUSE,
      length: 5_700,
      seed: 1,
      from: "2026-01-05T04:00:00Z",
      configs: [atNight({ topic: "device1/state", for: "10m", online: ONLINE })],
      devices: [{ ...REPORTING_ONLINE, manner: "is silent" }],
      events: [
        { at: 1, kind: "start" },
        { at: 1_800, kind: "kill", steps: 0 },
        // The night has ended at 3600. Nobody tells vigie the time for 15 s.
        ...sourcesHang(3_900),
        { at: 4_000, kind: "start" },
        { at: 5_690, kind: "quiet" },
      ],
    },
  },
  {
    what: "after its machine was suspended vigie tells a device what its choice has not wanted for long",
    scenario: {
      ...QUIET_HOUSE,
      length: 9_100,
      seed: 1,
      from: "2026-01-05T04:00:00Z",
      configs: [atNight({ topic: "device1/state", online: ONLINE })],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        // The night ends at 3600, and the machine goes on at 9000: nobody tells vigie the time for 15 s then.
        { at: 1_800, kind: "suspend", for: 7_200 },
        ...sourcesHang(8_990),
        { at: 9_090, kind: "quiet" },
      ],
    },
  },
  {
    what: "after four power cuts and two presses of its button a relay is told nothing for ten minutes",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      events: [
        { at: 1, kind: "start" },
        ...[600, 780, 960, 1_140].map(cutAt),
        { at: 1_320, kind: "press", device: "device1" },
        { at: 1_380, kind: "press", device: "device1" },
        cutAt(1_560),
        cutAt(1_740),
        { at: 3_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "a press of its button is answered ten minutes late, because of five presses in the order before",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      length: 5_400,
      configs: [
        houseWith(GUESTS, {
          ...KEPT_DEVICE,
          choose: [{ when: "guests", payload: "off" }],
        }),
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        ...[300, 480, 660, 840, 1_020].map((at): ScriptEvent => ({ at, kind: "press", device: "device1" })),
        valueAt(1_300, "home"),
        valueAt(1_360, "guests"),
        { at: 1_500, kind: "press", device: "device1" },
        { at: 5_000, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge that counts what a device is told while it is away",
    scenario: {
      ...QUIET_MORNING,
      length: 7_500,
      configs: [
        houseWith(PEAK, {
          topic: "device1/set",
          choose: [{ when: "peak", payload: "p1" }],
          confirm: { topic: "device1/state", keep: true, online: ONLINE },
        }),
      ],
      devices: [{ ...REPORTING_ONLINE, manner: "is switched back" }],
      events: [
        { at: 1, kind: "start" },
        { at: 3_600, kind: "power", device: "device1", for: 3_500, back: "report first", keeps: true },
      ],
    },
  },
  {
    what: "the broker holds a live report of a device that has no power when the same is sent again",
    scenario: {
      ...QUIET_MORNING,
      configs: [GUESTS_CONFIRMED],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(200, "home"),
        { at: 300, kind: "power", device: "device1", for: 9_000, back: "silence" },
        valueAt(400, "guests"),
        { at: 1_000, kind: "quiet" },
      ],
    },
  },
  {
    what: "a device of which the broker held an old report was away, and does something else",
    scenario: {
      ...QUIET_MORNING,
      length: 1_200,
      configs: [GUESTS_ONLINE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(200, "home"),
        { at: 300, kind: "power", device: "device1", for: 120, back: "report" },
        valueAt(310, "guests"),
      ],
    },
  },
  {
    what: "a broker ends the connection at each telling of a device, and vigie tells it every half minute",
    scenario: {
      ...QUIET_MORNING,
      length: 2_000,
      configs: [onGuests({ topic: "device1/state", keep: true })],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 70, kind: "report", topic: "device1/state", payload: "p1", retain: false },
        { at: 100, kind: "refuse", topic: "device1/set", ends: true, for: 1_800 },
        { at: 110, kind: "report", topic: "device1/state", payload: "p2", retain: false },
      ],
    },
  },
  {
    what: "a judge expects a device to be told at once at a start with which its confirm is new",
    scenario: {
      ...QUIET_HOUSE,
      seed: 218876695,
      from: "2026-01-05T22:00:00Z",
      length: 1_200,
      configs: [
        houseWith(NIGHT, { topic: "device1/set", choose: [{ when: "night", payload: "p1" }] }),
        atNight({ topic: "device1/state", every: "2m", online: ONLINE }),
      ],
      devices: [{ ...REPORTING_ONLINE, report: { topic: "device1/state", retain: false } }],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "kill", steps: 0 },
        { at: 310, kind: "edit", config: 1 },
        { at: 400, kind: "start" },
      ],
    },
  },
  {
    what: "a judge expects a device to be told sooner than every ten minutes, to which confirm was added just before",
    scenario: {
      ...QUIET_MORNING,
      length: 1_200,
      configs: [houseWith(GUESTS, { topic: "device1/set", choose: [GUESTS_ON] }), GUESTS_ONLINE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 400, kind: "edit", config: 1 },
        { at: 460, kind: "power", device: "device1", for: 60, back: "report" },
      ],
    },
  },
  {
    what: "a judge expects longer pauses of a device with QoS 0, at each of whose payloads the broker ends the connection",
    scenario: {
      ...QUIET_MORNING,
      length: 600,
      configs: [
        houseWith(GUESTS, {
          topic: "device1/set",
          qos: 0,
          choose: [GUESTS_ON],
          confirm: { topic: "device1/state" },
        }),
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "refuse", topic: "device1/set", ends: true, for: 500 },
        valueAt(60, "guests"),
      ],
    },
  },
];

/** A device that is told once a night, and nothing when the night ends. */
function atNight(confirm: ConfirmText): HouseConfig {
  return houseWith(NIGHT, { topic: "device1/set", choose: [{ when: "night", payload: "p1" }], confirm });
}

/** For five minutes. */
function sourcesHang(at: number): ScriptEvent[] {
  return (["service", "rte"] as const).map((source) => ({
    at,
    kind: "source",
    source,
    fault: { kind: "hangs" },
    for: 300,
  }));
}

function cutAt(at: number): ScriptEvent {
  return { at, kind: "power", device: "device1", for: 60, back: "online" };
}
