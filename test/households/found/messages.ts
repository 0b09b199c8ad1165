import {
  type Found,
  GUESTS,
  GUESTS_ON,
  HOUSE,
  houseWith,
  PEAK,
  QUIET_HOUSE,
  QUIET_MORNING,
  ROUGE_AHEAD,
  valueAt,
} from "./shared.ts";

const GUESTS_SAID = { when: "guests", payload: "m1" };

const HOME = { id: "home", when: { mqtt: { topic: "house/value1", equals: "home" } } };

const ROUGE_SAID = { when: "ahead", payload: "{next.date}: {next.color}" };

const THREE_ROUGE_DAYS = { "2026-01-06": "rouge", "2026-01-07": "rouge", "2026-01-08": "rouge" } as const;

const PHONE = { id: "phone", url: "https://phone.example/phone/set", message: true } as const;

/** An output is a message for people. */
export const MESSAGES: readonly Found[] = [
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
            list: [{ ...PHONE, choose: [ROUGE_SAID] }],
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
      configs: [houseWith(ROUGE_AHEAD, { ...PHONE, choose: [ROUGE_SAID] })],
      events: [
        { at: 1, kind: "web", host: "https://phone.example", fault: { kind: "refuses" }, for: 1_800 },
        { at: 60, kind: "start" },
      ],
    },
  },
  {
    what: "a message is due again after a broker that cannot say so has refused it",
    scenario: {
      ...QUIET_MORNING,
      oldBroker: true,
      configs: [houseWith(GUESTS, { topic: "device1/set", message: true, choose: [GUESTS_SAID] })],
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
    what: "a choice ends and begins again before its message is sent, and the message gets another name",
    scenario: {
      ...QUIET_MORNING,
      length: 900,
      configs: [
        houseWith(GUESTS, {
          ...PHONE,
          url: "https://phone.example/phone/set?id={id}",
          choose: [GUESTS_SAID],
        }),
      ],
      events: [
        { at: 1, kind: "start" },
        {
          at: 30,
          kind: "web",
          host: "https://phone.example",
          fault: { kind: "status", status: 503 },
          for: 600,
        },
        valueAt(60, "guests"),
        valueAt(200, "away"),
        valueAt(300, "guests"),
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
        houseWith(GUESTS, {
          ...PHONE,
          url: "https://phone.example/phone/set?id={id}",
          method: "PUT",
          choose: [GUESTS_SAID],
        }),
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
      configs: [houseWith(ROUGE_AHEAD, { ...PHONE, choose: [ROUGE_SAID] })],
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
      configs: ["first", "second"].map((folder) =>
        houseWith(ROUGE_AHEAD, {
          ...PHONE,
          url: `https://phone.example/phone/set/${folder}`,
          choose: [ROUGE_SAID],
        }),
      ),
      events: [
        { at: 1, kind: "start" },
        { at: 600, kind: "edit", config: 1 },
      ],
    },
  },
  {
    what: "the device of an output that was a message for a while is left with what it was sent before",
    scenario: {
      ...QUIET_MORNING,
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
    what: "an output that was for people is for a device, and for people again, who read the same twice",
    scenario: {
      ...QUIET_MORNING,
      length: 1_000,
      configs: [
        houseWith(GUESTS, { ...PHONE, choose: [GUESTS_SAID] }),
        houseWith(GUESTS, { id: PHONE.id, url: PHONE.url, choose: [GUESTS_SAID] }),
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
    what: "a reload, a restart or a kill brings the next try of a message nearer that may have arrived",
    scenario: {
      ...QUIET_MORNING,
      length: 7_200,
      configs: [houseWith(GUESTS, { ...PHONE, choose: [GUESTS_SAID] })],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "web", host: "https://phone.example", fault: { kind: "closes after" }, for: 7_000 },
        valueAt(60, "guests"),
        { at: 120, kind: "reload" },
        { at: 400, kind: "stop" },
        { at: 420, kind: "start" },
        { at: 1_000, kind: "kill", steps: 0 },
        { at: 1_010, kind: "start" },
      ],
    },
  },
  {
    what: "a reload while a message is tried again sends it once more at once",
    scenario: {
      ...QUIET_MORNING,
      length: 600,
      seed: 5008,
      configs: [houseWith(GUESTS, { ...PHONE, choose: [GUESTS_SAID] })],
      events: [
        { at: 1, kind: "start" },
        {
          at: 30,
          kind: "web",
          host: "https://phone.example",
          fault: { kind: "hangs", seconds: null },
          for: 500,
        },
        valueAt(60, "guests"),
        // From about 101 s to 111 s it is tried for the second time.
        { at: 105, kind: "reload" },
      ],
    },
  },
  {
    what: "a message is not sent, though its choice follows another one, or is not marked, though a colour is pretended",
    scenario: {
      ...QUIET_MORNING,
      colors: { "2026-01-05": "bleu" },
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS, HOME, { id: "rouge", when: { day: "today", color: "rouge" } }],
          outputs: {
            list: [
              { ...PHONE, choose: [GUESTS_SAID, { when: "home", payload: "m2" }] },
              { id: "board", topic: "board/set", message: true, choose: [{ when: "rouge", payload: "m3" }] },
            ],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        ...["guests", "home", "guests"].map((word, index) => valueAt(600 * (index + 1), word)),
        { at: 2_420, kind: "command", topic: "vigie/simulation/set", payload: "rouge" },
        { at: 3_000, kind: "command", topic: "vigie/simulation/set", payload: "auto" },
      ],
    },
  },
  {
    what: "a judge expects a message again after another one that an older state file does not hold",
    scenario: {
      ...QUIET_MORNING,
      configs: [
        {
          ...HOUSE,
          rules: [GUESTS, HOME],
          outputs: {
            list: [
              {
                topic: "board/set",
                message: true,
                choose: [GUESTS_ON, { when: "home", payload: "p2" }],
              },
            ],
          },
        },
      ],
      events: [
        { at: 1, kind: "start" },
        valueAt(600, "guests"),
        valueAt(1_000, "home"),
        valueAt(1_060, "away"),
        valueAt(1_120, "home"),
        valueAt(1_150, "away"),
        { at: 1_200, kind: "stop" },
        { at: 1_210, kind: "state file", from: "earlier" },
        { at: 1_210, kind: "start" },
        valueAt(1_500, "guests"),
      ],
    },
  },
  {
    what: "a judge expects a message again whose choice a wrong clock ended for half a minute",
    scenario: {
      ...QUIET_MORNING,
      from: "2026-01-05T13:00:00Z",
      length: 28_000,
      configs: [
        houseWith(PEAK, { topic: "board/set", message: true, choose: [{ when: "peak", payload: "p1" }] }),
      ],
      events: [
        { at: 1, kind: "start" },
        // The same text is not sent again within six hours. vigie looks at the clock every 15 s, here 14 s after each jump.
        { at: 27_003, kind: "jump", by: 7_200 },
        { at: 27_033, kind: "jump", by: -7_200 },
      ],
    },
  },
  {
    what: "a judge for which the six hours of a text begin anew at each of its tries",
    scenario: {
      ...QUIET_MORNING,
      length: 23_000,
      configs: [
        houseWith(GUESTS, {
          id: "board",
          url: "http://192.0.2.40/board/set?turn={payload}&id={id}",
          message: true,
          choose: [GUESTS_ON],
        }),
      ],
      events: [
        { at: 1, kind: "start" },
        { at: 30, kind: "web", host: "http://192.0.2.40", fault: { kind: "refuses" }, for: 22_900 },
        valueAt(60, "guests"),
        valueAt(90, "away"),
        valueAt(18_000, "guests"),
        valueAt(18_030, "away"),
        valueAt(22_000, "guests"),
      ],
    },
  },
  {
    what: "a judge that expects the same text once from a rule that is ON by a value first, and by its day then",
    scenario: {
      ...QUIET_MORNING,
      length: 1_800,
      configs: [
        houseWith(
          {
            id: "guests",
            when: {
              any: [
                { mqtt: { topic: "house/value1", equals: "guests" } },
                {
                  all: [
                    { mqtt: { topic: "house/value1", equals: "away" } },
                    { day: "today", confidence: 40 },
                  ],
                },
              ],
            },
          },
          { topic: "board/set", message: true, choose: [GUESTS_ON] },
        ),
      ],
      events: [{ at: 1, kind: "start" }, valueAt(60, "guests"), valueAt(300, "home"), valueAt(600, "away")],
    },
  },
];
