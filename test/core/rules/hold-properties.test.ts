import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import type { Simulation } from "../../../src/core/facts/facts.ts";
import {
  endMeanwhile,
  moveThreshold,
  NO_SETTINGS,
  type RuleSettings,
  switchRule,
  switchRuleFor,
} from "../../../src/core/rules/rule-settings.ts";
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
    const { verdict, future: ahead, futures, next } = refreshAll(rules, input, previous);
    // What is found after a hold that ended while nothing ran is compared with nothing.
    const isRestarted = restarts && at + 40 * MINUTE < (next.rules["held"]?.hold?.until ?? 0);
    previous = isRestarted ? readRulesState(JSON.parse(JSON.stringify(next))) : next;
    const boundary = Math.min(
      ...futures.map(({ next_boundary }) => next_boundary ?? Number.POSITIVE_INFINITY),
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
        expect(look.held.hold?.held ?? null).not.toBe(null);
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

test("a rule waits only while a value is awaited, over any restarts, also one that looks back at it", () => {
  const anyValue = fc.constantFrom("39", "41", "unavailable", "lost", "awaited");
  let waits = 0;
  fc.assert(
    fc.property(anyWhen, fc.array(anyValue, { minLength: 5, maxLength: 20 }), (when, values) => {
      const rules = rulesOf({ id: "r", when, hold: "2h" }, { id: "later", when: { rule: "r" }, lag: "1h" });
      const days = knownDaysOf({ "2026-01-04": BLEU, "2026-01-05": ROUGE, "2026-01-06": BLEU });
      let previous: RulesState = NO_RULES_STATE;
      for (const [index, car] of values.entries()) {
        const at = START + index * 10 * MINUTE;
        const isAwaited = car === "awaited";
        if (isAwaited) previous = readRulesState(JSON.parse(JSON.stringify(previous)));
        const heard = isAwaited ? null : car === "lost" ? {} : { car };
        const after = refreshAll(rules, inputAt(at, days, { values: valuesOf(rules, at, heard) }), previous);
        previous = after.next;
        for (const { id } of rules) {
          const isWaiting = after.verdict(id).reason === "waiting";
          if (isWaiting) waits += 1;
          expect([index, id, isWaiting && !isAwaited]).toEqual([index, id, false]);
        }
      }
    }),
    { numRuns: runs(600) },
  );
  expect(waits).toBeGreaterThan(20);
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

describe("a hold at given times of 4 and 5 January", () => {
  interface Given {
    days?: Record<string, KnownDay>;
    /** null: the broker has not sent it yet. */
    car?: string | null;
    settings?: RuleSettings;
    simulation?: Simulation | null;
    restart?: true;
  }
  /** The states of the rule `r`. A day without a time is 5 January. */
  function statesAt(list: Parameters<typeof rulesOf>, ...looks: [time: string, given?: Given][]) {
    const parsed = rulesOf(...list);
    let previous: RulesState = NO_RULES_STATE;
    let known: Given = { days: {}, car: "41", settings: NO_SETTINGS };
    return looks.map(([time, given = {}]) => {
      known = { ...known, ...given, days: { ...known.days, ...given.days } };
      const { days = {}, car = "", settings, simulation = null, restart } = known;
      if (restart) previous = readRulesState(JSON.parse(JSON.stringify(previous)));
      delete known.restart;
      const at = Date.parse(`2026-01-${time.includes(" ") ? time.replace(" ", "T") : `05T${time}`}:00+01:00`);
      const values = valuesOf(parsed, at, car === null ? null : { car });
      const input = inputAt(at, knownDaysOf(days), { values, simulation });
      const after = refreshAll(parsed, input, previous, settings);
      previous = after.next;
      return after.verdict("r").state;
    });
  }
  const rouge = (date: string): Given => ({ days: { [`2026-01-${date}`]: ROUGE } });
  const bleu = (date: string): Given => ({ days: { [`2026-01-${date}`]: BLEU } });

  test("that ended while vigie was down begins none at the start, and neither does what has changed by then", () => {
    const list: Parameters<typeof rulesOf> = [
      { id: "r", when: { day: "next", color: "rouge" }, hold: "30m" },
    ];
    const states = statesAt(
      list,
      ["04 10:00", bleu("05")],
      ["04 10:01", rouge("05")],
      ["04 18:00", { ...bleu("05"), restart: true }],
      ["04 18:01", rouge("05")],
    );
    expect(states).toEqual([false, true, false, true]);
  });

  const NOW = { day: "now", color: "rouge" };
  const NEXT = { day: "next", color: "rouge" };
  test.each<[string, object]>([
    ["now, then next", { any: [NOW, NEXT] }],
    ["next, then now", { any: [NEXT, NOW] }],
  ])("goes on over 06:00 while the same day decides: %s", (_title, when) => {
    const states = statesAt(
      [{ id: "r", when, hold: "1h" }],
      ["04 12:00", { days: { "2026-01-04": BLEU, "2026-01-05": ROUGE, "2026-01-06": BLEU } }],
      ["05:50", bleu("05")],
      ["06:00"],
      ["06:05", rouge("05")],
      ["06:50"],
    );
    expect(states).toEqual([true, false, false, false, true]);
  });

  test("goes on over 06:00 while the same day decides, ahead of it by a lead", () => {
    const states = statesAt(
      [{ id: "r", when: NOW, lead: "5m", hold: "1h" }],
      ["05:50", { days: { "2026-01-04": BLEU, "2026-01-05": ROUGE, "2026-01-06": BLEU } }],
      ["05:55"],
      ["05:58", bleu("05")],
      ["06:10", rouge("05")],
      ["06:58"],
    );
    expect(states).toEqual([false, true, false, false, true]);
  });

  test("is not cut by the day of a rule that is disabled", () => {
    const states = statesAt(
      [
        { id: "r", when: { any: [{ rule: "a" }, { mqtt: { topic: "car", below: 40 } }] }, hold: "2h" },
        { id: "a", when: NEXT },
      ],
      ["05:40", { car: "39", days: { "2026-01-05": BLEU }, settings: switchRule(NO_SETTINGS, "a", false) }],
      ["05:45", { car: "41" }],
      ["05:50", { car: "39" }],
      ["06:05"],
      ["07:45"],
    );
    expect(states).toEqual([true, false, false, false, true]);
  });

  test("of a rule ends with a command to a rule that it refers to", () => {
    const list: Parameters<typeof rulesOf> = [
      { id: "r", when: { rule: "a" }, hold: "2h" },
      { id: "a", when: { ...NEXT, confidence: "threshold" }, threshold: 80 },
    ];
    const [, a] = rulesOf(...list);
    const moved = a ? moveThreshold(NO_SETTINGS, a, 90) : NO_SETTINGS;
    const states = statesAt(
      list,
      ["04 10:00", bleu("05")],
      ["04 10:01", rouge("05")],
      ["04 10:05", { settings: moved }],
    );
    expect(states).toEqual([false, true, false]);
  });

  const LOW = { mqtt: { topic: "car", below: 40 } };

  test("of a value stands after a restart until the broker has sent that value, also after its end, and then begins none", () => {
    const states = statesAt(
      [{ id: "r", when: LOW, hold: "30m" }],
      ["10:00"],
      ["10:01", { car: "39" }],
      ["10:05", { car: "41" }],
      ["11:30", { car: null, restart: true }],
      ["11:31", { car: "39" }],
      ["11:32", { car: "41" }],
    );
    expect(states).toEqual([false, true, true, true, true, false]);
  });

  test("is not ended by a clock that is set back to before the turn", () => {
    const states = statesAt(
      [{ id: "r", when: LOW, hold: "30m" }],
      ["10:00"],
      ["10:10", { car: "39" }],
      ["10:05", { car: "41" }],
      ["10:30"],
      ["10:40"],
    );
    expect(states).toEqual([false, true, true, true, false]);
  });

  describe("of a rule that another one looks back at by a lag", () => {
    const F = { id: "f", when: NEXT, hold: "2h" };

    test("is as it was published, also over a restart", () => {
      const states = statesAt(
        [{ id: "r", when: { rule: "f" }, lag: "1h" }, F],
        ["04 10:00", rouge("05")],
        ["04 10:05", bleu("05")],
        ["04 10:10", rouge("05")],
        ["04 10:20", { restart: true }],
        ["04 11:06"],
        ["04 12:05"],
      );
      expect(states).toEqual([true, true, true, true, false, true]);
    });

    test("is as it was published after the clock has ended what it held to", () => {
      const states = statesAt(
        [
          { id: "r", when: { rule: "f" }, lag: "10m" },
          { ...F, when: { all: [NEXT, { period: "hp" }] } },
        ],
        ["04 20:50", rouge("05")],
        ["04 21:00", bleu("05")],
        ["04 21:04", rouge("05")],
        ["04 21:15"],
        ["04 22:00"],
        ["04 22:05"],
      );
      expect(states).toEqual([true, true, true, false, false, false]);
    });

    test("is as it was published before a colour was pretended", () => {
      const begun = Date.parse("2026-01-04T09:20:00Z");
      const simulation = {
        color: "bleu",
        from: "next",
        date: "2026-01-05",
        begun,
        until: begun + HOUR,
      } as const;
      const states = statesAt(
        [{ id: "r", when: { rule: "f" }, lag: "10m" }, F],
        ["04 10:00", rouge("05")],
        ["04 10:05", bleu("05")],
        ["04 10:10", rouge("05")],
        ["04 10:16"],
        ["04 10:20", { simulation }],
      );
      expect(states).toEqual([true, true, true, false, false]);
    });
  });

  test("lasts beyond the days that are known", () => {
    const states = statesAt(
      [{ id: "r", when: { mqtt: { topic: "car", below: 40 } }, hold: "2h" }],
      ["05:00"],
      ["05:30", { car: "39" }],
      ["05:50", { car: "41" }],
      ["06:01"],
      ["07:29"],
      ["07:30"],
      ["07:31", { car: "39" }],
    );
    expect(states).toEqual([false, true, true, true, true, false, false]);
  });

  test("is not begun by what is found after a sleep that was longer than the plan", () => {
    const list: Parameters<typeof rulesOf> = [{ id: "r", when: NOW, hold: "30m" }];
    const states = statesAt(
      list,
      ["01 10:00", { days: { "2026-01-01": BLEU } }],
      ["05 10:00", rouge("05")],
      ["05 10:01", bleu("05")],
    );
    expect(states).toEqual([false, true, false]);
  });

  test("is not ended a day after the end of a time for which a command had disabled the rule", () => {
    const until = Date.parse("2026-01-03T10:00:00Z");
    const list: Parameters<typeof rulesOf> = [{ id: "r", when: NEXT, hold: "30m" }];
    const disabled = switchRuleFor(NO_SETTINGS, "r", false, { from: until - HOUR, until });
    const states = statesAt(
      list,
      ["04 10:40", { ...bleu("05"), settings: endMeanwhile(disabled, until).settings }],
      ["04 10:50", rouge("05")],
      ["04 10:55", bleu("05")],
      ["04 11:01", { settings: NO_SETTINGS }],
    );
    expect(states).toEqual([false, true, true, true]);
  });
});
