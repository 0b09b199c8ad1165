import { describe, expect, it } from "vitest";
import { COLORS, type Color } from "../../../src/core/calendar/tariff.ts";
import { officialColor } from "../../../src/core/days/official-color.ts";
import { forecast, official, saidByRte } from "../../support/known-days.ts";

const service = (color: Color, confirmed: boolean) => official(color, { confirmed });
const rte = (color: Color, confirmed: boolean) => saidByRte(color, { confirmed });

describe("the official colour of a day", () => {
  it("is none where no source has named one: a forecast is no word", () => {
    expect(officialColor(undefined)).toBeUndefined();
    expect(officialColor(forecast("rouge"))).toBeUndefined();
  });

  it.each(COLORS)("is the only one that was named, confirmed or not: %s", (color) => {
    for (const confirmed of [false, true]) {
      const only = { color, confirmed, contradicted: false };
      expect(officialColor(service(color, confirmed))).toEqual(only);
      expect(officialColor(rte(color, confirmed))).toEqual(only);
    }
  });

  it.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])(
    "is the one that both name, confirmed as soon as one has confirmed it (%j, %j)",
    (one, other, confirmed) => {
      const both = { ...service("blanc", one), ...rte("blanc", other) };
      expect(officialColor(both)).toEqual({ color: "blanc", confirmed, contradicted: false });
    },
  );

  const different = COLORS.flatMap((one) =>
    COLORS.filter((other) => other !== one).map((other) => [one, other]),
  );

  it.each(different as [Color, Color][])("where they differ (the service %s, RTE %s)", (one, other) => {
    const decide = (byService: boolean, byRte: boolean) =>
      officialColor({ ...service(one, byService), ...rte(other, byRte) });
    const contradicted = true;
    expect(decide(false, true)).toEqual({ color: other, confirmed: true, contradicted });
    expect(decide(true, true)).toEqual({ color: other, confirmed: true, contradicted });
    expect(decide(true, false)).toEqual({ color: one, confirmed: true, contradicted });
    const expensive = [one, other].includes("rouge") ? "rouge" : "blanc";
    expect(decide(false, false)).toEqual({ color: expensive, confirmed: false, contradicted });
  });
});
