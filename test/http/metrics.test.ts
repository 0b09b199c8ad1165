import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import { countPoll, NO_POLLS, type PollOutcome } from "../../src/core/sources/poll-outcome.ts";
import { METRICS_TYPE, renderMetrics } from "../../src/http/metrics.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { forecast, knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { runs } from "../support/long.ts";
import { BOILER, statusOf } from "../support/outputs.ts";
import { judgeMetrics, withoutPromtool } from "../support/promtool.ts";
import { rulesOf } from "../support/rules.ts";
import { openTestLoop, RULES } from "../support/test-loop.ts";
import { viewOf, withLastAnswers } from "../support/views.ts";
import { openVirtualSeason } from "../support/virtual-season.ts";

const NOW = Date.parse("2026-01-05T12:00:00Z");
const DAYS = {
  ...officialDays("2025-09-01", "2026-01-04"),
  "2026-01-05": official("rouge", { rates: { hp: 0.7, hc: 0.16 } }),
  "2026-01-06": forecast("blanc", { confidence: 0.8 }),
};

const loopAt = (at: number, days: Record<string, KnownDay> = DAYS, rules = RULES) =>
  openTestLoop({ clock: { at }, days: knownDaysOf(days), rules });
const usual = (more: Partial<PageView> = {}) => viewOf(loopAt(NOW).loop, more);
const unknown = () => viewOf(openTestLoop({ clock: { at: NOW }, rules: RULES }).loop);
/** Days were seen in 2026, and this machine says 2025. */
const clockWrong = () => {
  const clock = { at: Date.parse("2025-12-20T12:00:00Z") };
  return viewOf(openTestLoop({ clock, days: knownDaysOf(DAYS), rules: RULES, checkClock: "auto" }).loop);
};

/** The samples by name and labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const cut = line.lastIndexOf(" ");
      return [line.slice(0, cut), Number(line.slice(cut + 1))];
    }),
  );
}

function sample(view: PageView, name: string): number | undefined {
  return samplesOf(renderMetrics(view)).get(name);
}

/** The labels of the samples that are 1. */
function isOne(view: PageView, name: string): string[] {
  const all = [...samplesOf(renderMetrics(view))].filter(([key]) => key.startsWith(`${name}{`));
  expect(all.length).toBeGreaterThan(0);
  return all.filter(([, value]) => value === 1).map(([key]) => key.slice(name.length));
}

describe("the metrics of the days", () => {
  test("name the colour now and next, one of each", () => {
    expect(isOne(usual(), "vigie_color")).toEqual([
      '{day="now",color="rouge"}',
      '{day="next",color="blanc"}',
    ]);
    expect(isOne(usual(), "vigie_color_official")).toEqual(['{day="now"}']);
    expect(sample(usual(), 'vigie_color_confidence_ratio{day="next"}')).toBe(0.8);
    expect(sample(usual(), "vigie_color_until_timestamp_seconds")).toBe(
      Date.parse("2026-01-06T05:00Z") / 1000,
    );
  });

  test("have the price and the period in force", () => {
    expect(sample(usual(), "vigie_price_euros_per_kwh")).toBe(0.7);
    expect(isOne(usual(), "vigie_period")).toEqual(['{period="hp"}']);
    const night = viewOf(loopAt(Date.parse("2026-01-05T22:00:00Z")).loop);
    expect(sample(night, "vigie_price_euros_per_kwh")).toBe(0.16);
    expect(isOne(night, "vigie_period")).toEqual(['{period="hc"}']);
  });

  test("have the days left as the topics have them", async () => {
    const { loop, pollAt, payload } = openVirtualSeason("2025-09-01");
    await pollAt(Date.parse("2026-02-10T12:00:00Z"));
    const view = viewOf(loop);
    const left = ["bleu", "blanc", "rouge"].map((color) =>
      sample(view, `vigie_season_left{color="${color}"}`),
    );
    expect(left).toEqual(["bleu", "blanc", "rouge"].map((color) => Number(payload(`season/left/${color}`))));
    expect(left.some((days) => (days ?? 0) > 0)).toBe(true);
    // Which season it is, is not known while the clock is wrong.
    const facts = { ...view.real.facts, moment: null };
    expect(sample({ ...view, real: { ...view.real, facts } }, 'vigie_season_left{color="rouge"}')).toBeNaN();
  });

  test.each([
    { when: "nothing is known", open: unknown, official: 0, periods: ['{period="hp"}'] },
    { when: "the clock is wrong", open: clockWrong, official: Number.NaN, periods: ['{period="unknown"}'] },
  ])("say unknown, or NaN, while $when", ({ open, official, periods }) => {
    const view = open();
    expect(isOne(view, "vigie_color")).toEqual([
      '{day="now",color="unknown"}',
      '{day="next",color="unknown"}',
    ]);
    expect(isOne(view, "vigie_period")).toEqual(periods);
    const names = ['vigie_color_confidence_ratio{day="next"}', 'vigie_season_left{color="rouge"}'];
    const values = [...names, "vigie_price_euros_per_kwh"].map((name) => sample(view, name));
    expect(values).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(sample(view, 'vigie_color_official{day="now"}')).toBe(official);
  });

  test("never have a colour that is pretended, nor a verdict that follows it", async () => {
    const opened = loopAt(NOW, { "2026-01-05": official("bleu"), "2026-01-06": official("bleu") });
    const before = renderMetrics(viewOf(opened.loop));
    for (const from of ["now", "next"] as const) {
      await opened.command({ kind: "simulation", request: { color: "rouge", from, for: 3_600_000 } });
      expect([opened.payload(`rouge_${from}`), opened.payload("rules/ahead/state")]).toEqual(["ON", "ON"]);
      expect(renderMetrics(viewOf(opened.loop))).toBe(before);
    }
  });

  test("say that invented days are invented", () => {
    const opened = openTestLoop({ clock: { at: NOW }, isInvented: true, days: knownDaysOf(DAYS) });
    expect(sample(viewOf(opened.loop), "vigie_invented")).toBe(1);
    expect(isOne(viewOf(opened.loop), "vigie_source_status")).toEqual([
      '{source="service",status="simulated"}',
    ]);
    expect(sample(usual(), "vigie_invented")).toBe(0);
  });
});

describe("the metrics of vigie itself", () => {
  const outcomes: PollOutcome[] = [
    { answers: 3, failures: [] },
    { answers: 1, failures: ["No route"] },
    { answers: 0, failures: ["No route"] },
    { answers: 0, failures: ["No route"] },
    { answers: 0, failures: [] },
  ];
  const counted = outcomes.reduce((counts, outcome) => countPoll(counts, outcome), NO_POLLS);

  test("count the polls of each source by what came of them", () => {
    const view = usual({
      pollCounts: { service: counted, official: countPoll(NO_POLLS, { answers: 1, failures: [] }) },
    });
    const results = ["answered", "partly", "failed", "not_sent"];
    const count = (result: string) =>
      sample(view, `vigie_source_polls_total{source="service",result="${result}"}`);
    expect(results.map(count)).toEqual([1, 1, 2, 1]);
    expect(renderMetrics(view)).not.toContain('source="official"');
  });

  test("have an instant for the last answer of each source that there is", () => {
    const name = "vigie_source_last_answer_timestamp_seconds";
    const opened = openTestLoop({
      clock: { at: NOW },
      askOfficial: () => Promise.reject(new Error("not asked here")),
    });
    const view = withLastAnswers(viewOf(opened.loop), { service: NOW, official: null });
    expect(sample(view, `${name}{source="service"}`)).toBe(NOW / 1000);
    expect(sample(view, `${name}{source="official"}`)).toBeNaN();
    const alone = viewOf(openTestLoop({ clock: { at: NOW }, ask: null }).loop);
    expect(renderMetrics(alone)).not.toContain("vigie_source");
  });

  test("say whether broker, Home Assistant and clock are well, and what the problem is", () => {
    expect(isOne(clockWrong(), "vigie_problem")).toEqual(['{code="clock"}']);
    expect([sample(clockWrong(), "vigie_clock_right"), sample(usual(), "vigie_clock_right")]).toEqual([0, 1]);
    const broker = { connected: false, url: "mqtt://x" };
    expect(sample(usual({ broker }), "vigie_broker_connected")).toBe(0);
    expect(sample(usual(), "vigie_broker_connected")).toBe(1);
    const home = (homeAssistant: PageView["homeAssistant"]) =>
      sample(usual({ homeAssistant }), "vigie_home_assistant_online");
    expect([home("online"), home("offline"), home(null)]).toEqual([1, 0, Number.NaN]);
  });

  test("have an instant, and no age: a later view with nothing new is the same text", () => {
    expect(renderMetrics(viewOf(loopAt(NOW + 60_000).loop))).toBe(renderMetrics(usual()));
  });
});

describe("the metrics of rules and outputs", () => {
  test("are 1 for ON, 0 for OFF and NaN for unknown", () => {
    const rules = rulesOf(
      { id: "on", when: { day: "now", color: "rouge" } },
      { id: "off", when: { day: "now", color: "bleu" } },
      { id: "not_known", when: { day: "d5", color: "bleu" } },
    );
    const view = viewOf(loopAt(NOW, DAYS, rules).loop);
    const states = rules.map(({ id }) => sample(view, `vigie_rule_on{rule="${id}",name="${id}"}`));
    expect(states).toEqual([1, 0, Number.NaN]);
  });

  test("leave rules out while the clock is wrong", () => {
    expect(renderMetrics(usual())).toContain("vigie_rule_on");
    expect(renderMetrics(clockWrong())).not.toContain("vigie_rule_on");
  });

  test("name the state of each output", () => {
    const outputs = [statusOf(BOILER), statusOf({ ...BOILER, id: "car" }, { isRefused: true })];
    expect(isOne(usual({ outputs }), "vigie_output_state")).toEqual([
      '{output="boiler",name="boiler/set",state="nothing"}',
      '{output="car",name="boiler/set",state="failed"}',
    ]);
  });
});

const HOSTILE = `"} 1\n# TYPE vigie_color counter\\\u0000\r\u202e<img src=x>é🔴`;

function hostileView(name: string): PageView {
  const rules = [{ ...RULES[0], name: { fr: name, en: name } }] as typeof RULES;
  const output = { ...BOILER, name: { fr: name, en: name } };
  const outputs = [statusOf(output)];
  return viewOf(loopAt(NOW, DAYS, rules).loop, { outputs, version: name, instance: name });
}

describe("a name that holds anything", () => {
  const LINE =
    /^(# (HELP|TYPE) vigie_\w+ .+|vigie_\w+(\{(\w+="([^"\\\n]|\\["\\n])*",?)+\})? (NaN|-?[\d.e+-]+))$/u;

  test("makes no line of its own, and ends no label", () => {
    const property = fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
      const text = renderMetrics(hostileView(name));
      const lines = text.slice(0, -1).split("\n");
      expect(text.endsWith("\n")).toBe(true);
      expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
      expect(lines).toHaveLength(renderMetrics(hostileView("plain")).slice(0, -1).split("\n").length);
    });
    fc.assert(property, { numRuns: runs(100) });
  });

  test("is there, escaped", () => {
    expect(renderMetrics(hostileView('a "quoted" \\ name'))).toContain('name="a \\"quoted\\" \\\\ name"');
  });
});

test("the type names the format: Prometheus 3 reads no text without one", () => {
  expect(METRICS_TYPE).toBe("text/plain; version=0.0.4; charset=utf-8");
});

describe.skipIf(withoutPromtool)(`promtool has nothing against them ${withoutPromtool}`, () => {
  const many = rulesOf(
    ...Array.from({ length: 200 }, (_, index) => ({
      id: `rule_${index}`,
      when: { day: "now", color: "rouge" },
    })),
  );

  test.each<[what: string, view: () => PageView]>([
    ["usually", () => usual({ pollCounts: { service: countPoll(NO_POLLS, { answers: 1, failures: [] }) } })],
    ["while nothing is known", unknown],
    ["while the clock is wrong", clockWrong],
    ["with hostile names", () => hostileView(HOSTILE)],
    ["with a name of 100 KB", () => hostileView(HOSTILE.repeat(3_000))],
    ["with 200 rules", () => viewOf(loopAt(NOW, DAYS, many).loop)],
  ])("%s", (_, view) => {
    expect(judgeMetrics(renderMetrics(view()))).toBe("");
  });

  test("though it would: of a sample twice, and of text that is none", () => {
    const text = renderMetrics(usual());
    expect(judgeMetrics(text + text)).not.toBe("");
    expect(judgeMetrics(text.replaceAll("} 1", '"} 1'))).not.toBe("");
  });
});
