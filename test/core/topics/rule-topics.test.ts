import { describe, expect, test } from "vitest";
import { ruleTopics } from "../../../src/core/topics/rule-topics.ts";
import { forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { inputAt, refresh, ruleOf } from "../../support/rules.ts";
import { valuesOf } from "../../support/values.ts";

const GRACE = 600_000;
const knownDays = knownDaysOf({
  "2026-01-04": official("bleu"),
  "2026-01-05": official("rouge"),
  "2026-01-06": official("bleu"),
  "2026-01-07": forecast("bleu"),
});

function topicsOf(
  when: object,
  more: object = {},
  { at = "2026-01-05T04:57:00Z", settings = {}, clockRight = true, days = knownDays } = {},
) {
  const { verdict, future, input } = refresh(ruleOf(when, more), inputAt(at, days), undefined, settings);
  return new Map(ruleTopics({ verdicts: [verdict], futures: [future], input, grace: GRACE, clockRight }));
}

test("enabled expires with the end of the time for which a rule is disabled", () => {
  const [from, until] = [Date.parse("2026-01-05T04:00:00Z"), Date.parse("2026-01-05T10:00:00Z")];
  const settings = { r: { enabled: true, threshold: null, meanwhile: { enabled: false, from, until } } };
  const topics = topicsOf({ day: "now", color: "rouge" }, {}, { at: "2026-01-05T05:00:00Z", settings });
  const expires = until + GRACE;
  expect(topics.get("rules/r/enabled")).toEqual({ payload: "OFF", expires });
  expect(topics.get("rules/r/state")).toEqual({ payload: "OFF", expires });
  expect(topics.get("rules/r/next_on")).toEqual({ payload: "2026-01-05T10:00:00Z" });
  expect(JSON.parse(topics.get("rules/r/plan")?.payload ?? "").spans).toEqual([
    { start: "2026-01-05T05:00:00Z", end: "2026-01-05T10:00:00Z", state: false, sure: true },
    { start: "2026-01-05T10:00:00Z", end: "2026-01-06T05:00:00Z", state: true, sure: true },
    { start: "2026-01-06T05:00:00Z", end: "2026-01-07T05:00:00Z", state: false, sure: true },
    { start: "2026-01-07T05:00:00Z", end: "2026-01-08T05:00:00Z", state: false, sure: false },
  ]);
  const lasting = topicsOf(
    { day: "now", color: "rouge" },
    {},
    { settings: { r: { enabled: false, threshold: null } } },
  );
  expect(lasting.get("rules/r/enabled")).toEqual({ payload: "OFF" });
});

describe("the topics of a rule", () => {
  const peak = topicsOf(
    { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
    { lead: "5m", lag: "0s" },
  );

  test("are these", () => {
    expect([...peak.keys()]).toEqual(
      ["state", "since", "", "next_on", "next_off", "plan", "enabled"].map(
        (part) => `rules/r${part && `/${part}`}`,
      ),
    );
  });

  test("say what is so until the verdict next changes, and no longer", () => {
    const expires = Date.parse("2026-01-05T21:00:00Z") + GRACE;
    expect(peak.get("rules/r/state")).toEqual({ payload: "ON", expires });
    expect(peak.get("rules/r/since")).toEqual({ payload: "2026-01-05T04:57:00Z", expires });
  });

  test("say why, until that can change", () => {
    const { payload, expires } = peak.get("rules/r") ?? { payload: "" };
    expect(expires).toBe(Date.parse("2026-01-05T05:00:00Z") + GRACE);
    expect(JSON.parse(payload)).toEqual({
      state: true,
      since: "2026-01-05T04:57:00Z",
      day: "now",
      date: "2026-01-05",
      color: "rouge",
      confidence: 100,
      official: true,
      complete: true,
      because: [
        "lead: the conditions at 06:00 decide",
        "at 06:00: now is rouge (2026-01-05 rouge, official)",
        "at 06:00: in peak hours (the period is hp)",
      ],
    });
  });

  test("say what will be, for whoever reads it whenever", () => {
    expect(peak.get("rules/r/next_off")).toEqual({ payload: "2026-01-05T21:00:00Z" });
    expect(peak.get("rules/r/next_on")).toEqual({ payload: "None" });
    expect(JSON.parse(peak.get("rules/r/plan")?.payload ?? "")).toEqual({
      until: "2026-01-08T05:00:00Z",
      spans: [
        { start: "2026-01-05T04:57:00Z", end: "2026-01-05T21:00:00Z", state: true, sure: true },
        { start: "2026-01-05T21:00:00Z", end: "2026-01-07T04:55:00Z", state: false, sure: true },
        { start: "2026-01-07T04:55:00Z", end: "2026-01-07T21:00:00Z", state: false, sure: false },
        { start: "2026-01-07T21:00:00Z", end: "2026-01-08T04:55:00Z", state: false, sure: true },
        { start: "2026-01-08T04:55:00Z", end: "2026-01-08T05:00:00Z", state: null, sure: false },
      ],
    });
  });

  test("say the settings", () => {
    const moved = topicsOf(
      { day: "next", color: "rouge", confidence: "threshold" },
      { threshold: 60 },
      { settings: { r: { enabled: true, threshold: { value: 75, configured: 60 } } } },
    );
    expect(moved.get("rules/r/threshold")).toEqual({ payload: "75" });
    expect(moved.get("rules/r/enabled")).toEqual({ payload: "ON" });
  });

  test("of a rule that is switched off never expire: nothing changes it", () => {
    const off = topicsOf({ period: "hp" }, {}, { settings: { r: { enabled: false, threshold: null } } });
    expect(off.get("rules/r/state")).toEqual({ payload: "OFF" });
    expect(off.get("rules/r/enabled")).toEqual({ payload: "OFF" });
    expect(JSON.parse(off.get("rules/r")?.payload ?? "")).toMatchObject({
      state: false,
      day: null,
      because: ["disabled"],
    });
  });

  test("are unknown while the clock is wrong, but for the settings", () => {
    const wrong = topicsOf({ period: "hp" }, {}, { clockRight: false });
    expect(wrong.get("rules/r/state")).toEqual({ payload: "None" });
    expect(wrong.get("rules/r/next_on")).toEqual({ payload: "None" });
    expect(JSON.parse(wrong.get("rules/r/plan")?.payload ?? "")).toEqual({ until: null, spans: [] });
    expect(wrong.get("rules/r/enabled")).toEqual({ payload: "ON" });
  });

  test("are true at the latest until a value they look at is too old", () => {
    const at = "2026-01-05T11:00:00Z";
    const rule = ruleOf({ mqtt: { topic: "car", below: 40, max_age: "2h" } });
    const values = valuesOf([rule], at, { car: { payload: "39", at: Date.parse("2026-01-05T10:59:00Z") } });
    const { verdict, future, input } = refresh(rule, inputAt(at, knownDays, { values }));
    const of = { verdicts: [verdict], futures: [future], input, grace: GRACE, clockRight: true };
    const expires = Date.parse("2026-01-05T12:59:00Z") + GRACE;
    expect(new Map(ruleTopics(of)).get("rules/r/state")).toEqual({ payload: "ON", expires });
  });

  test("name the first day of a range that decides, and that others are not known", () => {
    const week = topicsOf({ day: "next_7_days", color: "rouge" }, {}, { at: "2026-01-04T11:00:00Z" });
    expect(JSON.parse(week.get("rules/r")?.payload ?? "")).toMatchObject({
      day: "next_7_days",
      date: "2026-01-05",
      complete: false,
    });
    const none = topicsOf({ day: "next_2_days", color: "rouge" }, {}, { at: "2026-01-05T11:00:00Z" });
    expect(JSON.parse(none.get("rules/r")?.payload ?? "")).toMatchObject({
      state: false,
      date: null,
      complete: true,
    });
  });

  test("stay below 16 KiB, their texts below 256 characters, however long the rule", () => {
    const leaf = { day: "next_8_days", color: ["bleu", "blanc", "rouge"], confidence: 10 };
    const topics = topicsOf({ all: Array.from({ length: 400 }, () => leaf) });
    for (const { payload } of topics.values()) expect(Buffer.byteLength(payload)).toBeLessThan(16 * 1024);
    const { because } = JSON.parse(topics.get("rules/r")?.payload ?? "") as { because: string[] };
    for (const text of because) expect(text.length).toBeLessThanOrEqual(255);
    expect(because.length).toBeGreaterThan(50);
    expect(because.length).toBeLessThan(400);
    const windows = {
      any: Array.from({ length: 40 }, (_, index) => ({ between: [time(index * 30), time(index * 30 + 10)] })),
    };
    const plan = JSON.parse(topicsOf(windows).get("rules/r/plan")?.payload ?? "") as {
      until: string;
      spans: { end: string }[];
    };
    expect(plan.until).toBe(plan.spans.at(-1)?.end);
    expect(plan.spans.length).toBeGreaterThan(50);
  });
});

function time(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}
