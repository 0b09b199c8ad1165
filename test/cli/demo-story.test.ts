import { expect, test } from "vitest";
import { tellStory } from "../../src/cli/demo-story.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import type { OutputStatus } from "../../src/core/outputs/output-status.ts";
import { recordSending } from "../../src/core/outputs/outputs-state.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { forecast, knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { BOILER, sendingOf, statusOf } from "../support/outputs.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { viewOf } from "../support/views.ts";

const EVENING = Date.parse("2026-01-04T20:00:00+01:00");
const MORNING = Date.parse("2026-01-05T06:00:00+01:00");
const BEFORE = officialDays("2026-01-01", "2026-01-04");

/** A loop, and its views as they come one after the other. */
function startViews(days: Record<string, KnownDay>, at = EVENING) {
  const clock = { at };
  let outputs: OutputStatus[] = [statusOf(BOILER)];
  const rules = rulesOptions.parse([{ id: "rouge", when: { day: "now", color: "rouge" } }]);
  const { loop, know } = openTestLoop({ clock, rules, days: knownDaysOf(days) });
  const view = (): PageView => viewOf(loop, { rules, outputs });
  let told = view();
  return {
    first: tellStory(undefined, told),
    later: (at: number, change: { days?: Record<string, KnownDay>; payload?: string } = {}) => {
      clock.at = at;
      if (change.days) know(knownDaysOf(change.days));
      if (change.payload !== undefined) {
        const sent = recordSending({}, sendingOf(BOILER.key, change.payload), at)[BOILER.key];
        outputs = [{ ...statusOf(BOILER, { sent }), state: "sent" }];
      }
      loop.refresh();
      const before = told;
      told = view();
      return tellStory(before, told);
    },
  };
}

test("the story begins with the day in force, the next one, what may become rouge, and no rule that is OFF", () => {
  const { first } = startViews({
    ...BEFORE,
    "2026-01-05": official("rouge"),
    "2026-01-06": forecast("blanc"),
    "2026-01-07": forecast("rouge", { confidence: 0.61 }),
  });
  expect(first).toEqual([
    "Sunday 4 January is in force: bleu",
    "Monday 5 January comes next: rouge, announced",
    "Wednesday 7 January may become rouge, forecast with 61 %",
  ]);
});

test("after midnight the day in force is named as a tariff day: the time in front of the line is of another date", () => {
  const { first } = startViews({ ...BEFORE, "2026-01-05": official("rouge") }, MORNING - 3 * 3_600_000);
  expect(first).toEqual([
    "Sunday 4 January, the tariff day in force until 06:00: bleu",
    "Monday 5 January comes next: rouge, announced",
  ]);
});

test("a day that begins, with its rule, is told once", () => {
  const { later } = startViews({ ...BEFORE, "2026-01-05": official("rouge") });
  expect(later(MORNING - 1)).toEqual([]);
  expect(later(MORNING)).toEqual([
    "Monday 5 January begins: rouge",
    "Rule rouge is ON: now is rouge (2026-01-05 rouge, official)",
  ]);
  expect(later(MORNING + 1)).toEqual([]);
});

test("an announcement is told; that the colour is final, or which source says so, is not", () => {
  const seen = { ...BEFORE, "2026-01-05": forecast("rouge") };
  const { later } = startViews(seen);
  const announced = { ...seen, "2026-01-05": official("rouge", { confirmed: false }) };
  expect(later(EVENING + 1, { days: announced })).toEqual(["Monday 5 January is announced as rouge"]);
  expect(later(EVENING + 2, { days: { ...seen, "2026-01-05": official("rouge") } })).toEqual([]);
});

test("a forecast that turns to rouge or away from it is told, other forecasts are not", () => {
  const days = (color: "bleu" | "blanc" | "rouge") => ({
    ...BEFORE,
    "2026-01-05": official("bleu"),
    "2026-01-06": forecast(color, { confidence: 0.7 }),
  });
  const { later } = startViews(days("bleu"));
  expect(later(EVENING + 1, { days: days("blanc") })).toEqual([]);
  expect(later(EVENING + 2, { days: days("rouge") })).toEqual([
    "Tuesday 6 January may become rouge, forecast with 70 %",
  ]);
  expect(later(EVENING + 3, { days: days("blanc") })).toEqual([
    "Tuesday 6 January is not expected to be rouge any more: it is blanc, forecast with 70 %",
  ]);
});

test("each payload is told, also the same one at another time, and a rule of which nothing is known any more", () => {
  const { later } = startViews({ ...BEFORE, "2026-01-05": official("rouge") });
  expect(later(EVENING + 1, { payload: "off" })).toEqual([
    expect.stringMatching(/^Would send "off" to boiler\/set: /),
  ]);
  expect(later(EVENING + 2)).toEqual([]);
  expect(later(EVENING + 3, { payload: "off" })).toHaveLength(1);
  expect(later(MORNING + 24 * 3_600_000)).toEqual([
    "Tuesday 6 January begins: its colour is not known",
    expect.stringMatching(/^Rule rouge is unknown: /),
  ]);
});
