import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPollLines } from "../../../src/app/read-poll-lines.ts";
import { addDays } from "../../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../../src/core/calendar/tariff.ts";
import type { NEVER_ASKED } from "../../../src/core/facts/source-record.ts";
import { startSource } from "../../../src/core/sources/poll.ts";
import { findDue, nextPollTime } from "../../../src/core/sources/poll-times.ts";
import { RTE } from "../../../src/core/sources/rte-source.ts";
import { NEW_SOURCE } from "../../../src/core/sources/source-kept.ts";
import { forecast, knownDaysOf, saidByRte } from "../../support/known-days.ts";
import { runs } from "../../support/long.ts";
import { PARIS } from "../../support/tariff.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (wall: string) => Date.parse(`2026-01-${wall}:00+01:00`);

type Words = Record<IsoDate, { color: Color; confirmed: boolean }>;

interface Given {
  words?: Words;
  /** The colours that the forecast service names. */
  service?: Record<IsoDate, Color>;
  between?: readonly [string, string];
  offset?: number;
  failures?: typeof NEVER_ASKED.failures;
  before_start?: number | null;
}

/** When something is due next, if all that is awaited is confirmed. */
function nextAt(now: number, failures: typeof NEVER_ASKED.failures) {
  const { part, context } = open(now, { failures, words: { ...CONFIRMED, ...NEXT_CONFIRMED } });
  return nextPollTime(RTE.times(part, context), now);
}

function open(now: number, given: Given) {
  const { words = {}, service = {}, between = ["06:30", "12:00"], offset = 0, failures = {} } = given;
  const dates = [...new Set([...Object.keys(words), ...Object.keys(service)])];
  const days = dates.map((date) => {
    const [word, color] = [words[date], service[date]];
    return [date, { ...(word && saidByRte(word.color, word)), ...(color && forecast(color)) }] as const;
  });
  const part = startSource({ ...NEW_SOURCE, failures });
  const context = {
    source: RTE,
    tariff: PARIS,
    knownDays: knownDaysOf(Object.fromEntries(days)),
    trueTime: now,
    behind: 0,
    pollLines: readPollLines(
      { every: HOUR, announcement: { between, every: 5 * MINUTE } },
      { ...PARIS, offset },
    ),
  };
  return { part, context };
}

/** The requests that are due if they were last part of a poll at these times. */
function dueAt(now: number, polled: { light?: number; season?: number }, given: Given = {}) {
  const { part, context } = open(now, given);
  const requested = { before_start: given.before_start ?? null, polled };
  return RTE.plan(findDue(RTE.times(part, context), requested, now), part, context);
}

/** Whether today and tomorrow are due. */
function due(last: string, now: string, words: Words = {}, more: Given = {}): string {
  const polled = { light: at(last), season: at(last) };
  const light = dueAt(at(now), polled, { words, ...more }).find(({ request }) => request.kind === "light");
  if (!light) return "no";
  return light.essential ? "essential" : "yes";
}

const SAID = { "2026-01-06": { color: "bleu", confirmed: false } } as const;
const CONFIRMED = { "2026-01-06": { color: "bleu", confirmed: true } } as const;
/** The day that begins at 06:00 of the 5th. */
const NEXT_CONFIRMED = { "2026-01-05": { color: "bleu", confirmed: true } } as const;
describe("today and tomorrow are requested", () => {
  test.each([
    ["before the hours of the announcement: not", "05 06:01", "05 06:29", {}, "no"],
    ["from their beginning", "05 06:01", "05 06:30", {}, "yes"],
    ["every 15 minutes until tomorrow is known: not sooner", "05 06:45", "05 06:59", {}, "no"],
    ["every 15 minutes until tomorrow is known", "05 06:45", "05 07:00", {}, "yes"],
    ["known, not confirmed: no longer every 15 minutes", "05 10:30", "05 10:45", SAID, "no"],
    ["known, not confirmed: every 30 minutes", "05 10:30", "05 11:00", SAID, "yes"],
    ["confirmed: no longer", "05 11:15", "05 11:59", CONFIRMED, "no"],
    ["at the end of these hours not confirmed: hourly", "05 11:30", "05 12:00", SAID, "essential"],
    ["hourly, not sooner", "05 12:00", "05 12:59", SAID, "no"],
    ["hourly, although nothing is known", "05 12:00", "05 13:00", {}, "essential"],
    ["confirmed in the afternoon: no longer", "05 13:00", "05 17:59", CONFIRMED, "no"],
    ["at 18:00, although it is confirmed", "05 13:00", "05 18:00", CONFIRMED, "essential"],
    ["at 18:00 once", "05 18:00", "05 18:01", CONFIRMED, "no"],
    ["past midnight hourly, for the day that begins at 06:00", "05 00:00", "05 01:00", {}, "essential"],
    ["past midnight not, where that day is confirmed", "05 00:00", "05 05:49", NEXT_CONFIRMED, "no"],
    ["at 05:50, although it is confirmed", "05 00:00", "05 05:50", NEXT_CONFIRMED, "essential"],
    ["from 06:00 on not for the day that has begun", "05 05:55", "05 06:20", {}, "no"],
    ["18:00 that was slept over, in the evening", "05 13:00", "05 22:10", CONFIRMED, "essential"],
    ["05:50 that was slept over, in the morning", "05 01:00", "05 09:07", CONFIRMED, "essential"],
    ["after the clock was set back", "05 17:00", "05 15:00", CONFIRMED, "essential"],
  ] as [string, string, string, Words, string][])("%s", (_case, last, now, words, expected) => {
    expect(due(last, now, words)).toBe(expected);
  });

  test("within other hours where service.poll.announcement.between names them", () => {
    const between = ["09:00", "10:00"] as const;
    expect(due("05 06:01", "05 08:59", {}, { between })).toBe("no");
    expect(due("05 08:59", "05 09:00", {}, { between })).toBe("yes");
    expect(due("05 09:45", "05 10:00", {}, { between })).toBe("essential");
  });

  test("later by this installation's part of an hour, and of five minutes at 18:00", () => {
    const offset = 0.1;
    expect(due("05 06:01", "05 06:35", {}, { offset })).toBe("no");
    expect(due("05 06:01", "05 06:36", {}, { offset })).toBe("yes");
    expect(due("05 10:45", "05 11:05", SAID, { offset })).toBe("no");
    expect(due("05 10:45", "05 11:06", SAID, { offset })).toBe("yes");
    expect(due("05 12:10", "05 13:05", SAID, { offset })).toBe("no");
    expect(due("05 12:10", "05 13:06", SAID, { offset })).toBe("essential");
    expect(due("05 13:10", "05 18:00", CONFIRMED, { offset })).toBe("no");
    expect(due("05 13:10", "05 18:01", CONFIRMED, { offset })).toBe("essential");
  });
});

describe("a colour of the service that differs", () => {
  const service = { "2026-01-06": "rouge" } as const;

  test("makes both today and tomorrow be requested hourly while it stays", () => {
    expect(due("05 14:19", "05 14:59", CONFIRMED, { service })).toBe("no");
    expect(due("05 14:19", "05 15:00", CONFIRMED, { service })).toBe("yes");
    expect(due("05 15:00", "05 15:59", CONFIRMED, { service })).toBe("no");
  });

  test("makes them be requested at once if they were not within this hour", () => {
    expect(due("05 11:50", "05 14:20", CONFIRMED, { service })).toBe("yes");
  });

  test.each([
    ["the day in force before 06:00", "04", true],
    ["the next day before 06:00", "05", true],
    ["tomorrow before 06:00", "06", true],
    ["a day that is over", "03", false],
    ["the day after tomorrow", "07", false],
  ])("for %s", (_case, day, isFound) => {
    const date = `2026-01-${day}`;
    const words: Words = { ...NEXT_CONFIRMED, [date]: { color: "bleu", confirmed: true } };
    expect(due("05 01:10", "05 02:00", words, { service: { [date]: "blanc" } })).toBe(isFound ? "yes" : "no");
  });

  test("is none if one of the two names no colour, or both the same", () => {
    expect(due("05 14:19", "05 15:00", CONFIRMED)).toBe("no");
    expect(due("05 14:19", "05 15:00", CONFIRMED, { service: { "2026-01-06": "bleu" } })).toBe("no");
  });
});

describe("the season is requested", () => {
  const seasonDue = (now: number, last: number, more: Given = {}) =>
    dueAt(now, { light: now, season: last }, { words: { ...CONFIRMED, ...NEXT_CONFIRMED }, ...more }).some(
      ({ request }) => request.kind === "season",
    );

  test.each([
    ["once a day from 03:00 on: not before", "05 02:59", "04 03:00", 0, false],
    ["once a day from 03:00 on", "05 03:00", "04 03:00", 0, true],
    ["once a day", "05 23:59", "05 03:00", 0, false],
    ["before 05:00 by each installation: not before its time", "05 04:59", "04 05:00", 0.999, false],
    ["before 05:00 by each installation", "05 05:00", "04 05:00", 0.999, true],
  ])("%s", (_case, now, last, offset, expected) => {
    expect(seasonDue(at(now), at(last), { offset })).toBe(expected);
  });

  test("again an hour after a failure, ten times a day, also by a vigie that was killed", () => {
    const failures = (count: number) => ({ season: { at: at("05 02:00"), count, sentence: "404" } });
    expect(seasonDue(at("05 02:59"), at("05 02:00"), { failures: failures(1) })).toBe(false);
    expect(seasonDue(at("05 03:00"), at("05 02:00"), { failures: failures(1) })).toBe(true);
    expect(seasonDue(at("05 23:00"), at("05 02:00"), { failures: failures(10) })).toBe(false);
    expect(nextAt(at("05 14:10"), { season: { at: at("05 14:02"), count: 1, sentence: "404" } })).toBe(
      at("05 15:15"),
    );
    const kinds = (now: string) =>
      dueAt(at(now), {}, { failures: failures(1) }).map(({ request }) => request.kind);
    expect([kinds("05 02:59"), kinds("05 03:00")]).toEqual([["light"], ["light", "season"]]);
  });

  test.each([
    ["2026-03-29", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"],
    ["2026-10-25", "2026-10-25T02:00:00Z", "2026-10-25T04:00:00Z"],
  ])("between 03:00 and 05:00 of %s, when the clocks are moved", (_date, first, last) => {
    const from = Date.parse(first);
    const isDue = (now: number, offset: number) => seasonDue(now, from - 12 * HOUR, { offset });
    expect([isDue(from - MINUTE, 0), isDue(from, 0)]).toEqual([false, true]);
    const end = Date.parse(last);
    expect([isDue(end - MINUTE, 0.9999), isDue(end, 0.9999)]).toEqual([false, true]);
  });

  test("with the label of the season whose days are over, on 1 September still the old one", () => {
    const labelAt = (iso: string) =>
      dueAt(Date.parse(iso), {}).flatMap(({ request }) =>
        request.kind === "season" && "label" in request ? [request.label] : [],
      );
    expect(labelAt("2026-09-01T02:00:00+02:00")).toEqual(["2025-2026"]);
    expect(labelAt("2026-09-02T02:00:00+02:00")).toEqual(["2026-2027"]);
  });
});

describe("a start", () => {
  const startAt = (before: string | null, now: string) =>
    dueAt(at(now), {}, { words: CONFIRMED, before_start: before === null ? null : at(before) });

  test("requests both at any time, today and tomorrow first", () => {
    for (const now of ["05 03:10", "05 09:00", "05 15:00", "05 23:00"]) {
      const kinds = startAt("05 03:09", now).map(({ request }) => request.kind);
      expect(kinds).toEqual(["light", "season"]);
    }
  });

  test("is essential only where an essential request was due since the last one before it", () => {
    expect(startAt("05 17:59", "05 17:59")[0]?.essential).toBe(false);
    expect(startAt("05 17:59", "05 18:01")[0]?.essential).toBe(true);
    expect(startAt("05 18:00", "05 18:01")[0]?.essential).toBe(false);
    expect(startAt(null, "05 18:01")[0]?.essential).toBe(true);
  });
});

describe("the requests of a day", () => {
  interface Day {
    /** When tomorrow is known, and when an answer confirms it; null: never. */
    known: string | null;
    confirmed: string | null;
    service?: Record<IsoDate, Color>;
    date?: string;
    zone?: string;
  }

  /** The times of all requests of one day, looked for each minute as the program does. */
  function requestsOf(
    { known, confirmed, service = {}, date = "2026-01-05", zone = "+01:00" }: Day,
    offset = 0.37,
  ) {
    const wall = (time: string) => Date.parse(`${date}T${time}:00${zone}`);
    const start = wall("00:00");
    let polled = { light: start - MINUTE, season: start - 20 * HOUR };
    const sent: { time: number; kind: string; essential: boolean }[] = [];
    for (let now = start; now < start + 24 * HOUR; now += MINUTE) {
      const isKnown = known !== null && now >= wall(known);
      const isConfirmed = confirmed !== null && now >= wall(confirmed);
      const words: Words = {
        [addDays(date, -1)]: { color: "bleu", confirmed: true },
        [date]: { color: "bleu", confirmed: true },
        ...(isKnown && { [addDays(date, 1)]: { color: "bleu", confirmed: isConfirmed } }),
      };
      for (const { request, essential } of dueAt(now, polled, { words, service, offset })) {
        sent.push({ time: now, kind: request.kind, essential });
        polled = { ...polled, [request.kind]: now };
      }
    }
    return sent;
  }

  test("about 20 on a quiet day, the season once", () => {
    const sent = requestsOf({ known: "10:35", confirmed: "11:35" });
    expect(sent.filter(({ kind }) => kind === "season")).toHaveLength(1);
    expect(sent.length).toBeGreaterThan(18);
    expect(sent.length).toBeLessThanOrEqual(30);
  });

  test.each([
    ["tomorrow is never announced", { known: null, confirmed: null }],
    ["it is never confirmed", { known: "06:40", confirmed: null }],
    [
      "the service names another colour all day",
      { known: "06:40", confirmed: null, service: { "2026-01-05": "rouge", "2026-01-06": "rouge" } as const },
    ],
  ])("at most 80 where %s, whatever the offset", (_case, day) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (offset) => {
        expect(requestsOf(day, offset).length).toBeLessThanOrEqual(80);
      }),
      { numRuns: runs(30) },
    );
  });

  test.each([
    ["2026-03-29", "+01:00"],
    ["2026-10-25", "+02:00"],
  ])("as many on %s, when the clocks are moved", (date, zone) => {
    const sent = requestsOf({ known: null, confirmed: null, date, zone }, 0);
    const window = sent.filter(({ essential, kind }) => !essential && kind === "light");
    expect(window).toHaveLength(22);
    expect(sent.filter(({ kind }) => kind === "season")).toHaveLength(1);
  });
});
