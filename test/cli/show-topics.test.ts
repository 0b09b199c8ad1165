import { describe, expect, test } from "vitest";
import type { FoundHealth } from "../../src/app/judge-health.ts";
import { formatTopics, type PageOptions } from "../../src/cli/show-topics.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
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

  test("gives the reasons of a rule beside its verdict where there is room, and else below it", () => {
    const short = RULES.filter(({ id }) => id === "short");
    expect(show({}, {}, short)).toMatch(/^rule short {2}ON {2}OFF .*22:00 {2}in peak hours/m);
    expect(show()).toMatch(new RegExp(`^rule ${LONGEST_ID} .*\\n {4}\\S`, "m"));
    const because = JSON.stringify({ because: ["many words ".repeat(12)] });
    expect(show({ "rules/short": because }, {}, short)).toMatch(/22:00 {2}many .*\n {30,}words many/);
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
      /: online\nThe vigie with this state folder is dead: its process 42 has ended \(last report .* 12:50\)\n/,
    ],
  ])("tells since when vigie is gone: %s, %j", (availability, found, words) => {
    expect(show({ availability }, { health: found })).toMatch(words);
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
