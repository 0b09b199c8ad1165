import { describe, expect, it } from "vitest";
import { wallInstant } from "../../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../../src/core/calendar/tariff.ts";
import { findDayEvents } from "../../../src/core/days/day-events.ts";
import { type KnownDay, type KnownDays, NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { saidByRte, official as saidByService } from "../../support/known-days.ts";
import { PARIS } from "../../support/tariff.ts";

const NOON = wallInstant("2026-01-05", "12:00", PARIS.time_zone);
const BEFORE_SIX = wallInstant("2026-01-05", "05:00", PARIS.time_zone);

const official = (color: Color, confirmed = false): KnownDay => saidByService(color, { confirmed });
const rte = (color: Color, confirmed = false): KnownDay => saidByRte(color, { confirmed });
const knownDays = (days: Record<IsoDate, KnownDay>): KnownDays => ({ ...NO_KNOWN_DAYS, days });
const compare = (before: KnownDays, after: KnownDays, now = NOON) => findDayEvents(before, after, now, PARIS);

describe("the events between two states of the known days", () => {
  it("are none when nothing official changed", () => {
    const before = knownDays({ "2026-01-06": official("rouge") });
    expect(compare(before, before)).toEqual([]);
    expect(compare(before, knownDays({ "2026-01-06": official("rouge") }))).toEqual([]);
  });

  it.each([
    [undefined, official("rouge"), [{ kind: "announced", color: "rouge" }]],
    [
      undefined,
      official("rouge", true),
      [
        { kind: "announced", color: "rouge" },
        { kind: "final", color: "rouge" },
      ],
    ],
    [official("rouge"), official("rouge", true), [{ kind: "final", color: "rouge" }]],
    [official("bleu"), official("rouge"), [{ kind: "revised", color: "rouge", from: "bleu" }]],
    [
      official("bleu", true),
      official("rouge", true),
      [
        { kind: "revised", color: "rouge", from: "bleu" },
        { kind: "final", color: "rouge" },
      ],
    ],
  ])("from %j to %j", (before, after, events) => {
    const date = "2026-01-06";
    expect(
      compare(before ? knownDays({ [date]: before }) : NO_KNOWN_DAYS, knownDays({ [date]: after })),
    ).toEqual(events.map((event) => ({ ...event, date })));
  });

  it.each([
    [
      "the other source names the same colour",
      official("rouge"),
      { ...official("rouge"), ...rte("rouge") },
      [],
    ],
    [
      "the other source names a more expensive colour",
      official("bleu"),
      { ...official("bleu"), ...rte("rouge") },
      [{ kind: "revised", color: "rouge", from: "bleu" }],
    ],
    [
      "the other source names a cheaper colour",
      official("rouge"),
      { ...official("rouge"), ...rte("bleu") },
      [],
    ],
    [
      "the other source confirms the colour that is shown",
      official("rouge"),
      { ...official("rouge"), ...rte("rouge", true) },
      [{ kind: "final", color: "rouge" }],
    ],
    [
      "the contradiction is over, and the colour shown stays",
      { ...official("bleu"), ...rte("rouge") },
      { ...official("rouge"), ...rte("rouge") },
      [],
    ],
  ])("compare the colours shown, never those of one source: %s", (_, before, after, events) => {
    const date = "2026-01-06";
    expect(compare(knownDays({ [date]: before }), knownDays({ [date]: after }))).toEqual(
      events.map((event) => ({ ...event, date })),
    );
  });

  it("do not announce past days: a year of history is not news", () => {
    const days = { "2025-02-01": official("bleu", true), "2026-01-04": official("blanc", true) };
    expect(compare(NO_KNOWN_DAYS, knownDays(days))).toEqual([]);
    expect(compare(NO_KNOWN_DAYS, knownDays(days), BEFORE_SIX)).toHaveLength(2);
  });

  it("include a revision of yesterday, and nothing of the day before", () => {
    const before = knownDays({ "2026-01-03": official("bleu", true), "2026-01-04": official("bleu", true) });
    const after = knownDays({ "2026-01-03": official("blanc", true), "2026-01-04": official("blanc", true) });
    expect(compare(before, after)).toEqual([
      { kind: "revised", date: "2026-01-04", color: "blanc", from: "bleu" },
    ]);
  });

  it("are sorted by date", () => {
    const after = knownDays({ "2026-01-07": official("bleu"), "2026-01-06": official("rouge") });
    expect(compare(NO_KNOWN_DAYS, after).map(({ date }) => date)).toEqual(["2026-01-06", "2026-01-07"]);
  });
});
