import fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import type { Color } from "../../src/core/calendar/tariff.ts";
import type { KnownDay, KnownDays } from "../../src/core/days/known-days.ts";
import { learnOfficial } from "../../src/core/days/learn.ts";
import {
  type CalendarQuery,
  escapeText,
  fold,
  readCalendarQuery,
  renderCalendar,
} from "../../src/http/calendar.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { trueColor } from "../../src/simulator/official-colors.ts";
import { createIntlWallClock, shiftDate } from "../support/intl-wall-clock.ts";
import { forecast, knownDaysOf, official, officialDays, saidByRte } from "../support/known-days.ts";
import { LONG, runs } from "../support/long.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { viewOf } from "../support/views.ts";
import { openVirtualSeason, WORLD } from "../support/virtual-season.ts";

const NOW = Date.parse("2026-01-05T12:00:00Z");
const EVERY: CalendarQuery = { colors: ["bleu", "blanc", "rouge"], forecast: "all" };
const OFFICIAL: CalendarQuery = { ...EVERY, forecast: null };
const OCTETS = new TextEncoder();
const wall = createIntlWallClock("Europe/Paris");

const viewAt = (at: number, days: Record<string, KnownDay>) =>
  viewOf(openTestLoop({ clock: { at }, days: knownDaysOf(days) }).loop);
const render = (view: PageView, query: CalendarQuery = EVERY, language: "fr" | "en" = "en") =>
  renderCalendar(view, { ...query, language });

interface Read {
  date: string;
  title: string;
  description: string;
  status: string;
  uid: string;
  sequence: number;
  modified: number;
  hours: number;
  starts: string;
  ends: string;
}

/** By an independent reader of calendars. */
function read(text: string): { name: string; events: Read[] } {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const events = calendar.getAllSubcomponents("vevent").map((component): Read => {
    const event = new ICAL.Event(component);
    const [start, end] = [event.startDate.toJSDate().getTime(), event.endDate.toJSDate().getTime()];
    const value = (name: string) => component.getFirstPropertyValue(name);
    return {
      date: wall(start).date,
      starts: wall(start).time,
      ends: wall(end).time,
      hours: (end - start) / 3_600_000,
      title: event.summary,
      description: event.description,
      uid: event.uid,
      sequence: Number(event.sequence),
      status: String(value("status")),
      modified: (value("last-modified") as ICAL.Time).toJSDate().getTime(),
    };
  });
  return { name: String(calendar.getFirstPropertyValue("x-wr-calname")), events };
}

const titlesOf = (text: string) =>
  Object.fromEntries(read(text).events.map(({ date, title }) => [date, title]));

describe("a season in the calendar", () => {
  test("has every official day exactly once, in its colour, from 06:00 to 06:00", async () => {
    const { loop, pollAt } = openVirtualSeason("2025-09-01");
    const dates = Array.from({ length: 366 }, (_, day) => shiftDate("2025-09-01", day));
    let all: Read[] = [];
    // Each fourth week, or each week, to be quick: what was announced between is in the history.
    for (const date of dates.slice(0, -1).filter((_, day) => day % (LONG ? 7 : 28) === 0)) {
      await pollAt(Date.parse(`${date}T12:00:00Z`));
      all = read(render(viewOf(loop), OFFICIAL)).events;
      // Tomorrow is official from 10:30 on.
      const announced = dates.filter((one) => one <= shiftDate(date, 1));
      expect(all.map((event) => event.date)).toEqual(announced);
      expect(all.filter((event) => event.title !== title(trueColor(event.date, WORLD)))).toEqual([]);
    }
    // The last is the first of the next season.
    expect(all).toHaveLength(366);
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(366);
    expect(all.filter(({ starts, ends }) => starts !== "06:00:00" || ends !== "06:00:00")).toEqual([]);
    const odd = all.filter(({ hours }) => hours !== 24).map(({ date, hours }) => [date, hours]);
    expect(odd).toEqual([
      ["2025-10-25", 25],
      ["2026-03-28", 23],
    ]);
  });

  test("begins anew on 1 September, and has the day that is announced in the evening before", () => {
    const days = officialDays("2025-08-01", "2025-09-02");
    expect(Object.keys(titlesOf(render(viewAt(Date.parse("2025-09-01T03:59:00Z"), days))))).toHaveLength(33);
    const after = render(viewAt(Date.parse("2025-09-01T04:00:00Z"), days));
    expect(Object.keys(titlesOf(after))).toEqual(["2025-09-01", "2025-09-02"]);
  });
});

function title(color: Color): string {
  return { bleu: "🔵 Bleu day", blanc: "⚪ Blanc day", rouge: "🔴 Rouge day" }[color];
}

describe("which days are in the calendar", () => {
  const view = viewAt(NOW, {
    "2026-01-04": forecast("bleu"),
    "2026-01-05": official("rouge"),
    "2026-01-06": official("blanc"),
    "2026-01-07": forecast("rouge", { confidence: 0.795 }),
    "2026-01-08": forecast("bleu", { confidence: 0.5 }),
    "2026-01-09": forecast("rouge", { confidence: null }),
    // The tariff forbids it.
    "2026-01-11": forecast("rouge", { confidence: 0.9 }),
    "2026-01-13": forecast("rouge"),
  });

  test.each<[query: string, dates: string[]]>([
    ["", ["05", "06"]],
    ["colors=rouge", ["05"]],
    ["colors=rouge,blanc", ["05", "06"]],
    ["forecast=80", ["05", "06", "07"]],
    ["forecast=50&colors=bleu", ["08"]],
    ["forecast=100", ["05", "06"]],
    ["forecast=0", ["05", "06", "07", "08"]],
    ["forecast=all", ["05", "06", "07", "08", "09"]],
  ])("?%s", (query, dates) => {
    const given = readCalendarQuery(new URLSearchParams(query));
    if ("problem" in given) throw new Error(given.problem);
    expect(Object.keys(titlesOf(render(view, given)))).toEqual(dates.map((date) => `2026-01-${date}`));
  });

  test("a forecast says in its title how sure it is, in both languages, and is tentative", () => {
    expect(titlesOf(render(view))).toMatchObject({
      "2026-01-06": "⚪ Blanc day",
      "2026-01-07": "🔴 Rouge day, forecast 80 %",
      "2026-01-09": "🔴 Rouge day, forecast",
    });
    expect(titlesOf(render(view, EVERY, "fr"))).toMatchObject({
      "2026-01-06": "⚪ Jour blanc",
      "2026-01-07": "🔴 Jour rouge, prévu à 80 %",
      "2026-01-09": "🔴 Jour rouge, prévu",
    });
    const { events } = read(render(view));
    expect(events.map(({ status }) => status)).toEqual([
      ...["CONFIRMED", "CONFIRMED", "TENTATIVE", "TENTATIVE", "TENTATIVE"],
    ]);
    expect(events[2]?.description).toBe("The colour is not official yet.\ncold and no wind");
  });

  test("a colour that is pretended is not", async () => {
    const opened = openTestLoop({
      clock: { at: NOW },
      days: knownDaysOf({ "2026-01-05": official("bleu"), "2026-01-06": forecast("bleu") }),
    });
    const before = render(viewOf(opened.loop));
    for (const from of ["now", "next"] as const) {
      const request = { color: "rouge", from, for: 3_600_000 } as const;
      await opened.command({ kind: "simulation", request });
      expect(opened.payload(`rouge_${from}`)).toBe("ON");
      expect(render(viewOf(opened.loop))).toBe(before);
    }
  });

  test("while the clock is wrong, the days stay: each carries its date", () => {
    const days = knownDaysOf({ "2026-01-05": official("rouge") });
    const right = openTestLoop({ clock: { at: NOW }, days });
    const wrong = openTestLoop({ clock: { at: NOW - 30 * 86_400_000 }, days, checkClock: "auto" });
    expect(wrong.payload("service/problem_code")).toBe("clock");
    expect(Object.keys(titlesOf(render(viewOf(wrong.loop))))).toEqual(["2026-01-05"]);
    expect(render(viewOf(wrong.loop))).toBe(render(viewOf(right.loop)));
  });
});

describe("invented days", () => {
  const opened = openTestLoop({
    clock: { at: NOW },
    isInvented: true,
    days: knownDaysOf({ "2026-01-05": official("rouge") }),
  });

  test.each([
    ["en", "vigie: colour days (INVENTED by the simulator)", "🔴 Rouge day (INVENTED by the simulator)"],
    [
      "fr",
      "vigie : jours de couleur (INVENTÉ par le simulateur)",
      "🔴 Jour rouge (INVENTÉ par le simulateur)",
    ],
  ] as const)("are said to be invented, in each title and in the name (%s)", (language, name, title) => {
    const text = render(viewOf(opened.loop), EVERY, language);
    expect(read(text).name).toBe(name);
    expect(titlesOf(text)).toEqual({ "2026-01-05": title });
  });

  test("the name says nothing of it where they are not", () => {
    expect(read(render(viewAt(NOW, {}))).name).toBe("vigie: colour days");
  });
});

describe("a change", () => {
  const DAY = "2026-01-06";
  /** The one event, after RTE said these colours at these times. */
  const eventAfter = (first: KnownDays, ...said: [at: string, color: Color][]) => {
    let days = first;
    let at = NOW;
    for (const [time, color] of said) {
      at = Date.parse(`2026-01-05T${time}Z`);
      days = learnOfficial(days, { kind: "light", words: [{ date: DAY, color }] }, at, PARIS);
    }
    const [event] = read(render(viewAt(at, days.days))).events;
    if (!event) throw new Error("Expected an event, got none");
    return event;
  };
  const foreseen = knownDaysOf({ [DAY]: forecast("blanc", { seen_at: Date.parse("2026-01-05T05:00:00Z") }) });

  test("of a colour changes its event: the same id, a later instant, a greater number", () => {
    const versions = [
      eventAfter(foreseen),
      eventAfter(foreseen, ["05:40:00", "blanc"]),
      eventAfter(foreseen, ["05:40:00", "blanc"], ["09:10:00", "rouge"]),
    ];
    expect(versions.map(({ title }) => title)).toEqual([
      "⚪ Blanc day, forecast 80 %",
      "⚪ Blanc day",
      "🔴 Rouge day",
    ]);
    expect(new Set(versions.map(({ uid }) => uid))).toEqual(new Set(["2026-01-06@vigie.vigie"]));
    expect(versions.map(({ modified }) => new Date(modified).toISOString().slice(11, 16))).toEqual([
      ...["05:00", "05:40", "09:10"],
    ]);
    const [first = 0, second = 0, third = 0] = versions.map(({ sequence }) => sequence);
    expect(first < second && second < third).toBe(true);
    expect(versions[2]?.description).toBe("The colour is official.\nIt was blanc before it was corrected.");
  });

  test("that only a confirmation makes changes it too: the sources contradict each other until 11:30", () => {
    const service = official("rouge", { first_said: Date.parse("2026-01-05T05:31:00Z"), confirmed: false });
    const known = knownDaysOf({ [DAY]: service });
    const before = eventAfter(known, ["05:40:00", "blanc"]);
    const after = eventAfter(known, ["05:40:00", "blanc"], ["10:31:00", "blanc"]);
    expect([before.title, after.title]).toEqual(["🔴 Rouge day", "⚪ Blanc day"]);
    expect(after.sequence).toBeGreaterThan(before.sequence);
    expect(after.uid).toBe(before.uid);
    expect(before.description).toBe("The colour is official.\nThe service says rouge, RTE says blanc.");
  });

  test("is none where the same is said again, or time goes by", () => {
    const once = eventAfter(foreseen, ["05:40:00", "rouge"]);
    expect(eventAfter(foreseen, ["05:40:00", "rouge"], ["10:31:00", "rouge"])).toEqual(once);
    const days = { "2026-01-05": official("bleu"), [DAY]: saidByRte("rouge") };
    expect(render(viewAt(NOW + 86_400_000, days))).toBe(render(viewAt(NOW, days)));
  });
});

describe("the text of the calendar", () => {
  test("is a valid calendar where nothing is known", () => {
    const text = render(viewAt(NOW, {}));
    expect(read(text).events).toEqual([]);
    // A calendar without any component would not be one.
    expect(new ICAL.Component(ICAL.parse(text)).getAllSubcomponents()).toHaveLength(1);
  });

  test("never has a line of more than 75 octets, whatever a forecast explains", () => {
    const hostile = `"><img src=x onerror=alert(1)>\r\nEND:VEVENT\r\n\u202e;,\\ \u0000 ${"é🔴".repeat(50_000)}`;
    const text = render(viewAt(NOW, { "2026-01-07": forecast("rouge", { explanation: hostile }) }));
    expect(text.length).toBeLessThan(3_000);
    expect(Math.max(...text.split("\r\n").map((line) => OCTETS.encode(line).length))).toBe(75);
    const { events } = read(text);
    expect(events).toHaveLength(1);
    expect(events[0]?.description).toContain('"><img src=x onerror=alert(1)>  END:VEVENT');
  });

  test("escapes what has a meaning in it", () => {
    expect(escapeText("a\\n;b,c\r\nd\te")).toBe("a\\\\n\\;b\\,c\\nd\te");
  });

  test("comes back from another reader as it went in, but for control characters", () => {
    const property = fc.property(fc.string({ unit: "binary", maxLength: 300 }), (value) => {
      const line = fold(`SUMMARY:${escapeText(value)}`);
      for (const part of line.split("\r\n")) expect(OCTETS.encode(part).length).toBeLessThanOrEqual(75);
      const whole = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n${line}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
      // As it arrives: a character that is divided between two lines would be lost.
      const arrived = Buffer.from(whole).toString("utf8");
      const event = new ICAL.Component(ICAL.parse(arrived)).getFirstSubcomponent("vevent");
      const expected = value
        .replaceAll(/\r\n|\r|\n/g, "\n")
        .replaceAll(/(?![\t\n])\p{Cc}|\p{Surrogate}/gu, "\u{FFFD}");
      expect(event?.getFirstPropertyValue("summary")).toBe(expected);
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  test("divides no character", () => {
    const property = fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (value) => {
      for (const part of fold(value).split("\r\n ")) {
        const octets = OCTETS.encode(part);
        expect(new TextDecoder("utf-8", { fatal: true }).decode(octets)).toBe(part);
      }
    });
    fc.assert(property);
  });
});

describe("a wrong query", () => {
  test.each([
    ["colors=red", "?colors=red"],
    ["colors=rouge,", "?colors=rouge,"],
    ["forecast=101", "?forecast=101"],
    ["forecast=0.8", "?forecast=0.8"],
    ["forecast=", "?forecast="],
    ["color=rouge", "?color=rouge"],
    ["constructor=1", "?constructor=1"],
    ["colors=%0d%0aSet-Cookie:1", "?colors=\\r\\nSet-Cookie:1"],
  ])("?%s is named, with what is expected", (query, got) => {
    const expected =
      'expected colors=, with one or more of bleu,blanc,rouge, and forecast=, with a percentage from 0 to 100 or all, such as "?colors=rouge,blanc&forecast=80"';
    const problem = `The address of the calendar is wrong: ${expected}; got "${got}"`;
    expect(readCalendarQuery(new URLSearchParams(query))).toEqual({ problem });
  });

  test("makes no long answer", () => {
    const problem = readCalendarQuery(new URLSearchParams({ colors: "x".repeat(100_000) }));
    expect(JSON.stringify(problem).length).toBeLessThan(300);
  });
});
