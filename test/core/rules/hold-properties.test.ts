import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import type { Simulation } from "../../../src/core/facts/facts.ts";
import { NO_SETTINGS, type RuleSettings, switchRule } from "../../../src/core/rules/rule-settings.ts";
import { NO_RULES_STATE, type RulesState, readRulesState } from "../../../src/core/rules/rules-state.ts";
import { forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { runs } from "../../support/long.ts";
import { inputAt, refreshAll, rulesOf } from "../../support/rules.ts";
import { valuesOf } from "../../support/values.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [ROUGE, BLEU, NOTHING] = [forecast("rouge"), forecast("bleu"), forecast(null)];
const START = Date.parse("2026-01-04T06:00:00Z");
const HOLD = 45 * MINUTE;

const LEAVES = [
  { day: "next", color: "rouge" },
  { day: "now", color: "rouge", confidence: 80 },
  { day: "next_3_days", color: "rouge" },
  { between: ["09:30", "11:00"] },
  { mqtt: { topic: "car", below: 40 } },
];
const leaf = fc.constantFrom<object>(...LEAVES);
const anyWhen = fc.oneof(
  leaf,
  fc
    .tuple(fc.constantFrom("all", "any"), leaf, leaf)
    .map(([group, one, other]) => ({ [group]: [one, other] })),
  leaf.map((not) => ({ not })),
);

/** What is known at a step: days, and a value. */
interface Step {
  minutes: number;
  date: string;
  day: KnownDay;
  car: string;
}
const anyStep: fc.Arbitrary<Step> = fc.record({
  minutes: fc.integer({ min: 1, max: 40 }),
  date: fc.constantFrom("2026-01-04", "2026-01-05", "2026-01-05", "2026-01-06"),
  day: fc.constantFrom(ROUGE, ROUGE, BLEU, BLEU, NOTHING, forecast("rouge", { confidence: 0.5 })),
  car: fc.constantFrom("39", "39", "41", "41", "unavailable"),
});
const anySteps = fc.array(anyStep, { minLength: 20, maxLength: 40 });

/** A rule with a hold (`held`) beside the same one without it (`free`), step by step, and at each boundary between two steps. */
function live(when: object, steps: readonly Step[], { restarts = false }: { restarts?: boolean } = {}) {
  const rules = rulesOf({ id: "held", when, hold: "45m" }, { id: "free", when });
  const days: Record<string, KnownDay> = { "2026-01-05": ROUGE, "2026-01-06": BLEU };
  let previous: RulesState = NO_RULES_STATE;
  let car = "39";
  const look = (at: number, isNews: boolean) => {
    const input = inputAt(at, knownDaysOf({ ...days }), { values: valuesOf(rules, at, { car }) });
    const { verdict, forecast: ahead, forecasts, next } = refreshAll(rules, input, previous);
    const isRestarted = restarts && next.rules["held"]?.hold !== undefined;
    previous = isRestarted ? readRulesState(JSON.parse(JSON.stringify(next))) : next;
    const boundary = Math.min(
      ...forecasts.map(({ next_boundary }) => next_boundary ?? Number.POSITIVE_INFINITY),
      verdict("held").hold?.until ?? Number.POSITIVE_INFINITY,
    );
    return { at, isNews, held: verdict("held"), free: verdict("free"), ahead: ahead("held"), boundary };
  };
  const looks = [look(START, true)];
  let at = START;
  for (const { minutes, date, day, car: heard } of steps) {
    const until = at + minutes * MINUTE;
    for (let next = looks.at(-1)?.boundary ?? until; next < until; next = looks.at(-1)?.boundary ?? until)
      looks.push(look(next, false));
    at = until;
    days[date] = day;
    car = heard;
    looks.push(look(at, true));
  }
  return looks;
}

type Look = ReturnType<typeof live>[number];

/** What the plan of a look said of a later instant; undefined: nothing. */
function plannedBy({ ahead }: Look, at: number) {
  return ahead.spans.find(({ start, end }) => start <= at && at < end)?.state;
}

describe("a rule with a hold, for any forecasts and values", () => {
  const property = (check: (looks: Look[]) => void, more: { restarts?: boolean } = {}) =>
    fc.assert(
      fc.property(anyWhen, anySteps, (when, steps) => check(live(when, steps, more))),
      { numRuns: runs(600) },
    );
  const pairs = (looks: Look[]) => looks.slice(1).map((look, index) => [looks[index], look] as [Look, Look]);

  test("is as one without where that is sure (a)", () => {
    let sure = 0;
    property((looks) => {
      for (const { at, held, free } of looks.filter((look) => look.free.sure)) {
        sure += 1;
        expect([at, held.state]).toEqual([at, free.state]);
      }
    });
    expect(sure).toBeGreaterThan(100);
  });

  test("follows what is known at once, unless something turned it within the hold (b)", () => {
    property((looks) => {
      let free = true;
      for (const [before, look] of pairs(looks)) {
        free = before.held.hold === null || look.at >= before.held.hold.until || before.held.state === null;
        if (free) expect([look.at, look.held.state]).toEqual([look.at, look.free.state]);
      }
    });
  });

  test("is what its plan of before says while it does not follow (c)", () => {
    let held = 0;
    property((looks) => {
      for (const [before, look] of pairs(looks)) {
        if (look.held.state === look.free.state) continue;
        held += 1;
        expect([look.at, look.held.state]).toEqual([look.at, plannedBy(before, look.at)]);
        expect(look.held.hold).toMatchObject({ isHeld: true });
      }
    });
    expect(held).toBeGreaterThan(100);
  });

  test("is turned by them at most once in each hold, but for what was unknown and for another day (c)", () => {
    let turns = 0;
    property((looks) => {
      let last: Look | null = null;
      for (const [before, look] of pairs(looks)) {
        const { held } = look;
        if (held.state === null || held.sure || before.held.state === null) continue;
        if (held.state === plannedBy(before, look.at)) continue;
        turns += 1;
        const isEnded = last === null || look.at >= (last.held.hold?.until ?? 0);
        expect([look.at, isEnded]).toEqual([look.at, true]);
        expect(held.hold?.until ?? look.at).toBeLessThanOrEqual(look.at + HOLD);
        last = look;
      }
    });
    expect(turns).toBeGreaterThan(50);
  });

  test("shows in its plan what comes if nothing more is heard, whatever a value says after the hold (d)", () => {
    property((looks) => {
      for (const [before, look] of pairs(looks)) {
        const isOfValue = before.held.hold?.isOfValue === true;
        if (look.isNews || (isOfValue && look.at >= (before.held.hold?.until ?? 0))) continue;
        expect([look.at, look.held.state]).toEqual([look.at, plannedBy(before, look.at)]);
      }
    });
  });

  test("is held over each restart within a hold (g)", () => {
    let held = 0;
    property(
      (looks) => {
        for (const [before, look] of pairs(looks)) {
          const { hold } = before.held;
          if (!hold || look.at >= hold.until || before.held.state === null || look.free.sure) continue;
          held += 1;
          expect([look.free.state, plannedBy(before, look.at)]).toContain(look.held.state);
        }
      },
      { restarts: true },
    );
    expect(held).toBeGreaterThan(50);
  });
});

describe("a hold", () => {
  const NEXT_ROUGE = { day: "next", color: "rouge" };
  const rules = rulesOf({ id: "r", when: NEXT_ROUGE, hold: "2h" });
  const NOON = Date.parse("2026-01-04T11:00:00Z");

  interface Known {
    day: KnownDay;
    more?: Record<string, KnownDay>;
    settings?: RuleSettings;
    simulation?: Simulation;
    list?: typeof rules;
  }
  /** Looks a minute apart, from noon on. */
  function follow(...known: (Known | "restart")[]) {
    let previous: RulesState = NO_RULES_STATE;
    let at = NOON;
    return known.flatMap((one) => {
      if (one === "restart") {
        previous = readRulesState(JSON.parse(JSON.stringify(previous)));
        return [];
      }
      const { day, more, settings = NO_SETTINGS, simulation = null, list = rules } = one;
      at += MINUTE;
      const input = inputAt(at, knownDaysOf({ "2026-01-05": day, ...more }), { simulation });
      const after = refreshAll(list, input, previous, settings);
      previous = after.next;
      return [after.verdict("r").state];
    });
  }
  const [ON, OFF] = [{ day: ROUGE }, { day: BLEU }];

  test("keeps the second change of a forecast", () => {
    expect(follow(OFF, ON, OFF)).toEqual([false, true, true]);
  });

  test("keeps no rule unknown that became so without one", () => {
    expect(follow(OFF, { day: NOTHING }, ON)).toEqual([false, null, true]);
  });

  test("keeps a rule from becoming unknown", () => {
    expect(follow(OFF, ON, { day: NOTHING })).toEqual([false, true, true]);
  });

  test("of a forecast is over as soon as another day decides: what is said of that one counts at once", () => {
    const at = Date.parse("2026-01-05T04:30:00Z");
    const days = { "2026-01-05": ROUGE, "2026-01-06": BLEU };
    const looks = [
      [at - 30 * MINUTE, { ...days, "2026-01-05": BLEU }],
      [at, days],
      // It is the day of 6 January from then on.
      [at + HOUR, days],
      [at + HOUR + MINUTE, { ...days, "2026-01-06": ROUGE }],
    ] as const;
    let previous: RulesState = NO_RULES_STATE;
    const states = looks.map(([instant, known]) => {
      const after = refreshAll(rules, inputAt(instant, knownDaysOf(known)), previous);
      previous = after.next;
      return after.verdict("r").state;
    });
    expect(states).toEqual([false, true, false, true]);
  });

  test.each<[string, Known]>([
    ["a new official colour, also of another day,", { day: BLEU, more: { "2026-01-04": official("bleu") } }],
    [
      "the colour of yesterday, that is named only now,",
      { day: BLEU, more: { "2026-01-03": official("bleu") } },
    ],
    ["a command that disables the rule", { ...OFF, settings: switchRule(NO_SETTINGS, "r", false) }],
    ["an edit of the rule", { ...OFF, list: rulesOf({ id: "r", when: { all: [NEXT_ROUGE] }, hold: "2h" }) }],
  ])("is ended by %s, and forgotten", (_title, known) => {
    expect(follow(OFF, ON, known)).toEqual([false, true, false]);
    // No hold keeps the next change.
    expect(follow(OFF, ON, known, { ...known, day: ROUGE, settings: NO_SETTINGS })).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test("is not ended by the colour of the day before yesterday", () => {
    expect(follow(OFF, ON, { day: BLEU, more: { "2026-01-02": official("bleu") } })).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("is neither begun nor ended by a colour that is pretended, and does not hold it up", () => {
    const pretended = (color: "rouge" | "bleu"): Simulation => ({
      color,
      from: "next",
      date: "2026-01-05",
      begun: NOON,
      until: NOON + HOUR,
    });
    const rouge = { day: BLEU, simulation: pretended("rouge") };
    expect(follow(OFF, rouge, OFF, ON)).toEqual([false, true, false, true]);
    expect(follow(OFF, ON, OFF, { day: BLEU, simulation: pretended("bleu") }, OFF)).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  test("lasts over a restart, in which nothing but the rule itself may have changed", () => {
    expect(follow(OFF, ON, "restart", OFF, "restart", OFF, ON, OFF)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
    const edited = { ...OFF, list: rulesOf({ id: "r", when: NEXT_ROUGE, hold: "3h" }) };
    expect(follow(OFF, ON, "restart", edited)).toEqual([false, true, false]);
  });

  test("is not begun by what was heard before a start", () => {
    expect(follow(OFF, "restart", ON, OFF)).toEqual([false, true, false]);
  });
});
