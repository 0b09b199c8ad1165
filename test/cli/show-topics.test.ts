import { describe, expect, test } from "vitest";
import type { FoundHealth } from "../../src/app/judge-health.ts";
import { formatTopics, type PageOptions } from "../../src/cli/show-topics.ts";
import { paint } from "../../src/cli/table.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { COLORS } from "../../src/core/calendar/tariff.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import { forecast, knownDaysOf, officialDays } from "../support/known-days.ts";
import { openTestLoop } from "../support/test-loop.ts";

const NOW = Date.parse("2026-01-05T12:00:00Z");
const DAYS = knownDaysOf({
  ...officialDays("2025-09-01", "2026-01-06"),
  "2026-01-08": forecast("rouge", { confidence: 0.87 }),
  "2026-01-07": forecast("bleu"),
});
const LONGEST_ID = "a_rule_whose_name_is_as_long_as_it_can_b";
const RULES = rulesOptions.parse([
  {
    id: LONGEST_ID,
    when: {
      any: ["d2", "d3", "d4", "d5"].map((day) => ({ day, color: ["rouge", "blanc"], confidence: 80 })),
    },
  },
  { id: "short", when: { period: "hp" } },
]);

/** Of a vigie that runs, or of one that has ended ten minutes ago. */
function health(running: boolean): FoundHealth {
  return {
    running,
    health: {
      at: running ? NOW : NOW - 600_000,
      pid: 42,
      broker: { connected: true, url: "mqtt://broker", port: null },
      data: { last_success: null, newest: null, official_success: null, service: "real" },
    },
  };
}

/** The page for what a loop publishes, with these topics of the connection or instead of its own. */
function show(
  topics: Record<string, string> = {},
  options: Partial<PageOptions> = {},
  rules: readonly Rule[] = RULES,
): string {
  const published = [...openTestLoop({ rules, days: DAYS, clock: { at: NOW } }).topics()];
  const page = new Map([
    ...published.map(([name, { payload }]): [string, string] => [name, payload]),
    ["availability", "online"],
    ...Object.entries(topics),
  ]);
  return formatTopics(page, {
    title: "mqtt://192.0.2.10:1883, vigie",
    color: false,
    zone: "Europe/Paris",
    now: NOW,
    health: null,
    isWatched: false,
    ...options,
  });
}

describe("the page of vigie show", () => {
  test("names the weekday of each date, and how sure the next rouge day is", () => {
    const page = show();
    expect(page).toMatch(/^today +Mon 2026-01-05 +bleu/m);
    expect(page).toMatch(/^next +Tue 2026-01-06 +bleu/m);
    expect(page).toMatch(/^next rouge +Thu 2026-01-08 +confidence 87 %$/m);
  });

  test("says of a day that nobody has named what it can only be, beside its price", () => {
    const page = show({ "d6/source": "laws", "d6/rate_hp": "0.1654", "d6/rate_hc": "0.1356" });
    expect(page).toMatch(/d6 +Sun 2026-01-11 +unknown +can only be bleu +0.1654 €.kWh +0.1356 /);
  });

  test("tells the two counts of days left apart", () => {
    const page = show({ "season/left/rouge": "20", "season/remaining/rouge": "19" });
    expect(page).toMatch(/^left after the day in force +.* 20$/m);
    expect(page).toMatch(/^left, as the service says +.* 19$/m);
  });

  test("is at most 100 columns wide, however long reasons, payloads, ids, contradictions and the last error are", () => {
    const contradiction = { official_by: { rte: "blanc", service: "rouge" } };
    const output = `outputs/${LONGEST_ID}`;
    const page = show({
      [`${output}/state`]: "confirmed",
      [`${output}/payload`]: "payload ".repeat(9),
      [`${output}/since`]: "2026-01-05T04:55:00Z",
      [output]: JSON.stringify({ because: "a long reason ".repeat(9) }),
      "service/problem_code": "service",
      "service/last_error": `The forecast service failed ${"again and again ".repeat(12)}`,
      "now/rate": "0.7295",
      "today/rate_hp": "0.7295",
      "today/rate_hc": "0.1575",
      now: JSON.stringify(contradiction),
      today: JSON.stringify(contradiction),
    });
    expect(page).toContain("\nMon 2026-01-05: RTE says blanc, the service says rouge\n\n");
    for (const what of ["rule", "output"]) expect(page).toContain(`${what} ${LONGEST_ID}`);
    expect(Math.max(...page.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test("says since when a device is away, and when it is told next", () => {
    const page = show({
      "outputs/boiler/state": "contrary",
      "outputs/boiler/payload": "off",
      "outputs/boiler/since": "2026-01-05T04:55:00Z",
      "outputs/boiler": JSON.stringify({
        tries: 6,
        away_since: "2026-01-05T10:30:00Z",
        next_try: "2026-01-05T12:07:00Z",
      }),
    });
    expect(page.replaceAll(/\s+/g, " ")).toMatch(
      /sent 6 times; last answer: none; away since Mon,? 0?5 Jan,? 11:30; next try Mon,? 0?5 Jan,? 13:07 /,
    );
  });

  test("gives the reasons of a rule beside its verdict where there is room, and else below it", () => {
    const short = RULES.filter(({ id }) => id === "short");
    expect(show({}, {}, short)).toMatch(/^rule short {2}ON {2}OFF .*22:00 {2}in peak hours/m);
    expect(show()).toMatch(new RegExp(`^rule ${LONGEST_ID} .*\\n {4}\\S`, "m"));
    const because = JSON.stringify({ because: ["many words ".repeat(12)] });
    expect(show({ "rules/short": because }, {}, short)).toMatch(/22:00 {2}many .*\n {30,}words many/);
  });

  test("says until when the verdict of a rule is certain, or that it is not", () => {
    const rules = rulesOptions.parse([
      { id: "now_rouge", when: { day: "now", color: "rouge", confidence: 95 } },
      { id: "d3_bleu", when: { day: "d3", color: "bleu" } },
    ]);
    const page = show({}, {}, rules);
    expect(page).toMatch(/^rule now_rouge {2}OFF {2}certain until Wed,? 0?7 Jan,? 06:00 /m);
    expect(page).toMatch(/^rule d3_bleu {4}OFF {2}not certain; ON Thu/m);
  });

  test("says perhaps of a change that rests on a forecast", () => {
    const rules = rulesOptions.parse([
      { id: "rouge", when: { day: "now", color: "rouge" } },
      { id: "night", when: { period: "hc" } },
    ]);
    const page = show({}, {}, rules);
    expect(page).toMatch(/^rule rouge {2}OFF {2}certain until Wed.*; perhaps ON Thu,? 0?8 Jan,? 06:00$/m);
    expect(page).toMatch(/^rule night {2}OFF {2}ON Mon/m);
  });

  test("says at its top that the clock is wrong, and claims nothing of the next rouge day then", () => {
    const wrong = { "service/problem_code": "clock", "now/date": "None", "next_rouge/date": "None" };
    const page = show({ ...wrong, "next_rouge/outlook": "none_in_horizon" });
    expect(page).toMatch(/^vigie on .*: online, but the clock of this machine\s+is wrong\n/);
    expect(page).toMatch(/^next rouge +unknown$/m);
    // The word of a topic is none for people.
    expect(page).toMatch(/^now +– /m);
  });

  test("names a state that cannot be saved", () => {
    const found = health(true);
    const unsaved = { ...found, health: { ...found.health, unsaved: "/state: the disk is full" } };
    expect(show({}, { health: unsaved })).toMatch(/^state not saved in \/state: the disk is full/m);
  });

  test.each([
    [
      { "service/problem_code": "service", "service/last_success": "None" },
      "problem: service: it has not answered yet\n",
    ],
    [{ "service/problem_code": "service" }, "problem: service: it is silent\n"],
    [
      { "service/problem_code": "service", "service/last_error": "Nothing listens there" },
      "problem: service: Nothing listens there\n",
    ],
    [{ "service/problem_code": "official" }, "problem: official: it has not answered yet\n"],
    [
      { "service/problem_code": "vigie" },
      "problem: vigie: an error of vigie itself, which its log describes\n",
    ],
    [{ "service/problem_code": "late" }, "problem: late: the colour of tomorrow is not official yet\n"],
  ])("says why there is a problem: %j", (topics, line) => {
    expect(show(topics)).toContain(line);
  });

  test.each([
    ["offline", health(false), /: offline since Mon,? 0?5 Jan,? 12:50\n/],
    ["offline", null, /: offline\n/],
    ["online", health(true), /: online\n\n/],
    [
      "online",
      health(false),
      /: online\nThe vigie with this state folder does not run: its process 42 has ended \(last report [^)]*\s12:50\)\n/,
    ],
  ])("tells since when vigie is gone: %s, %j", (availability, found, words) => {
    expect(show({ availability }, { health: found })).toMatch(words);
  });

  test("says of a broker that the running vigie does not reach that no device can be commanded over MQTT, and since when", () => {
    const found = health(true);
    const broker = { ...found.health.broker, connected: false, away_since: NOW - 300_000 };
    const away = { ...found, health: { ...found.health, broker } };
    const words =
      /^problem: broker: the running vigie has not reached mqtt:\/\/broker since Mon,? 0?5 Jan,? 12:55, so no\s+device\s+can be\s+commanded\s+over\s+MQTT$/m;
    expect(show({ "service/problem_code": "late" }, { health: away })).toMatch(words);
    expect(show({ "service/problem_code": "clock" }, { health: away })).toMatch(/^problem: clock: /m);
    expect(show({}, { health: { ...away, running: false } })).not.toContain("problem: broker");
    expect(show({}, { health: found })).not.toContain("problem: broker");
  });

  test("has the last answer as the running vigie knows it; what is published or saved is the least", () => {
    const found = health(true);
    const topics = { "service/status": "ok", "service/last_success": "2026-01-05T01:13:00Z" };
    const page = (data: object, running = true) =>
      show(topics, {
        health: { running, health: { ...found.health, data: { ...found.health.data, ...data } } },
      });
    const data = { last_success: Date.parse("2026-01-05T01:44:00Z") };
    expect(page(data)).toMatch(/^service ok, last answer Mon 05 Jan, 02:44$/m);
    expect(page(data, false)).toMatch(/^service ok, last answer Mon 05 Jan, 02:13 or later$/m);
    expect(page({ ...data, saved: ["service"] })).toMatch(
      /^service no answer yet since the start, last answer Mon 05 Jan, 02:44 or later$/m,
    );
    expect(show(topics)).toMatch(/^service ok, last answer Mon 05 Jan, 02:13 or later$/m);
  });

  test("says of what time it is while it is shown again after each change", () => {
    expect(show({}, { isWatched: true })).toMatch(/\nThis page is of 13:00:00\. .*\n\n$/);
    expect(show()).not.toContain("13:00:00");
  });
});

const PAGE = {
  title: "broker",
  color: false,
  zone: "Europe/Paris",
  now: NOW,
  health: null,
  isWatched: false,
};

test("vigie show lists each output: its state, what was sent, when and why, and what its device answered", () => {
  const sent = { "outputs/boiler/payload": "off", "outputs/boiler/since": "2026-01-05T04:55:00Z" };
  const page = (state: string, json: object) =>
    formatTopics(
      new Map(
        Object.entries({
          ...sent,
          "outputs/boiler/state": state,
          "outputs/boiler": JSON.stringify({
            because: "rouge_peak is ON",
            tries: 3,
            last_answer: null,
            ...json,
          }),
          "service/failed_outputs": state === "failed" ? "Boiler (boiler/set)" : "None",
        }),
      ),
      PAGE,
    ).replaceAll(/\s+/g, " ");
  expect(page("confirmed", { last_answer: "off" })).toContain(
    "output boiler confirmed off since Mon 05 Jan, 05:55 rouge_peak was ON ",
  );
  expect(page("sent", { because: "rouge_peak and dear are OFF" })).toContain(
    " rouge_peak and dear were OFF ",
  );
  expect(page("sent", { because: "rouge_peak is unknown" })).toContain(" rouge_peak was unknown ");
  expect(page("waiting", { last_answer: "on" })).toContain("; last answer: on ");
  expect(page("failed", {})).toContain("rouge_peak was ON; sent 3 times; last answer: none ");
  expect(page("failed", { tries: 1 })).toContain("; sent once; ");
  expect(page("failed", {})).toContain("devices that do not do what they were sent: Boiler (boiler/set) ");
  expect(page("dry", { would_send: "a payload that is longer than this" })).toContain(
    "would send a payload that is longer tha… ",
  );
  const json = { id: 1, src: "boiler_output", method: "Switch.Set", params: { id: 0, on: false } };
  expect(page("dry", { would_send: JSON.stringify(json) })).toContain(
    'would send {"id":1,"s…id":0,"on":false}} ',
  );
});

test("vigie show says of an output that has sent nothing only that, and reads JSON of another program", () => {
  const topics = {
    "outputs/a/state": "nothing",
    "outputs/a/payload": "None",
    "outputs/a/since": "None",
    "outputs/a": "no JSON",
    "outputs/a/x/state": "?",
    "outputs/b/state": "nothing",
    "outputs/b": "null",
  };
  const page = formatTopics(new Map(Object.entries(topics)), PAGE);
  expect(page).toMatch(/^output a +nothing *$/m);
  expect(page).toMatch(/^output b +nothing *$/m);
  expect(page.match(/^output/gm)).toHaveLength(2);
});

test("a painted page has no escape sequences but vigie's own, whatever another program wrote", () => {
  const evil = "\u001b[97;41mrouge\u009b2J\u202e\n";
  const names = [
    ...["now/color", "now/date", "now/period_until", "today/stage", "today/rate_hp", "next_rouge/date"],
    ...["simulation/color", "service/status", "service/last_error", "service/problem_code", "rules/x/state"],
    ...["outputs/y/state", "outputs/y/payload", "outputs/y/since", "season/label", "season/used/rouge"],
  ];
  const json = { today: { official_by: { rte: evil, service: evil } }, "rules/x": { because: [evil] } };
  const topics = new Map([
    ...names.map((name) => [name, evil] as const),
    ...Object.entries(json).map(([name, value]) => [name, JSON.stringify(value)] as const),
  ]);
  const page = formatTopics(topics, { ...PAGE, color: true });
  expect(page).toContain("\\u001b[97;41mrouge\\u009b2J\\u202e");
  // The names of the colours, over the counts.
  const own = COLORS.reduce((text, color) => text.replaceAll(paint(color, color), color), page);
  expect(own).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
});
