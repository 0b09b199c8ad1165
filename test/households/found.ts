import { CLOCKS_FOUND_WRONG } from "./found-clocks.ts";
import { DEVICES_FOUND_WRONG } from "./found-devices.ts";
import { FOUND_IN_MESSAGES } from "./found-messages.ts";
import type { ConfirmText, Device, HouseConfig, OutputText, Scenario, ScriptEvent } from "./scenario.ts";

/** A household in which something was wrong once, as small as it was found. */
export interface Found {
  /** What must not happen again. */
  what: string;
  scenario: Scenario;
}

const HOUSE = {
  service: { base_url: "https://service.example" },
  official: { source: "rte" },
  mqtt: { url: "mqtt://192.0.2.1" },
};
const QUIET_HOUSE = { length: 3_600, trouble: 0, history: 3, oldBroker: false, devices: [] };

const GUESTS = { id: "guests", when: { mqtt: { topic: "house/value1", equals: "guests" } } };
const GUESTS_ON = { when: "guests", payload: "p1" };
const GUESTS_SAID = { when: "guests", payload: "m1" };
const PEAK = { id: "peak", when: { period: "hp" } };
const NIGHT = { id: "night", when: { period: "hc" } };
const KEPT_DEVICE = {
  topic: "device1/set",
  choose: [{ when: "night", payload: "off" }],
  else: "on",
  confirm: { topic: "device1/state", keep: true as const },
};
const KEPT_OVER_HTTP = {
  id: "device1",
  url: "http://192.0.2.40/device1/set?turn={payload}",
  choose: [{ when: "night", payload: "off", expect: "is 1" }],
  else: { payload: "on", expect: "is 2" },
  confirm: { url: "http://192.0.2.40/device1/state", keep: true as const },
};
const DEVICE = { topic: "device1/set", choose: [{ when: "peak", payload: "18" }] };

const SLOWLY_CONFIRMED: HouseConfig = {
  ...HOUSE,
  rules: [PEAK],
  outputs: { list: [{ ...DEVICE, confirm: { topic: "device1/state", every: "20s" } }] },
};

const THREE_ROUGE_DAYS = { "2026-01-06": "rouge", "2026-01-07": "rouge", "2026-01-08": "rouge" } as const;
const ROUGE_AHEAD = { id: "ahead", when: { day: "next", color: "rouge" } };
const PHONE = { id: "phone", url: "https://phone.example/phone/set", message: true } as const;

/** A rule on a value alone, and a device that follows it. */
const FLAPPING = flappingFor("1h");

function flappingFor(wait: string): HouseConfig {
  return {
    ...HOUSE,
    rules: [GUESTS],
    outputs: {
      list: [
        {
          topic: "device1/set",
          choose: [GUESTS_ON],
          else: "p2",
          confirm: { topic: "device1/state", for: wait },
        },
      ],
    },
  };
}

/** Heating that is saved in the expensive hours, unless somebody is home. */
const PRESENCE: HouseConfig = {
  ...HOUSE,
  rules: [
    { id: "home", when_unknown: "on", when: { mqtt: { topic: "house/value1", equals: "home" } } },
    { id: "save", when: { all: [{ period: "hp" }, { not: { rule: "home" } }] } },
  ],
  outputs: { list: [{ topic: "device1/set", choose: [{ when: "save", payload: "16" }], else: "19" }] },
};

/** vigie hears whether its device is there. */
const ONLINE = { topic: "device1/online", equals: "online" };
const REPORTING: Device = {
  id: "device1",
  path: undefined,
  manner: "obeys",
  words: {},
  report: { topic: "device1/state", retain: true },
};

function onGuests(confirm: ConfirmText): HouseConfig {
  const output = { topic: "device1/set", choose: [GUESTS_ON], confirm };
  return { ...HOUSE, rules: [GUESTS], outputs: { list: [output] } };
}
const GUESTS_CONFIRMED = onGuests({ topic: "device1/state" });
const GUESTS_ONLINE = onGuests({
  topic: "device1/state",
  every: "10m",
  online: ONLINE,
});
const REPORTING_ONLINE: Device = {
  ...REPORTING,
  online: { topic: "device1/online", there: "online", gone: "offline" },
};

/** It reports over MQTT. */
const OVER_HTTP: HouseConfig = {
  ...HOUSE,
  rules: [GUESTS],
  outputs: {
    list: [
      {
        id: "device1",
        url: "http://192.0.2.40/device1/set?turn={payload}",
        choose: [GUESTS_ON],
        confirm: {
          topic: "device1/state",
          for: "10m",
          keep: true,
          online: ONLINE,
        },
      },
    ],
  },
};

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

/** A relay that is off in the off-peak hours, and says whether it is there. */
const RELAY: Pick<Scenario, "seed" | "from" | "configs" | "devices"> = {
  seed: 1,
  from: "2026-02-02T00:00:00Z",
  configs: [
    {
      ...HOUSE,
      rules: [NIGHT],
      outputs: {
        list: [
          {
            ...KEPT_DEVICE,
            id: "device1",
            confirm: { ...KEPT_DEVICE.confirm, online: { topic: "device1/online", equals: true } },
          },
        ],
      },
    },
  ],
  devices: [
    {
      id: "device1",
      report: { topic: "device1/state", retain: true },
      path: undefined,
      manner: "obeys",
      words: {},
      online: { topic: "device1/online", there: "true", gone: "false" },
    },
  ],
};

/** All are lived by `npm test`. The seed is that of the household in which it was found; the generator may have changed since. */
export const FOUND: readonly Found[] = [
  ...CLOCKS_FOUND_WRONG,
  ...DEVICES_FOUND_WRONG,
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
    what: "a value that flaps many times a second turns a device many times a second",
    scenario: {
      ...QUIET_HOUSE,
      length: 700,
      seed: 130,
      from: "2025-11-29T10:44:00Z",
      configs: [FLAPPING],
      devices: [
        {
          id: "device1",
          report: { topic: "device1/state", retain: true },
          path: undefined,
          manner: "obeys",
          words: {},
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 600,
          kind: "series",
          topic: "house/value1",
          every: 0.02,
          for: 11,
          retain: true,
          values: { words: ["home", "away", "guests"] },
        },
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
    what: "a judge that takes a telling that a slow broker delayed for one that came ten minutes before the next",
    scenario: {
      ...QUIET_HOUSE,
      seed: 711000077,
      from: "2026-02-02T02:00:00Z",
      configs: [{ ...HOUSE, rules: [NIGHT], outputs: { list: [KEPT_DEVICE] } }],
      devices: [
        {
          id: "device1",
          report: { topic: "device1/state", retain: true },
          path: undefined,
          manner: "is switched back",
          words: {},
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 900, kind: "latency", milliseconds: 3_000, for: 700 },
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
    what: "a judge that wants a payload sent that a rule chooses by its lag, after a colour was pretended",
    scenario: {
      ...QUIET_HOUSE,
      seed: 744000006,
      from: "2025-11-17T09:00:00Z",
      length: 2_500,
      configs: [
        {
          ...HOUSE,
          rules: [{ id: "dear", when: { day: "today", color: "rouge" }, lag: "1h" }],
          outputs: {
            dry_when_simulated: true,
            list: [{ topic: "device1/set", choose: [{ when: "dear", payload: "off" }] }],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 60,
          kind: "command",
          topic: "vigie/simulation/set",
          payload: '{"color":"rouge","from":"now","for":"5m"}',
        },
        { at: 2_400, kind: "quiet" },
      ],
    },
  },
  {
    what: "a judge that measures what an edited rule said by the rule that took its place",
    scenario: {
      ...QUIET_HOUSE,
      seed: 711000087,
      from: "2026-01-20T22:30:00Z",
      configs: [
        { ...HOUSE, rules: [{ id: "rule1", when: { period: "hc" } }], outputs: { list: [] } },
        { ...HOUSE, rules: [{ id: "rule1", when: { period: "hp" } }], outputs: { list: [] } },
      ],
      events: [
        { at: 1, kind: "start" },
        // A second before midnight in Paris, at which each rule is looked at.
        { at: 1_799, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "a sensor that is dead makes the house cold, though somebody is home in doubt",
    scenario: {
      ...QUIET_HOUSE,
      seed: 3,
      from: "2026-01-23T10:00:00Z",
      configs: [PRESENCE],
      events: [{ at: 1, kind: "start" }, valueAt(60, "home"), valueAt(600, "unavailable")],
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
  {
    what: "a colour that was pretended for less time than a rule has lag is missing in what is right",
    scenario: {
      ...QUIET_HOUSE,
      seed: 173466036,
      from: "2026-01-17T09:20:00Z",
      configs: [
        {
          ...HOUSE,
          service: { base_url: "none" },
          rules: [
            { id: "dear", when: { day: "next", color: ["rouge", "blanc"], confidence: 61 }, lag: "2h" },
          ],
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 600,
          kind: "command",
          topic: "vigie/simulation/set",
          payload: '{"color":"blanc","from":"next","for":"5m"}',
        },
      ],
    },
  },
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
    what: "RTE says rouge and goes down: rouge is taken back when the service says bleu after 11:30",
    scenario: {
      ...QUIET_HOUSE,
      seed: 7,
      from: "2026-01-12T08:00:00Z",
      length: 5 * 3_600,
      trouble: 1,
      configs: [
        { ...HOUSE, rules: [{ id: "eve", when: { day: "next", color: "rouge" } }], outputs: { list: [] } },
      ],
      events: [
        { at: 1, kind: "start" },
        // 11:25 in Paris.
        { at: 8_700, kind: "source", source: "rte", fault: { kind: "down" }, for: 7_200 },
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
    what: "of rouge days in a row only the first is told, by RTE alone",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-06T09:00:00Z",
      // Two of three are announced, the second one half an hour before the end.
      length: 86_400 + 3_600,
      colors: { ...THREE_ROUGE_DAYS, "2026-01-05": "bleu", "2026-01-09": "bleu" },
      configs: [
        {
          ...HOUSE,
          service: { base_url: "none" },
          rules: [ROUGE_AHEAD],
          outputs: {
            list: [{ ...PHONE, choose: [{ when: "ahead", payload: "{next.date}: {next.color}" }] }],
          },
        },
      ],
      events: [{ at: 1, kind: "start" }],
    },
  },
  {
    what: "after its service was away until the day began, a message says what was so the day before",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      // Ten minutes before the day begins, until the next one is announced.
      from: "2026-01-06T04:50:00Z",
      length: 18_600,
      colors: THREE_ROUGE_DAYS,
      configs: [
        {
          ...HOUSE,
          rules: [ROUGE_AHEAD],
          outputs: {
            list: [{ ...PHONE, choose: [{ when: "ahead", payload: "{next.date}: {next.color}" }] }],
          },
        },
      ],
      events: [
        { at: 1, kind: "web", host: "https://phone.example", fault: { kind: "refuses" }, for: 1_800 },
        { at: 60, kind: "start" },
      ],
    },
  },
  {
    what: "a choice that ends and begins again while its device takes no connection waits for the pause of the try before",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      devices: [{ id: "device1", manner: "obeys", words: {}, path: undefined }],
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: {
            list: [
              {
                id: "device1",
                url: "http://192.0.2.40/device1/set?turn={payload}",
                choose: [GUESTS_ON],
                confirm: { url: "http://192.0.2.40/device1/state", every: "10m" },
              },
            ],
          },
        },
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
    what: "a message is due again after a broker that cannot say so has refused it",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      oldBroker: true,
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: {
            list: [{ topic: "device1/set", message: true, choose: [GUESTS_SAID] }],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "refuse", topic: "device1/set", for: 3_000 },
        valueAt(60, "guests"),
        valueAt(300, "away"),
        valueAt(1_200, "guests"),
      ],
    },
  },
  {
    what: "a message that its service knows is saved at each of its tries, without end",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T14:00:00Z",
      length: 11 * 3_600,
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: {
            list: [
              {
                ...PHONE,
                url: "https://phone.example/phone/set?id={id}",
                method: "PUT",
                choose: [GUESTS_SAID],
              },
            ],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 30,
          kind: "web",
          host: "https://phone.example",
          fault: { kind: "hangs", seconds: null },
          for: 40_000,
        },
        valueAt(60, "guests"),
      ],
    },
  },
  {
    what: "a message is given up because its gateway was down for two minutes",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T05:30:00Z",
      length: 8 * 3_600,
      colors: THREE_ROUGE_DAYS,
      configs: [
        {
          ...HOUSE,
          rules: [ROUGE_AHEAD],
          outputs: {
            list: [{ ...PHONE, choose: [{ when: "ahead", payload: "{next.date}: {next.color}" }] }],
          },
        },
      ],
      events: [
        {
          at: 1,
          kind: "web",
          host: "https://phone.example",
          fault: { kind: "status", status: 502 },
          for: 5 * 3_600 + 120,
        },
        { at: 5 * 3_600, kind: "start" },
      ],
    },
  },
  {
    what: "a corrected address of a message is told nothing",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T11:00:00Z",
      colors: THREE_ROUGE_DAYS,
      configs: ["first", "second"].map((folder) => ({
        ...HOUSE,
        rules: [ROUGE_AHEAD],
        outputs: {
          list: [
            {
              ...PHONE,
              url: `https://phone.example/phone/set/${folder}`,
              choose: [{ when: "ahead", payload: "{next.date}: {next.color}" }],
            },
          ],
        },
      })),
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "edit", config: 1 },
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
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: {
            list: [
              {
                ...KEPT_DEVICE,
                choose: [{ when: "guests", payload: "off" }],
              },
            ],
          },
        },
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
  ...[400, 3_000].map(
    (milliseconds): Found => ({
      what: `a choice begins again sooner than a broker with a latency of ${milliseconds} ms hears that it has ended`,
      scenario: {
        ...QUIET_HOUSE,
        length: 600,
        seed: 3,
        from: "2026-01-05T10:00:00Z",
        configs: [
          {
            ...HOUSE,
            rules: [GUESTS],
            outputs: { list: [{ topic: "device1/set", choose: [GUESTS_ON] }] },
          },
        ],
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
    what: "the broker holds a live report of a device that has no power when the same is sent again",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
      ...QUIET_HOUSE,
      length: 1_200,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "a device is away again within five minutes, on another connection",
    scenario: {
      ...QUIET_HOUSE,
      length: 900,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "a disk that fails loses that a device is away, as vigie is stopped",
    scenario: {
      ...QUIET_HOUSE,
      length: 900,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
      ...QUIET_HOUSE,
      length: 900,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "a device over HTTP that is back waits for what it did not take while it was away",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "the device of an output that was a message for a while is left with what it was sent before",
    scenario: {
      ...QUIET_HOUSE,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: [
        { id: "device1", topic: "device1/set", choose: [GUESTS_ON], else: "p2" },
        {
          id: "device1",
          url: "https://push.example/device1/set",
          message: true as const,
          choose: [{ when: "never", payload: "m1" }],
        },
      ].map((output) => ({
        ...HOUSE,
        rules: [GUESTS, { id: "never", when: { mqtt: { topic: "house/value1", equals: "nobody" } } }],
        outputs: { list: [output] },
      })),
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        { at: 300, kind: "edit", config: 1 },
        valueAt(600, "home"),
        { at: 900, kind: "edit", config: 0 },
        valueAt(1_200, "home"),
        { at: 1_500, kind: "quiet" },
      ],
    },
  },
  {
    what: "five rules that a value turns each second send too many events",
    scenario: {
      ...QUIET_HOUSE,
      length: 500,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: [
        {
          ...HOUSE,
          rules: [1, 2, 3, 4, 5].map((number) => ({
            id: `rule${number}`,
            when: { mqtt: { topic: "house/value1", equals: true } },
          })),
          outputs: { list: [] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 360,
          kind: "series",
          topic: "house/value1",
          every: 1.5,
          for: 11,
          retain: true,
          values: { words: ["true", "false"] },
        },
      ],
    },
  },
  {
    what: "a word is confirmed by the time of Paris although it was heard by that of Martinique",
    scenario: {
      ...QUIET_HOUSE,
      length: 2 * 3_600,
      seed: 1,
      from: "2026-01-05T10:45:00Z",
      configs: [
        { ...HOUSE, tariff: { time_zone: "America/Martinique" }, rules: [NIGHT], outputs: { list: [] } },
        { ...HOUSE, rules: [NIGHT], outputs: { list: [] } },
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 4_000, kind: "source", source: "service", fault: { kind: "down" }, for: 3_000 },
        { at: 4_000, kind: "source", source: "rte", fault: { kind: "down" }, for: 3_000 },
        { at: 4_100, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "a hold ends by the time that has passed, although the clock was set back meanwhile",
    scenario: {
      ...QUIET_HOUSE,
      length: 2_400,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
      ...QUIET_HOUSE,
      length: 1_000,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "a slow broker that refuses MQTT 5 first keeps a start from being online in a minute and a half",
    scenario: {
      ...QUIET_HOUSE,
      oldBroker: true,
      length: 1_500,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "an output that was for people is for a device, and for people again, who read the same twice",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_000,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: [
        { ...HOUSE, rules: [GUESTS], outputs: { list: [{ ...PHONE, choose: [GUESTS_SAID] }] } },
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: { list: [{ id: PHONE.id, url: PHONE.url, choose: [GUESTS_SAID] }] },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(60, "guests"),
        valueAt(300, "away"),
        { at: 600, kind: "edit", config: 1 },
        { at: 700, kind: "edit", config: 0 },
        valueAt(800, "guests"),
      ],
    },
  },
  {
    what: "a vigie whose state file is gone asks a slow broker first who owns the topics, and is not online in two minutes",
    scenario: {
      ...QUIET_HOUSE,
      oldBroker: true,
      length: 1_500,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "a rule is unknown, and a device at another address is sent what the one before it was sent",
    scenario: {
      ...QUIET_HOUSE,
      length: 900,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: { list: [{ id: "device1", url: KEPT_OVER_HTTP.url, choose: [GUESTS_ON] }] },
        },
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: { list: [{ id: "device1", topic: "device1/set", choose: [GUESTS_ON], unknown: "p3" }] },
        },
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
    what: "a device is heard that it is there some seconds after a kill, as an edit looks at it then",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_000,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
    what: "a broker refuses a message with QoS 0 in silence, and vigie repeats it as its device has not confirmed it",
    scenario: {
      ...QUIET_HOUSE,
      length: 600,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: ([1, 0] as const).map((qos) => ({
        ...HOUSE,
        rules: [GUESTS],
        outputs: {
          list: [
            {
              topic: "device1/set",
              qos,
              choose: [GUESTS_ON],
              confirm: { topic: "device1/state", every: "20s", for: "10m" },
            },
          ],
        },
      })),
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
    what: "while reports go on arriving at a slow broker, one of them counts as held from before for minutes",
    scenario: {
      ...QUIET_HOUSE,
      length: 1_300,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: {
            list: [
              {
                id: "device1",
                topic: "device1/set",
                choose: [GUESTS_ON],
                else: "p2",
                confirm: { topic: "device1/state" },
              },
            ],
          },
        },
      ],
      devices: [REPORTING],
      events: [
        { at: 1, kind: "start" },
        { at: 500, kind: "latency", milliseconds: 3_000, for: 700 },
        { at: 600, kind: "reload" },
        {
          at: 610,
          kind: "series",
          topic: "house/value1",
          every: 20,
          for: 300,
          retain: true,
          values: { words: ["guests", "home"] },
        },
      ],
    },
  },
  {
    what: "that a device is there is known from a slow broker only after it has confirmed what it was sent meanwhile",
    scenario: {
      ...QUIET_HOUSE,
      length: 800,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS],
          outputs: {
            list: [
              {
                id: "device1",
                url: "http://192.0.2.40/device1/set?turn={payload}",
                choose: [GUESTS_ON],
                else: "p2",
                confirm: {
                  url: "http://192.0.2.40/device1/state",
                  online: ONLINE,
                },
              },
            ],
          },
        },
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
      ...QUIET_HOUSE,
      length: 1_100,
      seed: 1,
      from: "2026-01-05T10:00:00Z",
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
        {
          at: 610,
          kind: "series",
          topic: "house/value1",
          every: 35,
          for: 300,
          retain: true,
          values: { words: ["guests", "home"] },
        },
      ],
    },
  },
  ...FOUND_IN_MESSAGES,
];

/** vigie is stopped while its disk fails, and started again when it works. */
function stopWithoutDisk(at: number): ScriptEvent[] {
  return [
    { at, kind: "disk", fault: "fails", for: 100 },
    { at: at + 70, kind: "stop" },
    { at: at + 130, kind: "start" },
  ];
}

/** A value changes its mind again and again for some seconds. */
function chatterAt(at: number, every: number): ScriptEvent {
  const values = { words: ["home", "away", "guests", "home", "guests", "guests"] };
  return { at, kind: "series", topic: "house/value1", every, for: 11, retain: true, values };
}

function cutAt(at: number): ScriptEvent {
  return { at, kind: "power", device: "device1", for: 60, back: "online" };
}

function behindOneAddress(number: number): OutputText {
  const id = `device${number}`;
  const url = `http://192.0.2.40/${id}/set?turn={payload}`;
  return { id, url, choose: [GUESTS_ON], else: "p2" };
}

function hangs(device: string): ScriptEvent {
  const fault = { kind: "hangs", seconds: null } as const;
  return { at: 30, kind: "web", host: "http://192.0.2.40", device, fault, for: 3_000 };
}

/** The connection is lost so many times. */
function eachMinute(at: number, times: number): ScriptEvent[] {
  return Array.from({ length: times }, (_, index) => ({ at: at + 60 * index, kind: "connection lost" }));
}

function valueAt(at: number, word: string): ScriptEvent {
  return {
    at,
    kind: "series",
    topic: "house/value1",
    every: 1,
    for: 0,
    retain: true,
    values: { words: [word] },
  };
}
