import {
  DEVICE,
  FLAPPING,
  type Found,
  GUESTS,
  GUESTS_CONFIRMED,
  GUESTS_ON,
  HOUSE,
  houseWith,
  NIGHT,
  PEAK,
  QUIET_HOUSE,
  QUIET_MORNING,
  REPORTING,
  valueAt,
} from "./shared.ts";

const UNHEARD = { id: "unheard", when: { mqtt: { topic: "house/value2", equals: "on" } } };

/** The owner edits the configuration. */
export const CONFIGURATIONS: readonly Found[] = [
  {
    what: "a configuration that is wrong is put in force, or nothing is said of it, also at a start",
    scenario: {
      ...QUIET_MORNING,
      configs: [FLAPPING, GUESTS_CONFIRMED],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 600, kind: "edit", config: 1, wrong: "value" },
        { at: 700, kind: "reload" },
        { at: 800, kind: "edit", config: 1, wrong: "tab" },
        { at: 900, kind: "edit", config: 1, wrong: "empty" },
        { at: 910, kind: "edit", config: 1, wrong: "half" },
        { at: 920, kind: "edit", config: 1 },
        { at: 1_200, kind: "edit", config: 0, wrong: "rule" },
        { at: 1_300, kind: "stop" },
        { at: 1_310, kind: "start" },
        { at: 1_320, kind: "edit", config: 0 },
        { at: 1_330, kind: "start" },
        { at: 3_000, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge that takes a report of what was sent for another one, as an edit has taken the payload away",
    scenario: {
      ...QUIET_MORNING,
      length: 3_000,
      configs: [
        GUESTS_CONFIRMED,
        houseWith(UNHEARD, {
          topic: "device1/set",
          choose: [{ when: "unheard", payload: "18" }],
          confirm: { topic: "device1/state" },
        }),
      ],
      devices: [{ ...REPORTING, report: { topic: "device1/state", retain: false } }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 600, kind: "edit", config: 1 },
        { at: 900, kind: "press", device: "device1" },
        { at: 1_500, kind: "press", device: "device1" },
        { at: 2_400, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge that expects of RTE the day of Paris, though in the time zone of the tariff it is the day before",
    scenario: {
      ...QUIET_HOUSE,
      length: 16_000,
      seed: 1,
      from: "2026-01-04T23:10:00Z",
      configs: [
        {
          ...HOUSE,
          rules: [NIGHT],
          outputs: { list: [] },
          tariff: { time_zone: "America/Martinique", laws: "off" },
        },
      ],
      events: [{ at: 1, kind: "start" }],
    },
  },
  {
    what: "a judge that expects an answer to a payload which the configuration before has sent, while this one chooses none",
    scenario: {
      ...QUIET_MORNING,
      length: 1_800,
      configs: [
        houseWith(GUESTS, {
          id: "device1",
          url: "http://192.0.2.40/device1/set?turn={payload}",
          choose: [GUESTS_ON],
          else: "p2",
        }),
        {
          ...HOUSE,
          rules: [GUESTS, UNHEARD],
          outputs: {
            list: [
              {
                id: "device1",
                url: "http://192.0.2.41/device1/set?turn={payload}",
                choose: [
                  { when: "unheard", payload: "p3" },
                  { ...GUESTS_ON, payload: "p2" },
                ],
                else: "p4",
                confirm: { topic: "device1/state" },
              },
            ],
          },
        },
      ],
      devices: [{ ...REPORTING, manner: "answers late", report: { topic: "device1/state", retain: false } }],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(300, "away"),
        { at: 600, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "a judge that expects the poll of 18:00 by the clock of Paris, though the tariff has another time zone",
    scenario: {
      ...QUIET_HOUSE,
      seed: 237833714,
      from: "2027-04-25T00:00:00Z",
      length: 83_000,
      configs: [
        {
          ...HOUSE,
          service: {
            base_url: "https://service.example",
            poll: { every: "15m", announcement: { between: ["06:30", "12:00"], every: "15m" } },
          },
          rules: [GUESTS],
          outputs: { list: [] },
          tariff: { time_zone: "America/Martinique", laws: "off" },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        // It has sent 150 requests when 18:00 comes there. Values bring the poll of 18:55 forward by seconds.
        ...[600, 1_200, 1_800, 2_400, 3_000, 3_600].map(
          (at) => ({ kind: "command", at, topic: "vigie/refresh/set", payload: "PRESS" }) as const,
        ),
        valueAt(82_400, "guests"),
        {
          kind: "series",
          at: 82_418,
          topic: "house/value1",
          every: 1,
          for: 200,
          retain: false,
          values: { words: ["guests", "away"] },
        },
      ],
    },
  },
  {
    what: "a judge that takes a file without rules for wrong, because no mistake was written into it",
    scenario: {
      ...QUIET_MORNING,
      length: 300,
      configs: [houseWith(PEAK, DEVICE), { ...HOUSE, rules: [], outputs: { list: [] } }],
      events: [
        { at: 1, kind: "start" },
        { at: 100, kind: "edit", config: 1, wrong: "rule" },
        { at: 200, kind: "edit", config: 1 },
      ],
    },
  },
];
