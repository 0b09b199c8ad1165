import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, civilDate } from "../../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../../src/core/calendar/tariff.ts";
import { dueOfficial, type OfficialTimesInput } from "../../../src/core/sources/official-times.ts";
import { noRequestTimes, type RequestTimes } from "../../../src/core/sources/request-times.ts";
import { runs } from "../../support/long.ts";
import { PARIS } from "../../support/tariff.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (wall: string) => Date.parse(`2026-01-${wall}:00+01:00`);

type Words = Record<IsoDate, { color: Color; confirmed: boolean }>;

function input(words: Words = {}, over: Partial<OfficialTimesInput> = {}): OfficialTimesInput {
  return {
    between: ["06:30", "12:00"],
    tariff: PARIS,
    wordFor: (date) => words[date],
    serviceColor: () => null,
    asked: "2026-01-05",
    failures: {},
    offset: 0,
    ...over,
  };
}

/** Asked last at these times. */
function asked(light: number, season = light): RequestTimes {
  return { ...noRequestTimes(null), polled: { light, season } };
}

/** Whether today and tomorrow are due. */
function due(last: string, now: string, words: Words = {}, over: Partial<OfficialTimesInput> = {}): string {
  const light = dueOfficial(at(now), asked(at(last)), input(words, over)).find(
    ({ request }) => request.kind === "light",
  );
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

  test("later by this installation's part of each interval, and of five minutes at 18:00", () => {
    const offset = 0.5;
    expect(due("05 06:01", "05 06:37", {}, { offset })).toBe("no");
    expect(due("05 06:01", "05 06:38", {}, { offset })).toBe("yes");
    expect(due("05 10:45", "05 11:14", SAID, { offset })).toBe("no");
    expect(due("05 10:45", "05 11:15", SAID, { offset })).toBe("yes");
    expect(due("05 12:10", "05 12:29", SAID, { offset })).toBe("no");
    expect(due("05 12:10", "05 12:30", SAID, { offset })).toBe("essential");
    expect(due("05 13:00", "05 18:02", CONFIRMED, { offset })).toBe("no");
    expect(due("05 13:00", "05 18:03", CONFIRMED, { offset })).toBe("essential");
  });
});

describe("a colour of the service that differs", () => {
  const serviceColor = (date: IsoDate): Color | null => (date === "2026-01-06" ? "rouge" : null);
  const differing = input(CONFIRMED, { serviceColor });

  test("makes both today and tomorrow be requested hourly while it stays", () => {
    expect(dueOfficial(at("05 14:59"), asked(at("05 14:19")), differing)).toEqual([]);
    expect(dueOfficial(at("05 15:00"), asked(at("05 14:19")), differing)).toEqual([
      { request: { kind: "light" }, essential: false },
    ]);
    expect(dueOfficial(at("05 15:59"), asked(at("05 15:00")), differing)).toEqual([]);
  });

  test.each([
    ["the day in force before 06:00", "04", true],
    ["the next day before 06:00", "05", true],
    ["tomorrow before 06:00", "06", true],
    ["a day that is over", "03", false],
    ["the day after tomorrow", "07", false],
  ])("for %s", (_case, day, isFound) => {
    const words: Words = { ...NEXT_CONFIRMED, [`2026-01-${day}`]: { color: "bleu", confirmed: true } };
    const colors = (date: IsoDate) => (date === `2026-01-${day}` ? "blanc" : null);
    expect(due("05 01:10", "05 02:00", words, { serviceColor: colors })).toBe(isFound ? "yes" : "no");
  });

  test("is none if one of the two names no colour, or both the same", () => {
    const dueWith = (words: Words, over: Partial<OfficialTimesInput>) =>
      due("05 14:19", "05 15:00", words, over);
    expect(dueWith(CONFIRMED, {})).toBe("no");
    expect(dueWith(CONFIRMED, { serviceColor: () => "bleu" })).toBe("no");
  });
});

describe("the season is requested", () => {
  const seasonDue = (now: string, answered: string, requested = answered, offset = 0) =>
    dueOfficial(
      at(now),
      asked(at(now), at(requested)),
      input({ ...CONFIRMED, ...NEXT_CONFIRMED }, { offset, asked: `2026-01-${answered.slice(0, 2)}` }),
    ).some(({ request }) => request.kind === "season");

  test.each([
    ["once a day from 02:00 on: not before", "05 01:59", "04 02:00", 0, false],
    ["once a day from 02:00 on", "05 02:00", "04 02:00", 0, true],
    ["once a day", "05 23:59", "05 02:00", 0, false],
    ["before 05:00 by each installation: not before its time", "05 04:59", "04 05:00", 0.999, false],
    ["before 05:00 by each installation", "05 05:00", "04 05:00", 0.999, true],
  ])("%s", (_case, now, answered, offset, expected) => {
    expect(seasonDue(now, answered, answered, offset)).toBe(expected);
  });

  test("again an hour after a request that was not answered", () => {
    expect(seasonDue("05 02:59", "04 02:00", "05 02:00")).toBe(false);
    expect(seasonDue("05 03:00", "04 02:00", "05 02:00")).toBe(true);
  });

  test.each([
    ["2026-03-29", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"],
    ["2026-10-25", "2026-10-25T00:00:00Z", "2026-10-25T04:00:00Z"],
  ])("between 02:00 and 05:00 of %s, when the clocks are moved", (_date, first, last) => {
    const from = Date.parse(first);
    const isDue = (now: number, offset: number) => {
      const yesterday = civilDate(from - 12 * HOUR, PARIS.time_zone);
      const before = asked(now, from - 12 * HOUR);
      return dueOfficial(now, before, input({}, { offset, asked: yesterday })).some(
        ({ request }) => request.kind === "season",
      );
    };
    expect([isDue(from - MINUTE, 0), isDue(from, 0)]).toEqual([false, true]);
    expect([isDue(Date.parse(last) - MINUTE, 0.9999), isDue(Date.parse(last), 0.9999)]).toEqual([
      false,
      true,
    ]);
  });

  test("with the label of the season whose days are over, on 1 September still the old one", () => {
    const labelAt = (iso: string) =>
      dueOfficial(Date.parse(iso), noRequestTimes(null), input()).flatMap(({ request }) =>
        request.kind === "season" ? [request.label] : [],
      );
    expect(labelAt("2026-09-01T02:00:00+02:00")).toEqual(["2025-2026"]);
    expect(labelAt("2026-09-02T02:00:00+02:00")).toEqual(["2026-2027"]);
  });
});

describe("a start", () => {
  const startAt = (before: string | null, now: string) =>
    dueOfficial(at(now), noRequestTimes(before === null ? null : at(before)), input(CONFIRMED));

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
    serviceColor?: (date: IsoDate) => Color | null;
    date?: string;
    zone?: string;
  }

  /** The times of all requests of one day, looked for each minute as the program does. */
  function requestsOf(
    { known, confirmed, serviceColor, date = "2026-01-05", zone = "+01:00" }: Day,
    offset = 0.37,
  ) {
    const wall = (time: string) => Date.parse(`${date}T${time}:00${zone}`);
    const start = wall("00:00");
    let last = asked(start - MINUTE, start - 20 * HOUR);
    let answered = addDays(date, -1);
    const sent: { time: number; kind: string; essential: boolean }[] = [];
    for (let now = start; now < start + 24 * HOUR; now += MINUTE) {
      const isKnown = known !== null && now >= wall(known);
      const isConfirmed = confirmed !== null && now >= wall(confirmed);
      const wordFor = (day: IsoDate) => {
        if (day <= date) return { color: "bleu", confirmed: true } as const;
        return isKnown ? ({ color: "bleu", confirmed: isConfirmed } as const) : undefined;
      };
      const times = input({}, { wordFor, offset, asked: answered, ...(serviceColor && { serviceColor }) });
      for (const { request, essential } of dueOfficial(now, last, times)) {
        sent.push({ time: now, kind: request.kind, essential });
        last = { ...last, polled: { ...last.polled, [request.kind]: now } };
        if (request.kind === "season") answered = date;
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
      { known: "06:40", confirmed: null, serviceColor: () => "rouge" as const },
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
