import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "../calendar.ts";
import { eventAt, withMore } from "../lies/change-trace.ts";
import { liveFound } from "../live.ts";
import type { Seen, Trace, TraceEvent } from "../trace.ts";
import { truthJudges } from "./answers-to-truth.ts";
import { ask } from "./judge.ts";

/** 4 January 2026 is a Sunday. All times are those of Paris. */
const BEGAN = Date.parse("2026-01-04T00:00:00+01:00");

type Happening = [time: string, ...Seen[]];

/** A house that begins at 00:00, and whose vigie is connected at once. */
function live(rules: string, happenings: readonly Happening[]): Trace {
  const all: Happening[] = [["01-04 00:00", ...starts(rules)], ...happenings];
  const events = all.flatMap(([time, ...seen]) => {
    const at = Date.parse(`2026-${time.replace(" ", "T")}+01:00`);
    return seen.map((one): TraceEvent => {
      // Whoever made an answer made it then.
      const given = one.kind === "answer" ? { ...one, headers: { date: new Date(at).toUTCString() } } : one;
      return { at, steady: at - BEGAN, ...given };
    });
  });
  return { began: BEGAN, events };
}

function starts(rules: string): Seen[] {
  const yaml = `service: { base_url: "https://service.example" }
official: { source: rte }
mqtt: { url: "mqtt://192.0.2.1" }
rules: ${rules}`;
  return [
    { kind: "start", yaml },
    { kind: "started" },
    { kind: "connected", version: 5 },
    shows("availability", "online"),
  ];
}

function shows(topic: string, payload: string, expiry?: number): Seen {
  return { kind: "published", id: 1, topic: `vigie/${topic}`, payload, retain: true, qos: 0, expiry };
}

function answers(source: "service" | "rte", path: string, body: unknown): Seen {
  return { kind: "answer", source, path, status: 200, headers: {}, body: JSON.stringify(body) };
}

const serviceSays = (date: string, color: string) =>
  answers("service", `/v1/public/${date}`, { date, color, confidence: 1, is_official: true });
const rteSays = (values: Record<string, string>) => answers("rte", "/tempoLight", { values });
const forecast = (date: string, color: string, confidence: number) =>
  answers("service", "/v1/public", {
    updated_at: "2026-01-04T00:00:00Z",
    forecast: [{ date, color, confidence }],
  });
const hears = (topic: string, payload: string, retain = false): Seen => ({
  kind: "heard",
  topic,
  payload,
  retain,
});
const END: Seen = { kind: "quiet", since: 0, retained: new Map(), page: "", views: null };

/** What is said of one topic, in short: when, and what it holds. */
function wrongs(topic: string, trace: Trace): string[] {
  return ask(truthJudges, trace)
    .violations.filter(({ sentence }) => sentence.includes(` ${topic} `))
    .map(({ at, sentence }) => {
      const time = new Date(BEGAN + at + 3_600_000).toISOString().slice(5, 16).replace("T", " ");
      return `${time} ${/ (?:is|holds) ([^,;]+)/.exec(sentence.replace("vigie is away, and", ""))?.[1]}`;
    });
}

describe("the period, with other off-peak hours on Sundays", () => {
  const house =
    '[]\ntariff: { off_peak: [{ weekdays: sun, windows: ["00:00-24:00"] }, { windows: ["02:00-06:00"] }] }';
  const shown = (topic: string, ...payloads: [time: string, payload: string][]) =>
    wrongs(
      topic,
      live(house, [
        ...payloads.map(([time, payload]): Happening => [time, shows(topic, payload)]),
        ["01-05 08:00", END],
      ]),
    ).map((wrong) => wrong.slice(0, "01-05 00:00".length));

  test("is right if it changes with the date", () => {
    const right = shown(
      "now/period",
      ["01-04 00:00:02", "hc"],
      ["01-05 00:00", "hp"],
      ["01-05 02:00", "hc"],
      ["01-05 06:00", "hp"],
    );
    expect(right).toEqual([]);
  });

  test("is wrong if it changes with the tariff day", () => {
    const [first] = shown("now/period", ["01-04 00:00:02", "hc"], ["01-05 06:00", "hp"]);
    expect(first).toBe("01-05 00:00");
  });

  test("ends at midnight", () => {
    const until = (instant: string) => shown("now/period_until", ["01-04 00:00:02", instant])[0];
    expect(until("2026-01-04T23:00:00Z")).toBe("01-05 00:00");
    expect(until("2026-01-05T05:00:00Z")).toBe("01-04 00:00");
    expect(until("None")).toBe("01-04 00:00");
  });
});

const ROUGE_PEAK = "[{ id: r, when: { all: [{ day: now, color: rouge }, { period: hp }] } }]";

describe("the colour of a day", () => {
  const begin: Happening[] = [
    ["01-04 00:00:02", rteSays({ "2026-01-04": "BLUE" }), shows("now/color", "None")],
    ["01-04 06:00", shows("now/color", "bleu")],
    ["01-04 11:31", rteSays({ "2026-01-04": "BLUE", "2026-01-05": "RED" })],
  ];

  describe("RTE named rouge before 11:30, and only the service's other colour is confirmed", () => {
    const contradicted: Happening[] = [
      [
        "01-04 10:40",
        rteSays({ "2026-01-04": "BLUE", "2026-01-05": "RED" }),
        shows("tomorrow/color", "rouge"),
      ],
      ["01-04 11:40", serviceSays("2026-01-05", "bleu")],
    ];
    const shown = (color: string, more: readonly Happening[]) =>
      wrongs(
        "tomorrow/color",
        live("[]", [
          ...contradicted,
          ...more,
          ["01-04 11:50:01", shows("tomorrow/color", color)],
          ["01-04 13:00", END],
        ]),
      ).at(-1);

    test("is rouge", () => {
      expect(shown("rouge", [])).toBeUndefined();
      expect(shown("bleu", [])).toBe("01-04 13:00 bleu");
    });

    test("is the service's, once RTE names the date no longer", () => {
      const gone: Happening[] = [["01-04 11:50", rteSays({ "2026-01-04": "BLUE" })]];
      expect(shown("bleu", gone)).toBeUndefined();
      expect(shown("rouge", gone)).toBe("01-04 13:00 rouge");
    });

    test("stays rouge if an answer of RTE cannot be read", () => {
      expect(shown("rouge", [["01-04 11:50", rteSays({})]])).toBeUndefined();
    });

    test("is announced also after 06:00", () => {
      const stage = (word: string) =>
        wrongs(
          "now/stage",
          live("[]", [...contradicted, ["01-05 06:00", shows("now/stage", word)], ["01-05 08:00", END]]),
        ).at(-1);
      expect(stage("announced")).toBeUndefined();
      expect(stage("final")).toBe("01-05 08:00 final");
    });
  });

  test("is right if it changes at 06:00", () => {
    expect(
      wrongs(
        "now/color",
        live("[]", [...begin, ["01-05 06:00", shows("now/color", "rouge")], ["01-05 08:00", END]]),
      ),
    ).toEqual([]);
  });

  test("is wrong if it changes at midnight", () => {
    const [first] = wrongs(
      "now/color",
      live("[]", [...begin, ["01-05 00:00", shows("now/color", "rouge")], ["01-05 08:00", END]]),
    );
    expect(first).toBe("01-05 00:00 rouge");
  });

  test("is wrong if it stays", () => {
    const [first] = wrongs("now/color", live("[]", [...begin, ["01-05 08:00", END]]));
    expect(first).toBe("01-05 06:00 bleu");
  });

  test("is the dearer one while the sources contradict each other, and none has confirmed its word", () => {
    const shown = (color: string) =>
      wrongs(
        "tomorrow/color",
        live("[]", [
          [
            "01-04 10:40",
            serviceSays("2026-01-05", "rouge"),
            rteSays({ "2026-01-05": "WHITE" }),
            shows("tomorrow/color", color),
          ],
          ["01-04 11:00", END],
        ]),
      ).at(-1);
    expect(shown("rouge")).toBeUndefined();
    expect(shown("blanc")).toBe("01-04 11:00 blanc");
  });

  test("is RTE's if RTE has confirmed it", () => {
    const shown = (color: string) =>
      wrongs(
        "tomorrow/color",
        live("[]", [
          ["01-04 10:40", serviceSays("2026-01-05", "rouge")],
          ["01-04 11:40", rteSays({ "2026-01-05": "WHITE" }), shows("tomorrow/color", color)],
          ["01-04 12:00", END],
        ]),
      ).at(-1);
    expect(shown("blanc")).toBeUndefined();
    expect(shown("rouge")).toBe("01-04 12:00 rouge");
  });

  test("may be the one before for twelve seconds after an answer, and not longer", () => {
    const shown = (time: string) =>
      wrongs(
        "tomorrow/color",
        live("[]", [
          ["01-04 10:00", shows("tomorrow/color", "None")],
          ["01-04 10:40", serviceSays("2026-01-05", "rouge")],
          [time, shows("tomorrow/color", "rouge")],
          ["01-04 12:00", END],
        ]),
      ).slice(-1);
    expect(shown("01-04 10:40:11")).toEqual([]);
    expect(shown("01-04 10:41:00")).toEqual(["01-04 10:40 None"]);
  });
});

describe("a rule", () => {
  const ROUGE_MONDAY: Happening = [
    "01-04 11:31",
    rteSays({ "2026-01-04": "BLUE", "2026-01-05": "RED" }),
    shows("rules/r/state", "OFF"),
  ];

  test("is ON as long as its condition is, and wrong a minute later", () => {
    const turnsAt = (on: string) =>
      wrongs(
        "rules/r/state",
        live(ROUGE_PEAK, [ROUGE_MONDAY, [on, shows("rules/r/state", "ON")], ["01-05 08:00", END]]),
      );
    expect(turnsAt("01-05 06:00").filter((one) => one > "01-04 12")).toEqual([]);
    expect(turnsAt("01-05 06:01")).toContain("01-05 06:00 OFF");
    expect(turnsAt("01-05 05:59")).toContain("01-05 05:59 ON");
  });

  test("is ON earlier by its lead and OFF later by its lag", () => {
    const rules = ROUGE_PEAK.replace("id: r", "id: r, lead: 5m, lag: 10m");
    const turns = (on: string, off: string) =>
      wrongs(
        "rules/r/state",
        live(rules, [
          ROUGE_MONDAY,
          [on, shows("rules/r/state", "ON")],
          [off, shows("rules/r/state", "OFF")],
          ["01-05 23:00", END],
        ]),
      ).filter((one) => one > "01-04 12");
    expect(turns("01-05 05:55", "01-05 22:10")).toEqual([]);
    expect(turns("01-05 06:00", "01-05 22:10")).toContain("01-05 05:55 OFF");
    expect(turns("01-05 05:55", "01-05 22:00")).toContain("01-05 22:00 OFF");
  });

  test("does not count a forecast below its confidence", () => {
    const shown = (confidence: number, state: string) =>
      wrongs(
        "rules/r/state",
        live("[{ id: r, when: { day: tomorrow, color: rouge, confidence: 80 } }]", [
          ["01-04 08:00", forecast("2026-01-05", "rouge", confidence), shows("rules/r/state", state)],
          ["01-04 10:00", END],
        ]),
      ).at(-1);
    expect(shown(0.85, "ON")).toBeUndefined();
    expect(shown(0.75, "OFF")).toBeUndefined();
    expect(shown(0.75, "ON")).toBe("01-04 10:00 ON");
  });

  test("is unknown of an unknown day, unless when_unknown or the laws decide", () => {
    const shown = (rule: string, state: string) =>
      wrongs(
        "rules/r/state",
        live(`[{ id: r, ${rule} }]`, [
          ["01-04 08:00", shows("rules/r/state", state)],
          ["01-04 10:00", END],
        ]),
      ).at(-1);
    expect(shown("when: { day: tomorrow, color: rouge }", "None")).toBeUndefined();
    expect(shown("when: { day: tomorrow, color: rouge }", "OFF")).toBe("01-04 10:00 OFF");
    expect(shown("when: { day: tomorrow, color: rouge }, when_unknown: on", "ON")).toBeUndefined();
    expect(shown("when: { day: tomorrow, color: rouge }, when_unknown: on", "None")).toBe("01-04 10:00 None");
    expect(shown("when: { day: today, color: rouge }", "OFF")).toBeUndefined();
    expect(shown("when: { day: today, color: bleu }", "OFF")).toBe("01-04 10:00 OFF");
  });

  test("follows the one that it refers to", () => {
    const shown = (state: string) =>
      wrongs(
        "rules/r/state",
        live("[{ id: r, when: { not: { rule: other } } }, { id: other, when: { period: hp } }]", [
          ["01-04 08:00", shows("rules/other/state", "ON"), shows("rules/r/state", state)],
          ["01-04 10:00", END],
        ]),
      ).at(-1);
    expect(shown("OFF")).toBeUndefined();
    expect(shown("ON")).toBe("01-04 10:00 ON");
  });

  test("is OFF while it is disabled, and as before at the end of that time", () => {
    const disable = hears("vigie/rules/r/enabled/set", '{"enabled":false,"for":"1h"}');
    const shown = (on: string) =>
      wrongs(
        "rules/r/state",
        live("[{ id: r, when: { period: hp } }]", [
          ["01-04 08:00", disable, shows("rules/r/state", "OFF")],
          [on, shows("rules/r/state", "ON")],
          ["01-04 10:00", END],
        ]),
      ).filter((one) => one > "01-04 07");
    expect(shown("01-04 09:00")).toEqual([]);
    expect(shown("01-04 08:30")).toContain("01-04 08:30 ON");
    expect(shown("01-04 09:30")).toContain("01-04 09:00 OFF");
  });

  test("goes by the threshold that was moved", () => {
    const shown = (state: string) =>
      wrongs(
        "rules/r/state",
        live("[{ id: r, threshold: 60, when: { day: tomorrow, color: rouge, confidence: threshold } }]", [
          ["01-04 08:00", forecast("2026-01-05", "rouge", 0.7), hears("vigie/rules/r/threshold/set", "80")],
          ["01-04 08:00:01", shows("rules/r/state", state)],
          ["01-04 10:00", END],
        ]),
      ).at(-1);
    expect(shown("OFF")).toBeUndefined();
    expect(shown("ON")).toBe("01-04 10:00 ON");
  });
});

describe("a value of the house", () => {
  const COLD = "{ mqtt: { topic: garden/thermometer, below: 2, max_age: 30m } }";

  test("counts at once, and is unknown once it is too old", () => {
    const shown = (later: string) =>
      wrongs(
        "rules/r/state",
        live(`[{ id: r, when: ${COLD} }]`, [
          ["01-04 10:00", hears("garden/thermometer", "1.8"), shows("rules/r/state", "ON")],
          ["01-04 10:30", shows("rules/r/state", later)],
          ["01-04 11:00", END],
        ]),
      ).filter((one) => one > "01-04 09");
    expect(shown("None")).toEqual([]);
    expect(shown("ON")).toContain("01-04 11:00 ON");
    expect(shown("OFF")).toContain("01-04 11:00 OFF");
  });

  test("may be too old after a start, if the broker holds what was heard long ago", () => {
    const rules = `[{ id: r, when: ${COLD} }]`;
    const shown = (between: readonly Seen[], state: string) =>
      wrongs(
        "rules/r/state",
        live(rules, [
          ["01-04 08:00", hears("garden/thermometer", "1.8"), shows("rules/r/state", "ON")],
          ["01-04 09:00", hears("garden/thermometer", "2.3"), shows("rules/r/state", "OFF")],
          [
            "01-04 09:10",
            ...between,
            hears("garden/thermometer", "1.8", true),
            shows("rules/r/state", state),
          ],
          ["01-04 09:20", END],
        ]),
      ).filter((one) => one > "01-04 09:10");
    // The state file may be of 08:30.
    const restarted: Seen[] = [{ kind: "kill" }, ...starts(rules)];
    const reconnected: Seen[] = [{ kind: "disconnected" }, { kind: "connected", version: 5 }];
    expect(shown(restarted, "None")).toEqual([]);
    expect(shown(restarted, "ON")).toEqual([]);
    expect(shown(restarted, "OFF")).toContain("01-04 09:20 OFF");
    expect(shown([...reconnected, shows("availability", "online")], "ON")).toEqual([]);
    expect(shown([...reconnected, shows("availability", "online")], "None")).toContain("01-04 09:20 None");
  });

  test("is held back by a hold, and not longer than that", () => {
    const turnsAt = (off: string) =>
      wrongs(
        "rules/r/state",
        live(`[{ id: r, hold: 15m, when: ${COLD} }]`, [
          ["01-04 10:00", hears("garden/thermometer", "1.8"), shows("rules/r/state", "ON")],
          ["01-04 10:10", hears("garden/thermometer", "2.3")],
          [off, shows("rules/r/state", "OFF")],
          ["01-04 10:39", END],
        ]),
      ).filter((one) => one > "01-04 09");
    expect(turnsAt("01-04 10:15")).toEqual([]);
    expect(turnsAt("01-04 10:38")).toContain("01-04 10:36 ON");
  });

  test("is held back for longer by so much as the clock was set back meanwhile", () => {
    const turnsAt = (off: string) => {
      const trace = live(`[{ id: r, hold: 15m, when: ${COLD} }]`, [
        ["01-04 10:00", hears("garden/thermometer", "1.8"), shows("rules/r/state", "ON")],
        ["01-04 10:01", hears("garden/thermometer", "2.3")],
        ["01-04 10:05", { kind: "jump", by: -600_000 }],
        [off, shows("rules/r/state", "OFF")],
        ["01-04 10:39", END],
      ]);
      const isAhead = ({ steady }: TraceEvent) => steady >= 10 * HOUR && steady < 10 * HOUR + 5 * MINUTE;
      const events = trace.events.map((event) =>
        isAhead(event) ? { ...event, at: event.at + 600_000 } : event,
      );
      return wrongs("rules/r/state", { ...trace, events }).filter((one) => one > "01-04 09");
    };
    expect(turnsAt("01-04 10:25")).toEqual([]);
    expect(turnsAt("01-04 10:38")).toContain("01-04 10:36 ON");
  });

  test("in a rule with a hold never delays the clock", () => {
    const turnsAt = (off: string) =>
      wrongs(
        "rules/r/state",
        live(`[{ id: r, hold: 2h, when: { all: [{ period: hp }, ${COLD}] } }]`, [
          ["01-04 21:50", hears("garden/thermometer", "1.8"), shows("rules/r/state", "ON")],
          [off, shows("rules/r/state", "OFF")],
          ["01-04 22:10", END],
        ]),
      ).filter((one) => one > "01-04 21:50");
    expect(turnsAt("01-04 22:00")).toEqual([]);
    expect(turnsAt("01-04 22:05")).toContain("01-04 22:00 ON");
  });
});

test("A rule is enabled again once the clock was set back by more than the time for which it was disabled", () => {
  const shown = (time: string) => {
    const trace = live("[{ id: r, when: { any: [{ period: hp }, { period: hc }] } }]", [
      ["01-04 08:00", shows("rules/r/state", "ON")],
      [
        "01-04 10:00",
        hears("vigie/rules/r/enabled/set", `{"enabled":false,"for":"${time}"}`),
        shows("rules/r/state", "OFF"),
      ],
      ["01-04 10:00:10", { kind: "jump", by: -90_000 }, shows("rules/r/state", "ON")],
      ["01-04 10:01", END],
    ]);
    const isBehind = ({ steady }: TraceEvent) => steady >= 10 * HOUR + 10_000;
    const events = trace.events.map((event) =>
      isBehind(event) ? { ...event, at: event.at - 90_000 } : event,
    );
    return wrongs("rules/r/state", { ...trace, events }).filter((one) => one > "01-04 09");
  };
  expect(shown("30s")).toEqual([]);
  expect(shown("5m")).toContain("01-04 10:01 ON");
});

test("What was heard under another tariff may be confirmed or not, until the next answer", () => {
  const rules = "[]";
  const shown = (color: string, stage: string, later: string) =>
    ["next/stage", "next/color"].flatMap((topic) =>
      wrongs(
        topic,
        live(`${rules}\ntariff: { time_zone: America/Martinique }`, [
          ["01-04 12:00", rteSays({ "2026-01-04": "BLUE", "2026-01-05": "RED" })],
          ["01-04 13:00", { kind: "kill" }, ...starts(rules)],
          ["01-04 13:00:01", shows("next/color", color), shows("next/stage", stage)],
          ["01-04 14:00", rteSays({ "2026-01-04": "BLUE", "2026-01-05": "RED" })],
          ["01-04 14:00:01", shows("next/stage", later)],
          ["01-04 15:00", END],
        ]),
      ),
    );
  expect(shown("rouge", "announced", "final")).toEqual([]);
  expect(shown("rouge", "final", "final")).toEqual([]);
  expect(shown("rouge", "announced", "announced")).toContain("01-04 15:00 announced");
  expect(shown("blanc", "final", "final")).toContain("01-04 15:00 blanc");
});

test.each(["rouge", "Rouge"])("A simulation shows the pretended colour, and ends: %s", (command) => {
  const shown = (end: string) =>
    wrongs(
      "now/color",
      live("[]", [
        ["01-04 08:00", rteSays({ "2026-01-04": "BLUE" }), shows("now/color", "bleu")],
        ["01-04 09:00", hears("vigie/simulation/set", command), shows("now/color", "rouge")],
        [end, shows("now/color", "bleu")],
        ["01-04 11:00", END],
      ]),
    ).filter((one) => one > "01-04 08:00");
  expect(shown("01-04 10:00")).toEqual([]);
  expect(shown("01-04 10:30")).toContain("01-04 10:00 rouge");
  expect(shown("01-04 09:30")).toContain("01-04 09:30 bleu");
});

describe("A simulation of the next day", () => {
  const says = { "2026-01-04": "BLUE", "2026-01-05": "WHITE" };
  const pretend = '{"color":"rouge","from":"next","for":"4h"}';
  const night = (topic: string, payload: string, steps: Happening[]) =>
    wrongs(
      topic,
      live("[]", [
        ["01-04 22:00", rteSays(says)],
        ["01-05 04:00", hears("vigie/simulation/set", payload)],
        ...steps,
        ["01-05 09:00", END],
      ]),
    );

  test("is pretended of the same date when its day has begun, and of no other", () => {
    const now = (from: string, until: string) =>
      night("now/color", pretend, [
        ["01-04 22:01", shows("now/color", "bleu")],
        [from, shows("now/color", "rouge")],
        [until, shows("now/color", "blanc")],
      ]).filter((one) => one > "01-05 04:00");
    expect(now("01-05 06:00", "01-05 08:00")).toEqual([]);
    expect(now("01-05 04:00", "01-05 08:00")).toContain("01-05 05:59 rouge");
    expect(now("01-05 06:00", "01-05 08:30")).toContain("01-05 08:00 rouge");
    const next = (until: string) =>
      night("next/color", "rouge:next", [
        ["01-04 22:01", shows("next/color", "blanc")],
        ["01-05 04:00", shows("next/color", "rouge")],
        [until, shows("next/color", "blanc")],
        ["01-05 06:00", shows("next/color", "None")],
      ]).filter((one) => one > "01-05 04:00");
    expect(next("01-05 05:00")).toEqual([]);
    expect(next("01-05 05:30")).toContain("01-05 05:00 rouge");
  });

  test("is named until it ends, and that of the day in force ends with its day", () => {
    const named = (payload: string, until: string) =>
      night("simulation/color", payload, [
        ["01-04 22:01", shows("simulation/color", "auto")],
        ["01-05 04:00", shows("simulation/color", "rouge")],
        [until, shows("simulation/color", "auto")],
      ]).filter((one) => one > "01-05 04:00");
    expect(named(pretend, "01-05 08:00")).toEqual([]);
    expect(named(pretend, "01-05 06:00")).toContain("01-05 07:59 auto");
    const now = pretend.replace("next", "now");
    expect(named(now, "01-05 06:00")).toEqual([]);
    expect(named(now, "01-05 08:00")).toContain("01-05 06:00 rouge");
  });
});

test("What a vigie that is gone has left at the broker expires before it is a lie", () => {
  const shown = (expiry: number) =>
    wrongs(
      "now/color",
      live("[]", [
        [
          "01-04 12:00",
          rteSays({ "2026-01-04": "BLUE", "2026-01-05": "RED" }),
          shows("now/color", "bleu", expiry),
        ],
        ["01-04 23:00", { kind: "kill" }],
        ["01-05 09:00", END],
      ]),
    ).filter((one) => one > "01-04 12:10");
  const untilSix = 18 * 3_600;
  expect(shown(untilSix + 600)).toEqual([]);
  expect(shown(untilSix + 3 * 3_600)).toContain("01-05 06:26 bleu");
});

test("Nothing is judged while the clock of the machine is hours off", () => {
  const trace = live("[]", [["01-04 08:00", rteSays({ "2026-01-04": "BLUE" }), shows("now/color", "rouge")]]);
  const wrong = { at: BEGAN + 14 * 3_600_000, steady: 9 * 3_600_000 };
  const events: TraceEvent[] = [
    ...trace.events,
    { ...wrong, kind: "jump", by: 5 * 3_600_000 },
    { ...wrong, steady: wrong.steady + 60_000, at: wrong.at + 60_000, ...END },
  ];
  expect(wrongs("now/color", { ...trace, events }).filter((one) => one > "01-04 09:00")).toEqual([]);
});

test("a topic that is not there is missing, once vigie is online for a while", () => {
  const missing = (trace: Trace) =>
    ask(truthJudges, trace).violations.filter(
      ({ judge, sentence }) =>
        judge === "no topic is missing" && sentence.endsWith("nothing is retained on now/color"),
    );
  const shown = shows("now/color", "None");
  expect(
    missing(
      live("[]", [
        ["01-04 00:00:02", shown],
        ["01-04 08:00", END],
      ]),
    ),
  ).toEqual([]);
  expect(missing(live("[]", [["01-04 08:00", END]]))).not.toEqual([]);
  const cleared = live("[]", [
    ["01-04 00:00:02", shown],
    ["01-04 07:00", shows("now/color", "")],
    ["01-04 08:00", END],
  ]);
  expect(missing(cleared)[0]?.at).toBeGreaterThan(7 * HOUR);
});

test("a rule that is disabled for a time is enabled again by no source whose clock is two minutes off", () => {
  const trace = live("[{ id: r, when: { any: [{ period: hp }, { period: hc }] } }]", [
    ["01-04 08:00", shows("rules/r/state", "ON")],
    ["01-04 10:00", serviceSays("2026-01-05", "BLUE")],
    [
      "01-04 10:05",
      hears("vigie/rules/r/enabled/set", '{"enabled":false,"for":"30m"}'),
      shows("rules/r/state", "OFF"),
    ],
    ["01-04 10:37", shows("rules/r/state", "ON")],
    ["01-04 10:50", END],
  ]);
  const headers = { date: new Date(BEGAN + 10 * HOUR + 2 * MINUTE).toUTCString() };
  const events = trace.events.map((event) => (event.kind === "answer" ? { ...event, headers } : event));
  expect(wrongs("rules/r/state", { ...trace, events })).toContain("01-04 10:35 OFF");
});

test("a rule that is disabled for a time while a source contradicts the clock is enabled again by one of the two clocks", async () => {
  const { began, events } = await liveFound("a rule is disabled for hours while the service alone");
  expect(ask(truthJudges, { began, events }).violations).toEqual([]);
  const topic = "vigie/rules/guests/state";
  const ends = events.findLast((event) => event.kind === "published" && event.topic === topic);
  expect(Math.round(ends!.steady / MINUTE)).toBe((8_000 + 510 * 60 + 4_000) / 60);
  const never = { began, events: events.filter((event) => event !== ends) };
  expect(ask(truthJudges, never).violations[0]).toMatchObject({
    sentence: expect.stringContaining("rules/guests/state is OFF, and ON is right"),
  });
});

test("a rule that holds what a slow broker never got is right, and wrong when the hold is over", async () => {
  const trace = await liveFound("a judge that expects on a topic what began a hold");
  expect(ask(truthJudges, trace).violations).toEqual([]);
  const isOn = eventAt(trace, 970_000, shows("rules/held/state", "ON"));
  const [first] = ask(truthJudges, withMore(trace, [isOn])).violations;
  expect(first?.sentence).toMatch(/rules\/held\/state is ON, and OFF is right$/);
});
