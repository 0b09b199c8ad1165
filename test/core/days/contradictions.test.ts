import { describe, expect, it } from "vitest";
import { wallInstant } from "../../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../../src/core/calendar/tariff.ts";
import { findContradictions } from "../../../src/core/days/contradictions.ts";
import { type KnownDay, type KnownDays, NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { knownDaysOf, official, saidByRte } from "../../support/known-days.ts";
import { PARIS } from "../../support/tariff.ts";

const at = (time: string) => wallInstant("2026-01-05", time, PARIS.time_zone);
const both = (service: Color, rte: Color): KnownDay => ({
  ...official(service, { first_said: at("10:35"), confirmed: false }),
  ...saidByRte(rte, { first_said: at("10:40"), confirmed: false }),
});
const linesOf = (before: KnownDays, after: KnownDays) =>
  findContradictions(before, after, at("12:00"), PARIS).map(({ sentence }) => sentence);

describe("the lines about contradictions", () => {
  const date = "2026-01-06";
  const contradicted = knownDaysOf({ [date]: both("blanc", "rouge") });

  it("are one when a contradiction begins, with both colours and both times", () => {
    expect(linesOf(knownDaysOf({ [date]: official("blanc") }), contradicted)).toEqual([
      "RTE and the service contradict each other about Tuesday 6 January: RTE says rouge (since 10:40), the service says blanc (since 10:35). vigie shows rouge",
    ]);
  });

  it("are none while it lasts, also where another colour is in question", () => {
    expect(linesOf(contradicted, knownDaysOf({ [date]: both("blanc", "rouge") }))).toEqual([]);
    expect(linesOf(contradicted, knownDaysOf({ [date]: both("bleu", "rouge") }))).toEqual([]);
  });

  it("are one when it ends, with both colours and both times", () => {
    expect(linesOf(contradicted, knownDaysOf({ [date]: both("rouge", "rouge") }))).toEqual([
      "RTE and the service agree again about Tuesday 6 January: RTE says rouge (since 10:40), the service says rouge (since 10:35)",
    ]);
  });

  it("what-if: The two sources contradict each other · are one when it ends after its day is past", () => {
    const past = knownDaysOf({ "2026-01-04": both("blanc", "rouge") });
    expect(linesOf(past, knownDaysOf({ "2026-01-04": both("blanc", "blanc") }))).toEqual([
      "RTE and the service agree again about 1 past day: 2026-01-04 (RTE blanc, the service blanc)",
    ]);
  });

  it("are one for all past dates together", () => {
    const dates = [
      "2025-12-01",
      "2025-12-02",
      "2025-12-03",
      "2025-12-04",
      "2025-12-08",
      "2025-12-09",
      "2025-12-10",
    ];
    const days = Object.fromEntries(dates.map((one): [IsoDate, KnownDay] => [one, both("bleu", "blanc")]));
    const lines = linesOf(NO_KNOWN_DAYS, knownDaysOf(days));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^RTE and the service contradict each other about 7 past days: 2025-12-01 \(RTE blanc, the service bleu\), .*, 2 more$/,
    );
    const agreed = dates.map((one): [IsoDate, KnownDay] => [one, both("blanc", "blanc")]);
    const ends = linesOf(knownDaysOf(days), knownDaysOf(Object.fromEntries(agreed)));
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatch(
      /^RTE and the service agree again about 7 past days: 2025-12-01 \(RTE blanc, the service blanc\), .*, 2 more$/,
    );
  });
});
