import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CIVIL_DAYS, type Facts } from "../../../src/core/facts/facts.ts";
import { renderTopics } from "../../../src/core/topics/render-topics.ts";
import { anyFacts, rougeFacts } from "../../support/facts.ts";
import { runs } from "../../support/long.ts";

const GRACE = 600_000;
const show = (facts: Facts) => renderTopics(facts, { grace: GRACE, laws: "tempo" });
const utc = (day: number, hour: number) => Date.UTC(2026, 0, day, hour) + GRACE;
const DAY = utc(6, 5);
const PERIOD = utc(5, 21);
const MIDNIGHT = utc(5, 23);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const PARENTS = ["now", "next", ...CIVIL_DAYS, "yesterday", "season", "service"];
const JSON_TOPICS = [...PARENTS, "simulation", "forecast", "rates", "rates_forecast"];

describe("renderTopics", () => {
  test.each<[topic: string, payload: string, expires: number | undefined]>([
    ["now/date", "2026-01-05", DAY],
    ["now/color", "rouge", DAY],
    ["now/confidence", "100", DAY],
    ["now/official", "ON", DAY],
    ["now/stage", "final", DAY],
    ["now/period", "hp", PERIOD],
    ["now/slot", "rouge_hp", PERIOD],
    ["now/rate", "0.706", PERIOD],
    ["now/color_until", "2026-01-06T05:00:00Z", DAY],
    ["now/period_until", "2026-01-05T21:00:00Z", PERIOD],
    ["next/color", "rouge", DAY],
    ["next/at", "2026-01-06T05:00:00Z", DAY],
    ["today/color", "rouge", MIDNIGHT],
    ["today/stage", "final", MIDNIGHT],
    ["tomorrow/explanation", "cold and still", MIDNIGHT],
    ["tomorrow/rate_hc", "0.1575", MIDNIGHT],
    ["d2/color", "None", MIDNIGHT],
    ["d2/official", "OFF", MIDNIGHT],
    ["d7/date", "2026-01-12", MIDNIGHT],
    ["rouge_now", "ON", DAY],
    ["rouge_next", "ON", DAY],
    ["rouge_hp_now", "ON", PERIOD],
    ["offpeak", "OFF", PERIOD],
    ["rouge_today", "ON", MIDNIGHT],
    ["rouge_tomorrow", "ON", MIDNIGHT],
    ["announcement/stage", "final", MIDNIGHT],
    ["announcement/date", "2026-01-06", MIDNIGHT],
    ["announcement/late", "OFF", MIDNIGHT],
    ["yesterday/predicted_color", "blanc", undefined],
    ["yesterday/prediction_confidence", "67", undefined],
    ["next_change/color", "2026-01-07T05:00:00Z", undefined],
    ["next_rouge/date", "2026-01-06", undefined],
    ["next_rouge/outlook", "known", undefined],
    ["next_blanc/date", "None", undefined],
    ["next_blanc/outlook", "unknown", undefined],
    ["rates", '[{"start":"2026-01-05T05:00:00Z","end":"2026-01-05T21:00:00Z","value":0.706}]', undefined],
    ["rates_forecast", "[]", undefined],
    ["prices/bleu_hp", "0.1612", undefined],
    ["prices/rouge_hp", "0.706", undefined],
    ["prices/rouge_hc", "None", undefined],
    ["prices/source", "service", undefined],
    ["season/label", "2025-2026", undefined],
    ["season/remaining/rouge", "20", undefined],
    ["season/total/bleu", "300", undefined],
    ["season/used/rouge", "1", undefined],
    ["season/left/blanc", "34", undefined],
    ["now/source", "official", DAY],
    ["simulation/color", "auto", undefined],
    ["simulation/until", "None", undefined],
    ["service/status", "ok", undefined],
    ["service/last_success", "2026-01-05T11:00:00Z", undefined],
    ["service/last_error", "None", undefined],
    ["service/problem", "OFF", undefined],
    ["service/problem_code", "none", undefined],
    ["official/status", "ok", undefined],
    ["official/last_success", "2026-01-05T11:00:00Z", undefined],
    ["official/last_error", "None", undefined],
  ])("%s is %s", (topic, payload, expires) => {
    expect(show(rougeFacts()).get(topic)).toEqual(expires === undefined ? { payload } : { payload, expires });
  });

  test("a JSON parent holds its parts under their names", () => {
    const topics = show(rougeFacts());
    const json = (topic: string) => JSON.parse(topics.get(topic)?.payload ?? "");
    expect(json("now")).toEqual({
      date: "2026-01-05",
      color: "rouge",
      confidence: 100,
      official: true,
      stage: "final",
      source: "official",
      period: "hp",
      slot: "rouge_hp",
      rate: 0.706,
      color_until: "2026-01-06T05:00:00Z",
      period_until: "2026-01-05T21:00:00Z",
    });
    expect(json("d2")).toMatchObject({ color: null, confidence: null, official: false, rate_hp: 0.706 });
    expect(json("season").left).toEqual({ rouge: 21, blanc: 34, bleu: 183 });
    expect(json("service").problem).toBe(false);
    expect(json("forecast").days[0]).toEqual({
      date: "2026-01-05",
      color: "rouge",
      confidence: 100,
      official: true,
      source: "official",
      rate_hp: 0.706,
      rate_hc: 0.1575,
    });
    for (const parent of PARENTS) {
      const below = [...topics.keys()].filter((topic) => topic.startsWith(`${parent}/`));
      const parts = new Set(below.map((topic) => topic.split("/")[1]));
      expect(Object.keys(json(parent)).sort()).toEqual([...parts].sort());
    }
    const parents = [...topics.keys()].filter(
      (topic) => !topic.includes("/") && topics.get(topic)?.payload.startsWith("{"),
    );
    expect(parents.sort()).toEqual([...PARENTS, "simulation", "forecast"].sort());
  });

  test("the JSON of a day says what each source named, where they contradict each other and only there", () => {
    const { moment, ...facts } = rougeFacts();
    if (!moment) throw new Error("Expected facts of the moment");
    const official_by = { service: "blanc", rte: "rouge" } as const;
    const days = { ...moment.days, tomorrow: { ...moment.days.tomorrow, official_by } };
    const topics = show({ ...facts, moment: { ...moment, next: { ...moment.next, official_by }, days } });
    const said = ["now", "next", "today", "tomorrow"].map(
      (topic) => JSON.parse(topics.get(topic)?.payload ?? "").official_by,
    );
    expect(said).toEqual([undefined, official_by, undefined, official_by]);
    expect(topics.has("next/official_by")).toBe(false);
  });

  test("the JSON of the season says where the number of days is assumed, and only there", () => {
    const facts = rougeFacts();
    const json = (assumed: boolean) =>
      JSON.parse(show({ ...facts, dated: { ...facts.dated, assumed } }).get("season")?.payload ?? "");
    expect(json(true).assumed).toBe(true);
    expect(json(false)).not.toHaveProperty("assumed");
  });

  test("a pretended colour is told as long as it lasts", () => {
    const until = Date.UTC(2026, 0, 5, 12);
    const simulation = { color: "bleu", from: "next", date: "2026-01-06", begun: 0, until } as const;
    const topics = show({ ...rougeFacts(), simulation });
    const told = ["simulation/color", "simulation/until", "simulation"].map((name) => topics.get(name));
    expect(told).toEqual([
      { payload: "bleu" },
      { payload: "2026-01-05T12:00:00Z" },
      { payload: '{"color":"bleu","from":"next","date":"2026-01-06","until":"2026-01-05T12:00:00Z"}' },
    ]);
    expect(show(rougeFacts()).get("simulation")?.payload).toBe(
      '{"color":"auto","from":null,"date":null,"until":null}',
    );
  });

  test("a parent expires with the first of its parts", () => {
    const topics = show(rougeFacts());
    expect([topics.get("now")?.expires, topics.get("next")?.expires, topics.get("today")?.expires]).toEqual([
      PERIOD,
      DAY,
      MIDNIGHT,
    ]);
  });

  test("with a clock that is wrong nothing of the moment is known, and nothing of it expires", () => {
    const topics = show({ ...rougeFacts(), moment: null });
    for (const name of [
      "now/color",
      "now/official",
      "offpeak",
      "rouge_hp_now",
      "tomorrow/stage",
      "announcement/late",
    ]) {
      expect(topics.get(name)).toEqual({ payload: "None" });
    }
    expect(JSON.parse(topics.get("next")?.payload ?? "")).toEqual({
      date: null,
      color: null,
      confidence: null,
      official: null,
      stage: null,
      source: null,
      at: null,
    });
    expect([...topics.keys()]).toEqual([...show(rougeFacts()).keys()]);
  });

  test("an unknown day is None, but no rouge where the laws forbid it or the hour decides", () => {
    const { moment, ...facts } = rougeFacts();
    if (!moment) throw new Error("Expected facts of the moment");
    const sunday = { ...moment.days.tomorrow, date: "2026-01-11", color: null };
    const monday = { ...moment.now, date: "2026-01-12", color: null };
    const changed = {
      ...moment,
      now: { ...monday, period: "hc" as const },
      days: { ...moment.days, tomorrow: sunday },
    };
    const topics = show({ ...facts, moment: changed });
    const said = ["rouge_now", "rouge_hp_now", "rouge_tomorrow", "now/slot"].map(
      (name) => topics.get(name)?.payload,
    );
    expect(said).toEqual(["None", "OFF", "OFF", "None"]);
    const lawless = renderTopics({ ...facts, moment: changed }, { grace: GRACE, laws: "off" });
    expect(lawless.get("rouge_tomorrow")?.payload).toBe("None");
  });

  test("every payload of any facts is valid by its format", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        for (const [topic, { payload }] of show(facts)) {
          expect(topic).toMatch(/^[a-z0-9_]+(\/[a-z0-9_]+)*$/);
          expect(payload).not.toBe("");
          if (JSON_TOPICS.includes(topic)) checkJson(topic, payload);
          else checkPlain(topic, payload);
          // What comes back from the broker is compared with what was sent.
          expect(Buffer.from(payload).toString()).toBe(payload);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

function checkJson(topic: string, payload: string): void {
  expect(Buffer.byteLength(payload)).toBeLessThan(16 * 1024);
  expect(Array.isArray(JSON.parse(payload))).toBe(topic.startsWith("rates"));
  expect(payload).not.toContain('""');
}

function checkPlain(topic: string, payload: string): void {
  expect(payload.length).toBeLessThanOrEqual(255);
  expect(payload).not.toMatch(/\p{Cc}/u);
  const name = topic.split("/").at(-1) ?? "";
  const format = FORMATS.find(({ names }) => names.test(name));
  if (payload !== "None" && format) expect(payload).toMatch(format.form);
}

const FORMATS = [
  { names: /^(color_until|period_until|at|last_success|updated_at)$/, form: INSTANT },
  { names: /confidence$/, form: /^(\d|[1-9]\d|100)$/ },
  { names: /^(rate_h[pc]|(bleu|blanc|rouge)_h[pc])$/, form: /^\d+(\.\d{1,5})?$/ },
  { names: /^(official|late|offpeak|problem|rouge_.*)$/, form: /^(ON|OFF)$/ },
  { names: /^date$/, form: /^\d{4}-\d\d-\d\d$/ },
  { names: /^slot$/, form: /^(bleu|blanc|rouge)_h[pc]$/ },
];
