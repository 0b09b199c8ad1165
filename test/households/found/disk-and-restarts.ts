import type { ScriptEvent } from "../scenario.ts";
import {
  DEVICE,
  FLAPPING,
  type Found,
  flappingFor,
  GUESTS,
  GUESTS_CONFIRMED,
  GUESTS_ON,
  GUESTS_ONLINE,
  HOUSE,
  houseWith,
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

/** The disk fails, or vigie is stopped, killed or started again. */
export const DISK_AND_RESTARTS: readonly Found[] = [
  {
    what: "an output without else whose rule went OFF while vigie was away ends each start in an error",
    scenario: {
      ...QUIET_HOUSE,
      seed: 22,
      from: "2026-01-23T20:50:00Z",
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [DEVICE] } }],
      // hp ends at 21:00Z.
      events: [
        { at: 1, kind: "start" },
        { at: 300, kind: "stop" },
        { at: 900, kind: "start" },
      ],
    },
  },
  {
    what: "a payload that could not be saved in time is sent although the rule is OFF again",
    scenario: {
      ...QUIET_HOUSE,
      length: 700,
      seed: 2,
      from: "2026-04-27T20:12:00Z",
      configs: [FLAPPING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "home"),
        { at: 300, kind: "disk", fault: "hangs", for: 120 },
        valueAt(310, "guests"),
        valueAt(330, "home"),
      ],
    },
  },
  {
    what: "what a device reported in the last seconds before a restart in order is forgotten",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_600,
      seed: 7,
      from: "2025-11-29T10:44:00Z",
      configs: [FLAPPING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 70, kind: "report", topic: "device1/state", payload: "p1", retain: false },
        { at: 600, kind: "report", topic: "device1/state", payload: "p2", retain: false },
        { at: 602, kind: "stop" },
        { at: 605, kind: "start" },
        { at: 1_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "an unplugged relay stays confirmed, and since when it is away begins anew at a reload and a restart",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      length: 14_000,
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "power", device: "device1", for: 11_000, back: "online" },
        { at: 2_400, kind: "quiet" },
        { at: 2_500, kind: "reload" },
        { at: 4_200, kind: "quiet" },
        { at: 4_300, kind: "stop" },
        { at: 4_400, kind: "start" },
        { at: 6_000, kind: "quiet" },
        { at: 6_100, kind: "broker", how: "killed", for: 120, retained: "kept" },
        { at: 8_000, kind: "quiet" },
        { at: 13_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "a relay that was away, and is back when vigie starts again, is not told that it has to be off",
    scenario: {
      ...QUIET_HOUSE,
      ...RELAY,
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "power", device: "device1", for: 900, back: "online" },
        { at: 1_200, kind: "stop" },
        { at: 1_800, kind: "start" },
        { at: 3_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "a disk that fails loses that a device is away, as vigie is stopped",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [GUESTS_ONLINE],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 200, kind: "power", device: "device1", for: 600, back: "report" },
        ...stopWithoutDisk(210),
      ],
    },
  },
  {
    what: "a disk that fails loses what a device reported last, as vigie is stopped",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [GUESTS_CONFIRMED],
      devices: [{ ...REPORTING, report: { topic: "device1/state", retain: false } }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        ...stopWithoutDisk(210),
        { at: 220, kind: "press", device: "device1" },
        { at: 800, kind: "quiet" },
      ],
    },
  },
  {
    what: "a path that failed is asked again at a start, as the disk had failed and it was not saved",
    scenario: {
      ...QUIET_HOUSE,
      length: 7_000,
      seed: 1,
      from: "2026-01-05T22:00:00Z",
      configs: [{ ...HOUSE, rules: [NIGHT], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        {
          at: 3,
          kind: "source",
          source: "service",
          fault: { kind: "path", part: "season", status: 503 },
          for: 86_400,
        },
        { at: 2_400, kind: "disk", fault: "fails", for: 10_800 },
        // The season is asked at the first poll after midnight, at 23:47:47Z.
        { at: 6_660, kind: "stop" },
        { at: 6_670, kind: "start" },
      ],
    },
  },
  {
    what: "a device is heard that it is there some seconds after a kill, as an edit looks at it then",
    scenario: {
      ...QUIET_MORNING,
      length: 1_000,
      configs: [GUESTS_CONFIRMED, onGuests({ topic: "device1/state", online: ONLINE })],
      devices: [REPORTING_ONLINE],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "kill", steps: 0 },
        { at: 315, kind: "start" },
        { at: 319, kind: "edit", config: 1 },
        { at: 600, kind: "kill", steps: 0 },
        { at: 615, kind: "start" },
        { at: 990, kind: "quiet" },
      ],
    },
  },
  {
    what: "after a kill a device counts as doing what it reported for two seconds long before, as vigie is reloaded",
    scenario: {
      ...QUIET_MORNING,
      length: 4_300,
      configs: [GUESTS_CONFIRMED],
      devices: [{ ...REPORTING, report: { topic: "device1/state", retain: false } }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "report", topic: "device1/state", payload: "idle", retain: false },
        { at: 302, kind: "report", topic: "device1/state", payload: "p1", retain: false },
        { at: 4_000, kind: "kill", steps: 0 },
        { at: 4_015, kind: "start" },
        { at: 4_100, kind: "reload" },
        { at: 4_290, kind: "quiet" },
      ],
    },
  },
  {
    what: "a reload of the same configuration changes what is shown",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [{ ...HOUSE, rules: [PEAK], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "quiet" },
        { at: 610, kind: "reload" },
        { at: 760, kind: "quiet" },
      ],
    },
  },
  // The state file keeps the last answer seldom, and since when something of the service fails: no document says what is shown then.
  {
    what: "a judge for which a service that answered half an hour before a kill cannot be down until its first answer after it",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T14:00:00Z",
      length: 13_000,
      configs: [{ ...HOUSE, rules: [], outputs: { list: [] } }],
      events: [
        {
          at: 1,
          kind: "source",
          source: "service",
          fault: { kind: "path", part: "season", status: 503 },
          for: 12_600,
        },
        { at: 2, kind: "start" },
        { at: 12_700, kind: "source", source: "service", fault: { kind: "slow", seconds: 50 }, for: 300 },
        { at: 12_720, kind: "kill", steps: 0 },
        { at: 12_735, kind: "start" },
      ],
    },
  },
  {
    what: "a judge does not see that a payload was sent while the disk hung, and that its vigie was killed before it was saved",
    scenario: {
      ...QUIET_MORNING,
      length: 1_800,
      seed: 403133918,
      configs: [houseWith(GUESTS, { topic: "device1/set", choose: [GUESTS_ON], else: "p2" })],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(120, "home"),
        { at: 430, kind: "disk", fault: "hangs", for: 500 },
        valueAt(600, "guests"),
        { at: 700, kind: "kill", steps: 0 },
        { at: 710, kind: "start" },
        valueAt(800, "home"),
        { at: 1_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge for which what a device has missed is tried anew, though only another payload waited for a disk that hangs",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [flappingFor("2m")],
      devices: [{ ...REPORTING, manner: "contradicts" }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(120, "home"),
        { at: 600, kind: "disk", fault: "hangs", for: 200 },
        valueAt(620, "guests"),
        valueAt(622, "home"),
      ],
    },
  },
  {
    what: "a judge for which a colour is pretended on after a start that cannot save",
    scenario: {
      ...QUIET_MORNING,
      length: 1_200,
      configs: [houseWith(PEAK, DEVICE)],
      events: [
        { at: 1, kind: "start" },
        { at: 60, kind: "command", topic: "vigie/simulation/set", payload: "blanc" },
        { at: 300, kind: "disk", fault: "fails", for: 600 },
        { at: 400, kind: "stop" },
        { at: 410, kind: "start" },
        { at: 700, kind: "quiet" },
      ],
    },
  },
];

/** vigie is stopped while its disk fails, and started again when it works. */
function stopWithoutDisk(at: number): ScriptEvent[] {
  return [
    { at, kind: "disk", fault: "fails", for: 100 },
    { at: at + 70, kind: "stop" },
    { at: at + 130, kind: "start" },
  ];
}
