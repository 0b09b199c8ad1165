import type { ConfirmText, Device, HouseConfig, Scenario, ScriptEvent } from "../scenario.ts";
import {
  type Found,
  GUESTS,
  GUESTS_ON,
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
  valueAt,
} from "./shared.ts";

const CONTRADICTING: Device = { ...REPORTING, manner: "contradicts" };

const CONFIRM: ConfirmText = { topic: "device1/state", for: "10m" };
/** What a device is told also when its choice ends, and reports over MQTT. */
const ELSE = { choose: [GUESTS_ON], else: "p2", confirm: CONFIRM };
const REPORTING_WITH_ELSE = houseWith(GUESTS, { ...ELSE, topic: "device1/set" });
const CONFIRM_ONLINE: ConfirmText = { ...CONFIRM, online: ONLINE };
const ONLINE_WITH_ELSE = houseWith(GUESTS, { ...ELSE, topic: "device1/set", confirm: CONFIRM_ONLINE });
/** It is told over HTTP. */
const OVER_HTTP_WITH_ELSE: HouseConfig = houseWith(GUESTS, {
  ...ELSE,
  id: "device1",
  url: "http://192.0.2.40/device1/set?turn={payload}",
  confirm: CONFIRM_ONLINE,
});

/** A device is away, and comes back. */
export const DEVICES_AWAY: readonly Found[] = [
  {
    what: "a relay that was unplugged after a press of its button waits for ten minutes at the next press",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      length: 7_200,
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "press", device: "device1" },
        { at: 603, kind: "power", device: "device1", for: 5_000, back: "report" },
        { at: 3_000, kind: "quiet" },
        { at: 5_800, kind: "press", device: "device1" },
      ],
    },
  },
  {
    what: "a relay that was unplugged three times waits for ten minutes at the next press of its button",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      events: [
        { at: 1, kind: "start" },
        ...[600, 1_200, 1_800].flatMap((at): ScriptEvent[] => [
          { at, kind: "press", device: "device1" },
          { at: at + 1, kind: "power", device: "device1", for: 60, back: "online" },
        ]),
        { at: 2_400, kind: "press", device: "device1" },
      ],
    },
  },
  {
    what: "a judge for which a relay that was away must stay so, though it is configured otherwise, as vigie publishes its last answer",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      seed: 70021,
      oldBroker: true,
      length: 1_200,
      configs: [...RELAY.configs, houseWith(NIGHT, { ...KEPT_DEVICE, id: "device1" })],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "press", device: "device1" },
        { at: 612, kind: "power", device: "device1", for: 900, back: "report", keeps: true },
        { at: 738, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "a relay that goes on reporting waits for ten minutes, because the broker holds that it is away",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      length: 1_800,
      events: [
        { at: 1, kind: "start" },
        saysAt(300, "false"),
        { at: 600, kind: "press", device: "device1" },
        { at: 700, kind: "press", device: "device1" },
      ],
    },
  },
  {
    what: "a device without power when its payload changed reports something else after it, and waits for ten minutes",
    scenario: atSix(REPORTING, [
      // It is to be told at 600, and is given up at 1200.
      { at: 480, kind: "power", device: "device1", for: 900, back: "report" },
    ]),
  },
  {
    what: "a device that was silent for ten minutes reports something else, and waits for ten minutes",
    scenario: atSix(CONTRADICTING, [
      // For how long it was told before does not count after its return.
      { at: 800, kind: "connection lost" },
      { at: 900, kind: "power", device: "device1", for: 1_000, back: "report" },
    ]),
  },
  {
    what: "a device that goes on reporting something else is told again and again after it was given up",
    scenario: atSix({ ...REPORTING, manner: "ignores", report: { ...REPORTING.report!, every: 70 } }, [
      { at: 60, kind: "press", device: "device1" },
    ]),
  },
  {
    what: "a device that answers each telling with something else is told again and again after it was given up",
    scenario: atSix(CONTRADICTING, []),
  },
  {
    what: "a device that has not done `else` and comes back is sent it again, though nobody wants to be overruled by it",
    scenario: {
      ...QUIET_MORNING,
      configs: [ONLINE_WITH_ELSE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "power", device: "device1", for: 900, back: "online" },
        valueAt(400, "home"),
      ],
    },
  },
  {
    what: "a device that has not done `else` reports again, and is not sent it",
    scenario: {
      ...QUIET_MORNING,
      configs: [REPORTING_WITH_ELSE],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "power", device: "device1", for: 900, back: "report" },
        valueAt(400, "home"),
      ],
    },
  },
  {
    what: "a device that has not done `else` is sent it again at a new connection, as the broker holds what it did before",
    scenario: {
      ...QUIET_MORNING,
      configs: [REPORTING_WITH_ELSE],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "power", device: "device1", for: 3_000, back: "silence" },
        valueAt(400, "home"),
        { at: 1_200, kind: "connection lost" },
      ],
    },
  },
  {
    what: "a device over HTTP that is back waits for `else`, which it did not take while it was away",
    scenario: {
      ...QUIET_MORNING,
      configs: [OVER_HTTP_WITH_ELSE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "power", device: "device1", for: 1_500, back: "online" },
        valueAt(400, "home"),
      ],
    },
  },
  {
    what: "a device over HTTP that is back, and takes nothing yet, is tried every ten minutes",
    scenario: {
      ...QUIET_MORNING,
      configs: [OVER_HTTP_WITH_ELSE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "web", host: "http://192.0.2.40", fault: { kind: "refuses" }, for: 1_700 },
        valueAt(400, "home"),
        saysAt(1_100, "offline"),
        saysAt(1_500, "online"),
      ],
    },
  },
  ...[{ kind: "refuses" } as const, { kind: "status", status: 503, retryAfter: 300 } as const].map(
    (fault): Found => ({
      what: `a device over HTTP that is back just after a try is tried again at once (${fault.kind})`,
      scenario: {
        ...QUIET_MORNING,
        configs: [OVER_HTTP_WITH_ELSE],
        devices: [REPORTING_ONLINE],
        events: [
          { at: 1, kind: "start" },
          valueAt(60, "guests"),
          { at: 300, kind: "web", host: "http://192.0.2.40", fault, for: 2_400 },
          valueAt(400, "home"),
          saysAt(1_400, "offline"),
          saysAt(1_605, "online"),
        ],
      },
    }),
  ),
  {
    what: "a device whose address refuses is no problem any more, as it says that it is back",
    scenario: {
      ...QUIET_MORNING,
      // Between two polls: the judges look at its end, if it is calm.
      length: 1_200,
      configs: [OVER_HTTP_WITH_ELSE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        {
          at: 50,
          kind: "web",
          host: "http://192.0.2.40",
          fault: { kind: "status", status: 401 },
          for: 2_400,
        },
        valueAt(60, "guests"),
        saysAt(200, "offline"),
        saysAt(300, "online"),
      ],
    },
  },
  {
    what: "a device over HTTP that is there at a new connection to the broker waits for what it did not take",
    scenario: {
      ...QUIET_MORNING,
      configs: [OVER_HTTP_WITH_ELSE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "web", host: "http://192.0.2.40", fault: { kind: "refuses" }, for: 1_700 },
        valueAt(400, "home"),
        { at: 1_300, kind: "connection lost" },
      ],
    },
  },
];

/** From 05:50 in Paris on. It is told at six, ten minutes later, and is given up after ten more. */
function atSix(device: Device, events: readonly ScriptEvent[]): Scenario {
  return {
    ...QUIET_HOUSE,
    seed: 1,
    from: "2026-01-05T04:50:00Z",
    length: 3_600,
    configs: [
      houseWith(PEAK, { topic: "device1/set", choose: [{ when: "peak", payload: "p1" }], confirm: CONFIRM }),
    ],
    devices: [device],
    events: [{ at: 1, kind: "start" }, ...events],
  };
}

function saysAt(at: number, payload: string): ScriptEvent {
  return { at, kind: "report", topic: "device1/online", payload, retain: true };
}
