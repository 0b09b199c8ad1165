import { describe, expect, it } from "vitest";
import { isoInstant } from "../../../src/core/calendar/dates.ts";
import type { Tariff } from "../../../src/core/calendar/tariff.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import type { DayFacts, FactsInput, MomentFacts } from "../../../src/core/facts/facts.ts";
import { factsInputAt, forecast, knownDaysOf, official, officialDays } from "../../support/known-days.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES, UNPRICED } from "../../support/tariff.ts";

const YEAR = knownDaysOf(
  officialDays("2026-01-01", "2026-12-31", { "2026-01-05": "rouge", "2026-01-06": "rouge" }),
);

function momentOf(input: FactsInput, tariff: Tariff = UNPRICED): MomentFacts {
  const { moment } = deriveFacts(input, tariff);
  if (!moment) throw new Error("Expected the facts of the moment, got none");
  return moment;
}

describe("the names of the days over midnight, day start and the shifts of the clocks", () => {
  it.each(
    `2026-01-04T23:59:59+01:00  01-04 bleu   hc  01-05 rouge  01-04 bleu   01-05 rouge
     2026-01-05T00:00:00+01:00  01-04 bleu   hc  01-05 rouge  01-05 rouge  01-06 rouge
     2026-01-05T05:59:59+01:00  01-04 bleu   hc  01-05 rouge  01-05 rouge  01-06 rouge
     2026-01-05T06:00:00+01:00  01-05 rouge  hp  01-06 rouge  01-05 rouge  01-06 rouge
     2026-01-05T22:00:00+01:00  01-05 rouge  hc  01-06 rouge  01-05 rouge  01-06 rouge
     2026-01-07T05:59:59+01:00  01-06 rouge  hc  01-07 bleu   01-07 bleu   01-08 bleu
     2026-03-29T06:00:00+02:00  03-29 bleu   hp  03-30 bleu   03-29 bleu   03-30 bleu
     2026-10-25T05:59:59+01:00  10-24 bleu   hc  10-25 bleu   10-25 bleu   10-26 bleu`
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/)),
  )("at %s now is %s %s, next %s, today %s, tomorrow %s", (at, now, period, next, today, tomorrow) => {
    const moment = momentOf(factsInputAt(at ?? "", YEAR));
    const shown = ({ date, color }: DayFacts) => `${date.slice("2026-".length)} ${color}`;
    expect(moment.now.period).toBe(period);
    expect([shown(moment.now), shown(moment.next)]).toEqual([now, next]);
    expect([shown(moment.days.today), shown(moment.days.tomorrow)]).toEqual([today, tomorrow]);
  });
});

describe("the moment", () => {
  it("names the seven days after today by their civil dates", () => {
    const { days } = momentOf(factsInputAt("2026-02-24T03:00:00+01:00", YEAR));
    expect(Object.values(days).map(({ date }) => date)).toEqual([
      ...["2026-02-24", "2026-02-25", "2026-02-26", "2026-02-27"],
      ...["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"],
    ]);
  });

  it("knows 29 February", () => {
    const knownDays = knownDaysOf({ "2028-02-29": official("rouge"), "2028-03-01": official("blanc") });
    const moment = momentOf(factsInputAt("2028-02-29T12:00:00+01:00", knownDays));
    expect(moment.now).toMatchObject({ date: "2028-02-29", color: "rouge" });
    expect(moment.next).toMatchObject({ date: "2028-03-01", color: "blanc" });
  });

  it.each([
    ["2026-03-28T23:00:00+01:00", "2026-03-29T04:00:00Z", "2026-03-29T04:00:00Z"],
    ["2026-10-24T23:00:00+02:00", "2026-10-25T05:00:00Z", "2026-10-25T05:00:00Z"],
    ["2026-01-05T12:00:00+01:00", "2026-01-06T05:00:00Z", "2026-01-05T21:00:00Z"],
  ])("at %s has the ends of colour and period", (at, color, period) => {
    const { now, next, boundaries } = momentOf(factsInputAt(at, YEAR));
    expect(isoInstant(now.color_until)).toBe(color);
    expect(next.at).toBe(now.color_until);
    expect(isoInstant(now.period_until ?? 0)).toBe(period);
    expect(boundaries.day).toBe(now.color_until);
    expect(boundaries.period).toBe(now.period_until);
  });

  it("has no end of the period where it never changes; the boundary is then that of the day", () => {
    const { now, boundaries } = momentOf(factsInputAt("2026-01-05T12:00:00+01:00", YEAR), {
      ...UNPRICED,
      off_peak: [],
    });
    expect(now).toMatchObject({ period: "hp", period_until: null });
    expect(boundaries.period).toBe(boundaries.day);
  });

  it("has a boundary of the price at the day start, where the window ends later", () => {
    const late = { ...UNPRICED, off_peak: [{ windows: [{ from: "01:00", to: "07:00" }] }] };
    const { now, boundaries } = momentOf(factsInputAt("2026-01-05T05:00:00+01:00", YEAR), late);
    expect(isoInstant(boundaries.period)).toBe("2026-01-05T05:00:00Z");
    expect(isoInstant(now.period_until ?? 0)).toBe("2026-01-05T06:00:00Z");
  });

  it("prices the colour in force by the period, and a new row from the start of its day", () => {
    const tariff = { ...UNPRICED, rates: [AUGUST_PRICES, FEBRUARY_PRICES] };
    const rate = (at: string) => momentOf(factsInputAt(at, YEAR), tariff).now.rate;
    expect(rate("2026-01-05T12:00:00+01:00")).toBeNull();
    expect(rate("2026-07-31T12:00:00+02:00")).toBe(0.1612);
    expect(rate("2026-08-01T05:59:59+02:00")).toBe(0.1325);
    expect(rate("2026-08-01T06:00:00+02:00")).toBe(0.1654);
  });

  it("is unknown where no day is known", () => {
    const { now, next } = momentOf(factsInputAt("2026-01-05T12:00:00+01:00", knownDaysOf({})), {
      ...UNPRICED,
      rates: [AUGUST_PRICES],
    });
    const nothing = { color: null, confidence: null, official: false, stage: null, source: null };
    expect(now).toMatchObject({ ...nothing, rate: null, rates: { hp: null, hc: null } });
    expect(next).toMatchObject(nothing);
  });

  it("is null while the clock is known to be wrong; the dated facts stay", () => {
    const input = factsInputAt("2026-01-05T12:00:00+01:00", YEAR);
    const facts = deriveFacts({ ...input, clock: { ...input.clock, right: false } }, UNPRICED);
    expect(facts.moment).toBeNull();
    expect(facts.dated).toEqual(deriveFacts(input, UNPRICED).dated);
  });
});

describe("the announcement", () => {
  const announce = (at: string, day: ReturnType<typeof official> | undefined) =>
    momentOf(factsInputAt(at, knownDaysOf(day ? { "2026-01-06": day } : {})));

  it.each([
    ["nothing known, before the hour", "2026-01-05T11:59:59+01:00", undefined, null, false],
    ["nothing known, from the hour on", "2026-01-05T12:00:00+01:00", undefined, null, true],
    ["a forecast is not an announcement", "2026-01-05T23:59:59+01:00", forecast("rouge"), "forecast", true],
    ["announced", "2026-01-05T10:00:00+01:00", official("rouge", { confirmed: false }), "announced", false],
    [
      "announced, and not confirmed later",
      "2026-01-05T18:00:00+01:00",
      official("rouge", { confirmed: false }),
      "announced",
      false,
    ],
    ["final", "2026-01-05T11:30:00+01:00", official("rouge"), "final", false],
  ] as const)("%s", (_, at, day, stage, late) => {
    expect(announce(at, day).announcement).toEqual({ stage, date: "2026-01-06", late });
  });

  it("has its boundary at the hour from which it is late, and after that at midnight", () => {
    expect(isoInstant(announce("2026-01-05T00:00:00+01:00", undefined).boundaries.late)).toBe(
      "2026-01-05T11:00:00Z",
    );
    expect(isoInstant(announce("2026-01-05T12:00:00+01:00", undefined).boundaries.late)).toBe(
      "2026-01-05T23:00:00Z",
    );
  });
});
