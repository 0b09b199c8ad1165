import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, wallInstant } from "../../../src/core/calendar/dates.ts";
import { COLORS, type Color } from "../../../src/core/calendar/tariff.ts";
import { daysAt } from "../../../src/core/facts/days-view.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import type { DayFacts, FactsInput, MomentFacts, Simulation } from "../../../src/core/facts/facts.ts";
import {
  readSimulation,
  runningSimulation,
  simulateView,
  startSimulation,
} from "../../../src/core/facts/simulation.ts";
import { renderTopics } from "../../../src/core/topics/render-topics.ts";
import { factsInputAt, forecast, knownDaysOf, official, officialDays } from "../../support/known-days.ts";
import { PARIS } from "../../support/tariff.ts";

const HOUR = 3_600_000;
const wall = (date: string, time: string) => wallInstant(date, time, PARIS.time_zone);
const AUGUST = wall("2026-08-10", "12:00");
const rougeFor = (from: "now" | "next", at = AUGUST): Simulation =>
  startSimulation({ color: "rouge", from, for: HOUR }, at, PARIS);

function momentOf(input: FactsInput): MomentFacts {
  const { moment } = deriveFacts(input, PARIS);
  if (!moment) throw new Error("Expected the facts of the moment, got none");
  return moment;
}

const shownOf = ({ date, color, official: is, stage, confidence, source }: DayFacts) => ({
  date,
  color,
  official: is,
  stage,
  confidence,
  source,
});

describe("a simulation", () => {
  const BLEU = knownDaysOf({ "2026-08-10": official("bleu"), "2026-08-11": forecast("bleu") });
  const pretended = { color: "rouge", official: true, stage: "final", confidence: 1, source: "simulation" };

  test("fixes its tariff day when it starts", () => {
    expect(rougeFor("now")).toEqual({
      color: "rouge",
      from: "now",
      date: "2026-08-10",
      begun: AUGUST,
      until: AUGUST + HOUR,
    });
    expect(rougeFor("next").date).toBe("2026-08-11");
    expect(rougeFor("now", wall("2026-08-11", "05:30")).date).toBe("2026-08-10");
  });

  test("shows its colour wherever that day is shown, with its own source", () => {
    const moment = momentOf({ ...factsInputAt(AUGUST, BLEU), simulation: rougeFor("next") });
    const day = { date: "2026-08-11", ...pretended };
    expect([shownOf(moment.next), shownOf(moment.days.tomorrow)]).toEqual([day, day]);
    expect([moment.now.color, moment.days.today.color, moment.days.d2.color]).toEqual(["bleu", "bleu", null]);
    const now = momentOf({ ...factsInputAt(AUGUST, BLEU), simulation: rougeFor("now") });
    expect([shownOf(now.now), shownOf(now.days.today)]).toEqual([
      { date: "2026-08-10", ...pretended },
      { date: "2026-08-10", ...pretended },
    ]);
  });

  test("stays with the same day over the day start", () => {
    const simulation = rougeFor("next", wall("2026-08-11", "05:30"));
    expect(simulation.date).toBe("2026-08-11");
    const moment = momentOf({ ...factsInputAt(wall("2026-08-11", "06:10"), BLEU), simulation });
    expect([moment.now.color, moment.next.color]).toEqual(["rouge", null]);
  });

  test("says on its topic which day it is now, and ends with that day", () => {
    const simulation = startSimulation(
      { color: "rouge", from: "next", for: 24 * HOUR },
      wall("2026-08-11", "05:30"),
      PARIS,
    );
    const topicAt = (time: string) => {
      const facts = deriveFacts({ ...factsInputAt(wall("2026-08-11", time), BLEU), simulation }, PARIS);
      const { payload = "" } = renderTopics(facts, { grace: 0, laws: PARIS.laws }).get("simulation") ?? {};
      return JSON.parse(payload);
    };
    const said = { color: "rouge", date: "2026-08-11", until: "2026-08-12T03:30:00Z" };
    expect(topicAt("05:59")).toEqual({ ...said, from: "next" });
    expect(topicAt("06:00")).toEqual({ ...said, from: "now" });
    const untilSix = rougeFor("now", wall("2026-08-11", "05:30"));
    expect([untilSix.date, untilSix.until]).toEqual(["2026-08-10", wall("2026-08-11", "06:00")]);
  });

  test("changes the topics of the day, and not forecast, prices, rates and announcement", () => {
    const input = factsInputAt(AUGUST, BLEU);
    const topics = (simulation: Simulation | null) =>
      renderTopics(deriveFacts({ ...input, simulation }, PARIS), { grace: 0, laws: PARIS.laws });
    const read = (simulation: Simulation | null, name: string) => topics(simulation).get(name)?.payload;
    for (const [name, without, within] of [
      ["now/color", "bleu", "rouge"],
      ["now/slot", "bleu_hp", "rouge_hp"],
      ["now/source", "official", "simulation"],
      ["rouge_now", "OFF", "ON"],
      ["rouge_hp_now", "OFF", "ON"],
      ["rouge_today", "OFF", "ON"],
      ["today/source", "official", "simulation"],
      ["now/rate", "0.1654", "0.1654"],
      ["today/rate_hp", "0.1654", "0.1654"],
      ["announcement/stage", "forecast", "forecast"],
      ["next_change/color", "None", "None"],
      ["simulation/color", "auto", "rouge"],
    ] as const) {
      expect([name, read(null, name), read(rougeFor("now"), name)]).toEqual([name, without, within]);
    }
    expect(topics(rougeFor("now")).get("now/color")?.expires).toBe(AUGUST + HOUR);
  });

  test("ends by itself, at a boundary of its own", () => {
    const simulation = rougeFor("now");
    const at = (instant: number) => ({ ...factsInputAt(instant, BLEU), simulation });
    expect(deriveFacts(at(AUGUST), PARIS).next_boundary).toBe(simulation.until);
    expect(momentOf(at(simulation.until - 1)).now.color).toBe("rouge");
    expect(momentOf(at(simulation.until)).now.color).toBe("bleu");
    expect(deriveFacts(at(simulation.until), PARIS).simulation).toBeNull();
    expect(runningSimulation(simulation, simulation.until)).toBeNull();
    // A clock that was set back does not make it longer.
    expect(runningSimulation(simulation, AUGUST - 1)).toBeNull();
  });

  test("is read back from the state file; anything else counts as none", () => {
    const simulation = rougeFor("next");
    expect(readSimulation(JSON.parse(JSON.stringify(simulation)))).toEqual(simulation);
    fc.assert(
      fc.property(fc.jsonValue(), (kept) => readSimulation(kept) === null),
      { numRuns: 50 },
    );
    for (const kept of [undefined, { ...simulation, date: "2026-02-30" }, { ...simulation, color: "auto" }])
      expect(readSimulation(kept)).toBeNull();
  });

  test("is in the view of rules while it runs", () => {
    const simulation = rougeFor("now");
    const colorAt = (at: number) => simulateView(daysAt(BLEU, at, PARIS), simulation).day("2026-08-10").color;
    expect([AUGUST - 1, AUGUST, AUGUST + HOUR - 1, AUGUST + HOUR].map(colorAt)).toEqual([
      ...["bleu", "rouge", "rouge", "bleu"],
    ]);
  });
});

describe("with any simulation", () => {
  const FIRST = "2026-01-04";
  const dates = Array.from({ length: 10 }, (_, days) => addDays(FIRST, days - 1));
  const anyDay = fc.oneof(
    fc.constantFrom(...COLORS).map((color) => official(color)),
    fc.constantFrom(...COLORS, null).map((color) => forecast(color)),
    fc.constant(undefined),
  );
  const anyKnownDays = fc.tuple(...dates.map(() => anyDay)).map((days) => {
    const known = days.flatMap((day, index) => (day ? [[dates[index] ?? "", day] as const] : []));
    return knownDaysOf({ ...officialDays("2025-09-01", "2026-01-02"), ...Object.fromEntries(known) });
  });
  const anySimulation = fc.record({
    color: fc.constantFrom<Color>(...COLORS),
    from: fc.constantFrom("now" as const, "next" as const),
    for: fc.integer({ min: 1000, max: 24 * HOUR }),
    begun: fc.integer({ min: 0, max: 40 * HOUR }).map((after) => wall(FIRST, "00:00") + after),
  });
  const cases = fc.tuple(anyKnownDays, anySimulation, fc.integer({ min: 0, max: 24 * HOUR }), fc.boolean());

  test("an official rouge is never shown as anything milder", () => {
    fc.assert(
      fc.property(cases, ([knownDays, { begun, ...request }, later]) => {
        const input = factsInputAt(begun + later, knownDays);
        const moment = momentOf({ ...input, simulation: startSimulation(request, begun, PARIS) });
        for (const day of [moment.now, moment.next, ...Object.values(moment.days)]) {
          if (knownDays.days[day.date]?.service_word?.color === "rouge") expect(day.color).toBe("rouge");
        }
      }),
      { numRuns: 80 },
    );
  });

  test("forecast, next_rouge, rates, prices and season stay to the byte, and only the one day differs", () => {
    fc.assert(
      fc.property(cases, ([knownDays, { begun, ...request }, later, failing]) => {
        const simulation = startSimulation(request, begun, PARIS);
        const input = {
          ...factsInputAt(begun + later, knownDays),
          failed_outputs: failing ? ["boiler/set"] : [],
        };
        const [without, within] = [input, { ...input, simulation }].map((one) => deriveFacts(one, PARIS));
        expect(JSON.stringify(within?.dated)).toBe(JSON.stringify(without?.dated));
        expect(within?.service).toEqual(without?.service);
        const [plain, pretended] = [without, within].map((facts) => facts?.moment);
        expect(pretended?.announcement).toEqual(plain?.announcement);
        for (const [name, day] of Object.entries(pretended?.days ?? {})) {
          const was = plain?.days[name as keyof MomentFacts["days"]];
          if (day.date !== simulation.date) expect(day).toEqual(was);
          expect(day.rates).toEqual(was?.rates);
        }
      }),
      { numRuns: 80 },
    );
  });
});
