import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatExplanation } from "../../../src/cli/format-explanation.ts";
import { type Branch, explainRule } from "../../../src/core/rules/explain-rule.ts";
import { reasonsOf } from "../../../src/core/rules/reasons.ts";
import { both, either, opposite, type Truth } from "../../../src/core/rules/truth.ts";
import { anyCondition, anyDays, anyStart } from "../../support/any-rules.ts";
import { forecast, knownDaysOf, official, saidByRte } from "../../support/known-days.ts";
import { inputAt, refresh, ruleOf } from "../../support/rules.ts";

const AT = "2026-01-04T11:00:00Z";
const knownDays = knownDaysOf({
  "2026-01-04": official("bleu"),
  "2026-01-05": official("rouge", { confirmed: false }),
  "2026-01-06": forecast("rouge", { confidence: 0.79 }),
});

function explained(when: object, at = AT, more: object = {}, settings = {}) {
  const { verdict, future, input } = refresh(ruleOf(when, more), inputAt(at, knownDays), undefined, settings);
  return explainRule(verdict, future, input);
}

function linesOf(...args: Parameters<typeof explained>): string[] {
  return formatExplanation(explained(...args), (instant) => instant)
    .trimEnd()
    .split("\n");
}

describe("an explanation", () => {
  test("has both colours of a day about which the sources contradict each other", () => {
    const unconfirmed = { confirmed: false };
    const both = { ...official("blanc", unconfirmed), ...saidByRte("rouge", unconfirmed) };
    const input = inputAt(AT, knownDaysOf({ "2026-01-05": both }));
    const { verdict, future: expected } = refresh(ruleOf({ day: "next", color: "rouge" }), input);
    const { tree } = explainRule(verdict, expected, input);
    expect(tree.saw).toBe("2026-01-05 rouge, announced while RTE says rouge and the service blanc");
    expect(reasonsOf(verdict, input).because).toEqual([
      "next is rouge (2026-01-05 rouge, announced while RTE says rouge and the service blanc)",
    ]);
  });

  test("is a tree with what each condition found", () => {
    const when = {
      any: [
        { day: "next", color: "rouge", confidence: 80 },
        { all: [{ day: "now", color: ["blanc", "rouge"] }, { not: { period: "hc" } }] },
        { between: ["03:30", "06:00"] },
        { day: "next_7_days", color: "rouge", at_least: 2, confidence: "threshold" },
        { rate: { above: 0.3 } },
        { left: { rouge: { at_most: 3 } } },
        { weekday: ["sat", "sun"] },
        { month: ["dec", "feb"] },
      ],
    };
    expect(linesOf(when, AT, { threshold: 80 })).toEqual([
      "r  ON",
      "  ✔ any of",
      "    ✔ next is rouge, at least 80 % sure; found: 2026-01-05 rouge, announced",
      "    ✘ all of",
      "      ✘ needed: now is blanc or rouge; found: 2026-01-04 bleu, official",
      "      ✔ not",
      "        ✘ in off-peak hours; found: the period is hp",
      "    ✘ needed: between 03:30 and 06:00; found: it is 12:00",
      "    ? needed: 2 of next_7_days are rouge, at least 80 % sure (its threshold); found: 2026-01-05 rouge, announced; 3 of 7 are not known",
      "    ? needed: rate is above 0.3; found: not known",
      "    ? needed: rouge left is at most 3; found: not known",
      "    ✔ weekday is sat or sun; found: the tariff day is sun",
      "    ✘ needed: month is dec or feb; found: the tariff day is in jan",
    ]);
  });

  test("names of a range the days that pass, or those that do not if each has to", () => {
    const days = { day: "next_2_days", color: "rouge" };
    const days3 = knownDaysOf({ "2026-01-05": official("rouge"), "2026-01-06": official("bleu") });
    const found = (more: object) => {
      const input = inputAt(AT, days3);
      const { verdict, future: expected } = refresh(ruleOf({ ...days, ...more }), input);
      return explainRule(verdict, expected, input).tree.saw;
    };
    expect(found({})).toBe("2026-01-05 rouge, official");
    expect(found({ every: true })).toBe("2026-01-06 bleu, official");
  });

  test("says when it next changes, that a forecast decides, and why an unknown day is not rouge", () => {
    expect(linesOf({ day: "now", color: "rouge" }, AT)[0]).toBe("r  OFF  next ON at 2026-01-05T05:00:00Z");
    expect(linesOf({ day: "d2", color: "rouge" }, AT)[0]).toContain("r  ON  (a forecast decides)");
    // No forecast is there: an announcement can change it.
    expect(linesOf({ day: "d3", official: true }, AT)[0]).toBe("r  OFF  (not certain yet)");
    const saturday = linesOf({ day: "d6", color: "rouge" }, AT);
    expect(saturday).toEqual([
      "r  OFF",
      "  ✘ needed: d6 is rouge; found: 2026-01-10 not known, by the laws of the tariff it can only be bleu or blanc",
    ]);
    expect(linesOf({ day: "d7", color: "bleu" }, AT)).toEqual([
      "r  ON",
      "  ✔ d7 is bleu; found: 2026-01-11 not known, by the laws of the tariff it can only be bleu",
    ]);
  });

  test("says perhaps of a change that rests on a forecast", () => {
    const rouge = knownDaysOf({ "2026-01-04": official("bleu"), "2026-01-05": forecast("rouge") });
    const input = inputAt(AT, rouge);
    const { verdict, future: expected } = refresh(ruleOf({ day: "now", color: "rouge" }), input);
    const explanation = explainRule(verdict, expected, input);
    expect(explanation).toMatchObject({ next_on: "2026-01-05T05:00:00Z", next_on_unsure: true });
    expect(formatExplanation(explanation, (instant) => instant).split("\n")[0]).toBe(
      "r  OFF  next perhaps ON at 2026-01-05T05:00:00Z",
    );
  });

  test("says until when a verdict is certain that a forecast decides after that", () => {
    expect(linesOf({ day: "now", color: "blanc" }, AT)[0]).toBe("r  OFF  certain until 2026-01-06T05:00:00Z");
    expect(linesOf({ day: "now", color: "rouge" }, "2026-01-05T12:00:00Z")[0]).toBe(
      "r  ON  certain until 2026-01-06T05:00:00Z",
    );
    expect(linesOf({ period: "hp" }, AT)[0]).toBe("r  ON  next OFF at 2026-01-04T21:00:00Z");
  });

  test("says what decides beside the conditions", () => {
    const unknown = { day: "d3", color: "rouge" };
    expect(linesOf(unknown, AT, { when_unknown: "on" })[1]).toBe(
      "  ! unknown, which counts as ON (when_unknown)",
    );
    expect(linesOf(unknown, AT, {}, { r: { enabled: false, threshold: null } }).slice(0, 2)).toEqual([
      "r  OFF",
      "  ! disabled",
    ]);
    const peak = { all: [{ day: "now", color: "rouge" }, { period: "hp" }] };
    expect(linesOf(peak, "2026-01-05T04:57:00Z", { lead: "5m" }).slice(0, 3)).toEqual([
      "r  ON  next OFF at 2026-01-05T21:00:00Z",
      "  ! lead: the conditions at 06:00 decide",
      "  ✔ all of",
    ]);
    // 06:00 of another day than the one of the explanation.
    expect(linesOf(peak, "2026-01-04T21:00:00Z", { lead: "8h" })[1]).toBe(
      "  ! lead: the conditions at 2026-01-05 06:00 decide",
    );
    // The last instant of the peak hours, however long ago.
    for (const time of ["21:00", "21:03"])
      expect(linesOf(peak, `2026-01-05T${time}:00Z`, { lag: "5m" })[1]).toBe(
        "  ! lag: the conditions at 21:59 decide",
      );
  });

  test("names no lag where the conditions are ON by now, too", () => {
    const lines = linesOf({ day: "now", color: "rouge" }, "2026-01-05T12:00:00Z", { lead: "1h", lag: "5m" });
    expect(lines[1]).toBe("  ✔ now is rouge; found: 2026-01-05 rouge, official");
  });
});

/** The state of a branch as its own parts give it. */
function judged({ asks, parts, state }: Branch): Truth {
  const states = parts.map(judged);
  if (asks === "not") return opposite(states[0] ?? null);
  if (asks === "all of") return states.reduce(both, true);
  return asks === "any of" ? states.reduce(either, false) : state;
}

test("explain and evaluate never disagree", () => {
  fc.assert(
    fc.property(
      anyStart.chain((start) => fc.tuple(fc.constant(start), anyDays(start), fc.nat({ max: 48 * 60 }))),
      anyCondition,
      fc.constantFrom({}, { lead: "3h", lag: "2h" }, { when_unknown: "on" }),
      ([start, days, minutes], when, more) => {
        const input = inputAt(Date.parse(`${start}T00:00:00Z`) + minutes * 60_000, knownDaysOf(days));
        const rule = ruleOf(when, more);
        const { verdict, future } = refresh(rule, input);
        const { state, tree, notes } = explainRule(verdict, future, input);
        expect(state).toBe(verdict.state);
        expect(judged(tree)).toBe(tree.state);
        expect(tree.state).toBe(verdict.reason === "when_unknown" ? null : verdict.state);
        expect(notes.length > 0).toBe(verdict.reason !== "conditions" || verdict.decided_at !== input.at);
        expect(future.spans[0]).toMatchObject({ state: verdict.state, sure: verdict.sure });
        const { because } = reasonsOf(verdict, input);
        expect(because.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 50 },
  );
}, 30_000);
