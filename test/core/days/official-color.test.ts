import { describe, expect, it } from "vitest";
import { COLORS, type Color } from "../../../src/core/calendar/tariff.ts";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { officialColor } from "../../../src/core/days/official-color.ts";
import { forecast, official, saidByRte } from "../../support/known-days.ts";

const service = (color: Color, confirmed: boolean) => official(color, { confirmed });
const rte = (color: Color, confirmed: boolean) => saidByRte(color, { confirmed });

describe("the official colour of a day", () => {
  it("is none where no source has named one: a forecast is no word", () => {
    expect(officialColor(undefined, false)).toBeUndefined();
    expect(officialColor(forecast("rouge"), false)).toBeUndefined();
  });

  it.each(COLORS)("is the only one that was named, confirmed or not: %s", (color) => {
    for (const confirmed of [false, true]) {
      const only = { color, confirmed, contradicted: false };
      expect(officialColor(service(color, confirmed), false)).toEqual(only);
      expect(officialColor(rte(color, confirmed), false)).toEqual(only);
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
      expect(officialColor(both, false)).toEqual({ color: "blanc", confirmed, contradicted: false });
    },
  );

  const different = COLORS.flatMap((one) =>
    COLORS.filter((other) => other !== one).map((other) => [one, other]),
  );

  it.each(different as [Color, Color][])("where they differ (the service %s, RTE %s)", (one, other) => {
    const decide = (byService: boolean, byRte: boolean) =>
      officialColor({ ...service(one, byService), ...rte(other, byRte) }, false);
    const contradicted = true;
    const expensive = [one, other].includes("rouge") ? "rouge" : "blanc";
    expect(decide(false, true)).toEqual({ color: other, confirmed: true, contradicted });
    expect(decide(true, true)).toEqual({ color: other, confirmed: true, contradicted });
    expect(decide(true, false)).toEqual({ color: expensive, confirmed: expensive === one, contradicted });
    expect(decide(false, false)).toEqual({ color: expensive, confirmed: false, contradicted });
  });

  it.each(different as [Color, Color][])(
    "if only the service's (%s) is confirmed, is the service's once the date is over, or RTE no longer names %s",
    (one, other) => {
      const ofService = { color: one, confirmed: true, contradicted: true };
      expect(officialColor({ ...service(one, true), ...rte(other, false) }, true)).toEqual(ofService);
      const dropped: KnownDay = {
        ...service(one, true),
        rte_word: { color: other, first_said: 0, confirmed: false, no_longer_named: true },
      };
      expect(officialColor(dropped, false)).toEqual(ofService);
    },
  );

  it("of an early word that RTE no longer names is the more expensive one, until the service confirms its own", () => {
    const dropped: KnownDay = {
      ...service("bleu", false),
      rte_word: { color: "rouge", first_said: 0, confirmed: false, no_longer_named: true },
    };
    expect(officialColor(dropped, false)).toEqual({ color: "rouge", confirmed: false, contradicted: true });
  });
});
