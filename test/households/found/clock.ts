import type { ScriptEvent } from "../scenario.ts";
import {
  DEVICE,
  type Found,
  GUESTS,
  GUESTS_CONFIRMED,
  GUESTS_ON,
  HOUSE,
  houseWith,
  PEAK,
  QUIET_HOUSE,
  QUIET_MORNING,
  REPORTING,
  valueAt,
} from "./shared.ts";

/** The clock is set, or the machine sleeps. */
export const CLOCK: readonly Found[] = [
  {
    what: "topics of the moment are shown though both sources have said twice that the clock is an hour behind",
    scenario: {
      ...QUIET_HOUSE,
      length: 7_200,
      seed: 1,
      from: "2026-01-13T04:30:00Z",
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 1_800, kind: "jump", by: -3_600 },
        { at: 5_400, kind: "jump", by: 3_600 },
      ],
    },
  },
  {
    what: "a reload asks the service once more than its budget, as its clock puts the last request before its time",
    scenario: {
      ...QUIET_HOUSE,
      length: 33_500,
      seed: 736446974,
      from: "2027-02-27T00:59:00Z",
      history: 3,
      configs: [
        {
          service: {
            base_url: "https://service.example",
            poll: { every: "15m", announcement: { between: ["06:30", "12:00"], every: "5m" } },
          },
          official: { source: "rte" },
          mqtt: { url: "mqtt://192.0.2.1" },
          homeassistant: { discovery: "components" },
          rules: [],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 125, kind: "jump", by: -40 * 86_400 },
        { at: 127, kind: "start" },
        { at: 32_978, kind: "reload" },
      ],
    },
  },
  {
    what: "a start with a clock that is days behind sends what is sent when rules are unknown twice",
    scenario: {
      ...QUIET_MORNING,
      length: 3_900,
      configs: [houseWith(PEAK, { ...DEVICE, unknown: "16" })],
      events: [
        { at: 1, kind: "start" },
        ...startLate(3_600, { days: 40, sourcesAfter: 60 }),
        { at: 3_800, kind: "jump", by: 40 * 86_400 },
      ],
    },
  },
  {
    what: "a clock is set back by days before a source has answered, and what it has rightly chosen is taken back",
    scenario: {
      ...QUIET_HOUSE,
      length: 3_000,
      seed: 1,
      // Off-peak begins at 1200.
      from: "2026-01-05T20:40:00Z",
      configs: [houseWith(PEAK, { ...DEVICE, else: "16" })],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "stop" },
        ...(["service", "rte"] as const).map(
          (source): ScriptEvent => ({ at: 605, kind: "source", source, fault: { kind: "down" }, for: 2_000 }),
        ),
        { at: 1_500, kind: "start" },
        { at: 1_700, kind: "jump", by: -40 * 86_400 },
        { at: 2_500, kind: "jump", by: 40 * 86_400 },
      ],
    },
  },
  {
    what: "a hold ends by the time that has passed, although the clock was set back meanwhile",
    scenario: {
      ...QUIET_MORNING,
      length: 2_400,
      configs: [
        {
          ...HOUSE,
          rules: [{ ...GUESTS, hold: "10m" }],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "away"),
        { at: 600, kind: "jump", by: 600 },
        valueAt(660, "guests"),
        valueAt(720, "away"),
        { at: 900, kind: "jump", by: -600 },
      ],
    },
  },
  {
    what: "a rule is disabled for ten seconds, although the clock was set back by more than that",
    scenario: {
      ...QUIET_MORNING,
      length: 1_000,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        {
          at: 600,
          kind: "command",
          topic: "vigie/rules/peak/enabled/set",
          payload: '{"enabled":false,"for":"10s"}',
        },
        { at: 607, kind: "jump", by: -90 },
        { at: 667, kind: "jump", by: 90 },
      ],
    },
  },
  {
    what: "a machine has slept, and a restart forgets what was asked in the last minute",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_600,
      seed: 1,
      from: "2026-01-30T23:50:00Z",
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "suspend", for: 600 },
        { at: 1_201, kind: "reload" },
        { at: 1_210, kind: "stop" },
        { at: 1_220, kind: "start" },
      ],
    },
  },
  {
    what: "a rule is disabled for hours while the service alone says that the clock is more than an hour behind",
    scenario: {
      ...QUIET_MORNING,
      seed: 304785611,
      length: 46_000,
      configs: [{ ...HOUSE, rules: [GUESTS], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 600, kind: "source", source: "service", fault: { kind: "clock", seconds: 4_000 }, for: 6_900 },
        { at: 600, kind: "source", source: "rte", fault: { kind: "down" }, for: 6_900 },
        {
          at: 8_000,
          kind: "command",
          topic: "vigie/rules/guests/enabled/set",
          payload: '{"enabled":false,"for":"510m"}',
        },
      ],
    },
  },
  {
    // The service alone is asked, and says that the clock is two hours ahead: it is that long before the end of the simulation again.
    what: "a colour that was pretended for five minutes is pretended again, as the service says that it is two hours earlier",
    scenario: {
      ...QUIET_MORNING,
      length: 18_000,
      configs: [{ ...HOUSE, official: { source: "off" }, rules: [], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "command", topic: "vigie/simulation/set", payload: '{"color":"blanc","for":"5m"}' },
        { at: 5_000, kind: "suspend", for: 600 },
        {
          at: 5_100,
          kind: "source",
          source: "service",
          fault: { kind: "clock", seconds: -7_200 },
          for: 6_000,
        },
      ],
    },
  },
  {
    what: "a judge demands a telling within a minute, though of five tellings within an hour four were before a long sleep",
    scenario: {
      ...QUIET_MORNING,
      length: 13_000,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          topic: "device1/set",
          choose: [GUESTS_ON],
          confirm: { url: "http://192.0.2.41/device1/state", keep: true },
        }),
      ],
      devices: [{ id: "device1", path: undefined, manner: "is switched back", words: {} }],
      events: [{ at: 1, kind: "start" }, valueAt(60, "guests"), { at: 6_400, kind: "suspend", for: 5_580 }],
    },
  },
  {
    what: "a device reports something else while the machine sleeps, which is heard when it is awake again",
    scenario: {
      ...QUIET_MORNING,
      configs: [GUESTS_CONFIRMED],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 1_000, kind: "suspend", for: 60 },
        { at: 1_010, kind: "report", topic: "device1/state", payload: "no", retain: true },
      ],
    },
  },
  {
    what: "a household starts vigie on a machine that sleeps",
    scenario: {
      ...QUIET_MORNING,
      length: 1_500,
      seed: 542052014,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "stop" },
        { at: 303, kind: "suspend", for: 600 },
        { at: 310, kind: "start" },
      ],
    },
  },
  {
    what: "a device has not confirmed for an hour, and the clock was set back by an hour meanwhile",
    scenario: {
      ...QUIET_MORNING,
      length: 4_000,
      configs: [GUESTS_CONFIRMED],
      events: [{ at: 1, kind: "start" }, valueAt(60, "guests"), { at: 2_000, kind: "jump", by: -3_600 }],
    },
  },
  {
    what: "a judge counts the time for a payload from its instant by a clock that was half an hour ahead then",
    scenario: {
      ...QUIET_MORNING,
      length: 4_200,
      seed: 204,
      configs: [GUESTS_CONFIRMED],
      events: [
        { at: 1, kind: "start" },
        { at: 200, kind: "source", source: "service", fault: { kind: "down" }, for: 300 },
        { at: 200, kind: "source", source: "rte", fault: { kind: "down" }, for: 300 },
        { at: 300, kind: "jump", by: 1_800 },
        valueAt(301, "guests"),
        { at: 390, kind: "jump", by: -1_800 },
      ],
    },
  },
  {
    what: "a judge compares an event with topics that the wrong clock, which vigie learns of by the same answer, makes None",
    scenario: {
      ...QUIET_HOUSE,
      length: 11_000,
      seed: 990290631,
      from: "2026-01-26T20:00:00Z",
      configs: [{ ...HOUSE, service: { base_url: "none" }, rules: [], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        {
          at: 60,
          kind: "source",
          source: "rte",
          fault: { kind: "other color", date: "2026-01-27", color: "rouge" },
          for: 86_400,
        },
        { at: 10_000, kind: "jump", by: -7_200 },
        { at: 10_900, kind: "quiet" },
      ],
    },
  },
  {
    what: "a household asks a machine that sleeps for /health",
    scenario: {
      ...QUIET_MORNING,
      length: 2_400,
      seed: 436256786,
      configs: [{ ...HOUSE, rules: [], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 200, kind: "suspend", for: 1_800 },
        { at: 900, kind: "broker", how: "stopped", for: 600, retained: "kept" },
      ],
    },
  },
  {
    what: "a judge counts the season and knows the prices by a clock of which vigie says that it is wrong",
    scenario: {
      ...QUIET_HOUSE,
      length: 10_800,
      history: 45,
      seed: 436256820,
      // The day begins at 04:00, and by the service at 02:53.
      from: "2025-10-10T01:00:00Z",
      configs: [{ ...HOUSE, official: { source: "off" }, rules: [], outputs: { list: [] } }],
      dearer: { from: "2025-10-10", by: 0.01 },
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "source", source: "service", fault: { kind: "clock", seconds: 4_000 }, for: 10_800 },
      ],
    },
  },
  {
    what: "a judge that takes a payload for older than a failure, because the topic names the whole second of both",
    scenario: {
      ...QUIET_MORNING,
      length: 7_200,
      configs: [
        houseWith(PEAK, {
          ...DEVICE,
          id: "device1",
          unknown: "p5",
          confirm: { topic: "device1/state" },
        }),
      ],
      devices: [{ ...REPORTING, manner: "is silent" }],
      events: [
        { at: 1, kind: "start" },
        // The clock is wrong until it is set again: the device is sent `unknown`, and answers nothing.
        { at: 600, kind: "jump", by: -3_600 },
        { at: 5_600, kind: "jump", by: 3_600 },
        { at: 7_110, kind: "quiet" },
      ],
    },
  },
];

/** The machine starts with a clock that is days behind, and no source answers for so many seconds. */
function startLate(
  at: number,
  { days, sourcesAfter }: { days: number; sourcesAfter: number },
): ScriptEvent[] {
  return [
    { at, kind: "stop" },
    ...(["service", "rte"] as const).map(
      (source): ScriptEvent => ({
        at: at + 5,
        kind: "source",
        source,
        fault: { kind: "hangs" },
        for: 5 + sourcesAfter,
      }),
    ),
    { at: at + 9, kind: "jump", by: -days * 86_400 },
    { at: at + 10, kind: "start" },
  ];
}
