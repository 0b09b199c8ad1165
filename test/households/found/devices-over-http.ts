import type { HouseConfig, OutputText, ScriptEvent, WebFault } from "../scenario.ts";
import {
  FLAPPING,
  type Found,
  GUESTS,
  GUESTS_ON,
  HOUSE,
  houseWith,
  NIGHT,
  ONLINE,
  QUIET_HOUSE,
  QUIET_MORNING,
  REPORTING,
  REPORTING_ONLINE,
  valueAt,
  valuesAt,
} from "./shared.ts";

const KEPT_OVER_HTTP = {
  id: "device1",
  url: "http://192.0.2.40/device1/set?turn={payload}",
  choose: [{ when: "night", payload: "off", expect: "is 1" }],
  else: { payload: "on", expect: "is 2" },
  confirm: { url: "http://192.0.2.40/device1/state", keep: true as const },
};

/** It reports over MQTT. */
const OVER_HTTP: HouseConfig = houseWith(GUESTS, {
  id: "device1",
  url: "http://192.0.2.40/device1/set?turn={payload}",
  choose: [GUESTS_ON],
  confirm: {
    topic: "device1/state",
    for: "10m",
    keep: true,
    online: ONLINE,
  },
});

const KEPT_OVER_BOTH: HouseConfig = houseWith(GUESTS, {
  id: "device1",
  url: "http://192.0.2.40/device1/set?turn={payload}",
  choose: [GUESTS_ON],
  confirm: { topic: "device1/state", keep: true },
});

/** It reports over MQTT, and says whether it is there. */
const KEPT_AND_ONLINE: HouseConfig = houseWith(NIGHT, {
  id: "device1",
  url: "http://192.0.2.40/device1/set?turn={payload}",
  choose: [{ when: "night", payload: "off" }],
  confirm: { topic: "device1/state", every: "1m", keep: true, online: ONLINE },
});

/** A device is told over HTTP. */
export const DEVICES_OVER_HTTP: readonly Found[] = [
  {
    what: "a judge for which a vigie that knows no day is late, while it waits for a source that is slow",
    scenario: {
      ...QUIET_MORNING,
      length: 300,
      seed: 1060,
      configs: [OVER_HTTP],
      events: [
        { at: 1, kind: "source", source: "rte", fault: { kind: "slow", seconds: 59 }, for: 200 },
        { at: 2, kind: "start" },
        valueAt(17, "home"),
        valueAt(20, "guests"),
      ],
    },
  },
  {
    what: "a judge that takes another try of a telling that a device did not answer for one more telling",
    scenario: {
      ...QUIET_HOUSE,
      seed: 722000041,
      from: "2026-02-02T02:00:00Z",
      configs: [{ ...HOUSE, rules: [NIGHT], outputs: { list: [KEPT_OVER_HTTP] } }],
      devices: [
        { id: "device1", path: undefined, manner: "is switched back", words: { off: "is 1", on: "is 2" } },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 2_400, kind: "power", device: "device1", for: 900, back: "online" },
      ],
    },
  },
  {
    what: "a judge that counts a telling, though the device had no power and took no connection",
    scenario: {
      ...QUIET_HOUSE,
      length: 2_000,
      seed: 1000013,
      from: "2026-02-02T02:00:00Z",
      configs: [KEPT_AND_ONLINE],
      devices: [{ ...REPORTING_ONLINE, manner: "is switched back" }],
      events: [
        { at: 1, kind: "start" },
        { at: 1_462, kind: "power", device: "device1", for: 4, back: "report first" },
        { at: 1_526, kind: "power", device: "device1", for: 120, back: "report" },
        { at: 1_706, kind: "power", device: "device1", for: 30, back: "report" },
      ],
    },
  },
  {
    what: "tellings for which the address took no connection count as tellings, and the device is told ten minutes late",
    scenario: {
      ...QUIET_MORNING,
      length: 1_200,
      configs: [KEPT_OVER_BOTH],
      events: [
        ...contraryWhile({ kind: "refuses" }, 200),
        { at: 330, kind: "report", topic: "device1/state", payload: "p1", retain: false },
        { at: 400, kind: "report", topic: "device1/state", payload: "p2", retain: false },
      ],
    },
  },
  {
    what: "tellings that may have arrived do not count, and the device is told every half minute without end",
    scenario: {
      ...QUIET_MORNING,
      length: 1_200,
      configs: [KEPT_OVER_BOTH],
      events: contraryWhile({ kind: "hangs", seconds: null }, 1_000),
    },
  },
  {
    what: "a device that came back could not be told, and one of the five tellings before is forgotten because of that",
    scenario: {
      ...QUIET_MORNING,
      length: 800,
      configs: [OVER_HTTP],
      events: [
        ...contraryWhile({ kind: "refuses" }, 0),
        ...[
          [30, "online"],
          [240, "offline"],
          [245, "online"],
        ].map(([at, payload]): ScriptEvent => {
          return {
            at: Number(at),
            kind: "report",
            topic: "device1/online",
            payload: `${payload}`,
            retain: false,
          };
        }),
        { at: 255, kind: "web", host: "http://192.0.2.40", fault: { kind: "refuses" }, for: 20 },
        { at: 300, kind: "report", topic: "device1/state", payload: "p1", retain: false },
        { at: 310, kind: "report", topic: "device1/state", payload: "p2", retain: false },
      ],
    },
  },
  {
    what: "an address refuses a telling, and vigie does not say so",
    scenario: {
      ...QUIET_MORNING,
      length: 300,
      configs: [KEPT_OVER_BOTH],
      events: contraryWhile({ kind: "status", status: 404 }, 200),
    },
  },
  {
    what: "an address that asks for five minutes is told again after half a minute",
    scenario: {
      ...QUIET_MORNING,
      length: 600,
      configs: [KEPT_OVER_BOTH],
      events: contraryWhile({ kind: "status", status: 503, retryAfter: 300 }, 20),
    },
  },
  {
    what: "a judge that expects one message for a payload that cannot be sent without its secret",
    scenario: {
      ...QUIET_MORNING,
      length: 200,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set/{secret}?turn={payload}",
          secret_file: "plain",
          choose: [GUESTS_ON],
          else: "p2",
        }),
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 60, kind: "secret file", name: "plain", for: 600 },
        valuesAt(100, { every: 0.02, for: 11, words: ["guests", "nobody"] }),
      ],
    },
  },
  {
    what: "two devices that hang behind one address delay the third one there",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_200,
      seed: 18,
      from: "2025-11-29T10:44:00Z",
      configs: [{ ...FLAPPING, outputs: { list: [1, 2, 3].map(behindOneAddress) } }],
      events: [
        { at: 1, kind: "start" },
        ...[1, 2].map((number) => hangs(`device${number}`)),
        valueAt(60, "home"),
        valueAt(600, "guests"),
      ],
    },
  },
  {
    what: "a choice that ends and begins again while its device takes no connection waits for the pause of the try before",
    scenario: {
      ...QUIET_MORNING,
      devices: [{ id: "device1", manner: "obeys", words: {}, path: undefined }],
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set?turn={payload}",
          choose: [GUESTS_ON],
          confirm: { url: "http://192.0.2.40/device1/state", every: "10m" },
        }),
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "power", device: "device1", for: 1_800, back: "silence" },
        valueAt(60, "guests"),
        valueAt(61, "away"),
        valueAt(68, "guests"),
      ],
    },
  },
  {
    what: "a device over HTTP that is back waits for what it did not take while it was away",
    scenario: {
      ...QUIET_MORNING,
      configs: [OVER_HTTP],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(200, "home"),
        { at: 300, kind: "power", device: "device1", for: 1_500, back: "online" },
        valueAt(400, "guests"),
        valueAt(1_200, "guests"),
      ],
    },
  },
  {
    what: "an address that refuses is asked again within ten minutes, as its device changes its mind",
    scenario: {
      ...QUIET_MORNING,
      configs: [OVER_HTTP],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        { at: 50, kind: "web", host: "http://192.0.2.40", fault: { kind: "status", status: 401 }, for: 200 },
        valueAt(60, "guests"),
        ...["p1", "p0"].map((payload, index): ScriptEvent => {
          return { at: 65 + 4 * index, kind: "report", topic: "device1/state", payload, retain: false };
        }),
      ],
    },
  },
  {
    what: "a rule is unknown, and a device at another address is sent what the one before it was sent",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [
        houseWith(GUESTS, { id: "device1", url: KEPT_OVER_HTTP.url, choose: [GUESTS_ON] }),
        houseWith(GUESTS, { id: "device1", topic: "device1/set", choose: [GUESTS_ON], unknown: "p3" }),
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(300, "unavailable"),
        { at: 600, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "a device over HTTP stays confirmed, though it has not answered for 25 min, and when its choice has ended",
    scenario: {
      ...QUIET_MORNING,
      length: 5_400,
      configs: [
        {
          ...HOUSE,
          rules: [{ id: "morning", when: { between: ["10:00", "12:00"] } }],
          outputs: {
            list: [
              {
                id: "device1",
                url: "http://192.0.2.40/device1/set?turn={payload}",
                choose: [{ when: "morning", payload: "off" }],
                confirm: { url: "http://192.0.2.40/device1/state" },
              },
            ],
          },
        },
      ],
      devices: [{ id: "device1", path: undefined, manner: "obeys", words: {} }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "web", host: "http://192.0.2.40", fault: { kind: "is unreachable" }, for: 1_500 },
        { at: 3_000, kind: "quiet" },
        { at: 5_000, kind: "quiet" },
      ],
    },
  },
  {
    what: "each try to tell a device that does something else, and cannot be reached, is a write of the disk",
    scenario: {
      ...QUIET_MORNING,
      length: 2_700,
      seed: 8029,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set?turn={payload}",
          choose: [GUESTS_ON],
          confirm: { topic: "device1/state", every: "20s", keep: true },
        }),
      ],
      devices: [{ ...REPORTING, manner: "is switched back" }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 120, kind: "power", device: "device1", for: 2_580, back: "silence" },
      ],
    },
  },
  {
    // docs/outputs.md: "also after one that the device did not answer". Its questions have an address of their own.
    what: "a device that was told again, and answered nothing, is asked soon, not only when `every` has passed",
    scenario: {
      ...QUIET_MORNING,
      length: 2_400,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set?turn={payload}",
          choose: [GUESTS_ON],
          confirm: { url: "http://192.0.2.41/device1/state", every: "10m", keep: true },
        }),
      ],
      devices: [{ id: "device1", path: undefined, manner: "is switched back", words: {} }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 120, kind: "web", host: "http://192.0.2.40", fault: { kind: "closes after" }, for: 2_200 },
      ],
    },
  },
  {
    what: "a judge that counts ten minutes of tries only from when a frozen broker took the state after a start",
    scenario: {
      ...QUIET_MORNING,
      length: 2_600,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set?turn={payload}",
          choose: [GUESTS_ON],
          confirm: { url: "http://192.0.2.40/device1/state", every: "5m", for: "10m" },
        }),
      ],
      devices: [{ id: "device1", path: undefined, manner: "ignores", words: {} }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 1_500, kind: "broker", how: "frozen", for: 74, retained: "kept" },
        { at: 1_509, kind: "kill", steps: 0 },
        { at: 1_520, kind: "start" },
      ],
    },
  },
];

function behindOneAddress(number: number): OutputText {
  const id = `device${number}`;
  const url = `http://192.0.2.40/${id}/set?turn={payload}`;
  return { id, url, choose: [GUESTS_ON], else: "p2" };
}

function hangs(device: string): ScriptEvent {
  const fault = { kind: "hangs", seconds: null } as const;
  return { at: 30, kind: "web", host: "http://192.0.2.40", device, fault, for: 3_000 };
}

/** The device has done p1, and does p2 since; meanwhile this is wrong with its address, for so many seconds. */
function contraryWhile(fault: WebFault, length: number): ScriptEvent[] {
  return [
    { at: 1, kind: "start" },
    valueAt(60, "guests"),
    { at: 70, kind: "report", topic: "device1/state", payload: "p1", retain: false },
    { at: 100, kind: "web", host: "http://192.0.2.40", fault, for: length },
    { at: 110, kind: "report", topic: "device1/state", payload: "p2", retain: false },
  ];
}
