import { describe, expect, it } from "vitest";
import { NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { NO_SOURCE_CLOCKS, noteTime, tellTime } from "../../../src/core/facts/source-clocks.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const EVENING = Date.parse("2026-01-12T20:00:00Z");

/** Answers of RTE, in hours: when each came, and how far its `Date` is behind the true time. `set`: this clock is set then. */
function tell(answers: readonly { at: number; behind: number }[], set?: { at: number; by: number }) {
  let clocks = NO_SOURCE_CLOCKS;
  const here = (at: number) => ({
    now: EVENING + at * HOUR + (set && at >= set.at ? set.by * HOUR : 0),
    steady: at * HOUR,
  });
  for (const { at, behind } of answers)
    clocks = noteTime(clocks, "official", { date: EVENING + (at - behind) * HOUR, sent: null }, here(at));
  return tellTime(clocks, NO_KNOWN_DAYS, "auto", here(answers.at(-1)?.at ?? 0)).right;
}

describe("a source that has agreed with this machine's clock, which was not set since", () => {
  it("does not make it wrong by one answer with another time, however old the others are", () => {
    // 05:50 and 06:20, after a night without a request.
    for (const behind of [1.5, 3, 26, -3])
      expect(
        tell([
          { at: 0, behind: 0 },
          { at: 9, behind },
        ]),
      ).toBe(true);
  });

  it("does not make it wrong by one answer that a cache replays again and again", () => {
    const replayed = [9, 9.5, 10, 10.5].map((at) => ({ at, behind: at - 6 }));
    expect(tell([{ at: 0, behind: 0 }, ...replayed])).toBe(true);
  });

  it("makes it wrong by a second answer that goes on from the first", () => {
    expect(
      tell([
        { at: 0, behind: 0 },
        { at: 9, behind: 3 },
        { at: 9.5, behind: 3 },
      ]),
    ).toBe(false);
  });
});

describe("one answer with another time makes this machine's clock wrong", () => {
  it("at once at the start", () => {
    expect(tell([{ at: 0, behind: 3 }])).toBe(false);
  });

  it("at once if the clock was set since the answer before", () => {
    const answers = [
      { at: 0, behind: 0 },
      { at: 9, behind: 0 },
    ];
    expect(tell(answers)).toBe(true);
    expect(tell(answers, { at: 8, by: 3 })).toBe(false);
    expect(tell(answers, { at: 8, by: (5 * MINUTE) / HOUR })).toBe(true);
  });
});

describe("a clock that is 5 to 65 minutes behind its sources", () => {
  /** What each source sent as `Date`, in minutes after this machine's clock, one answer a second. */
  const check = (
    answers: readonly (readonly ["service" | "official", number])[],
    { later = 0, setBy = 0, hosts = "two hosts" as "two hosts" | "auto" | "off" } = {},
  ) => {
    const noted = answers.reduce((clocks, [source, ahead], index) => {
      const now = EVENING + index * 1_000;
      const sent = now + ahead * MINUTE;
      return noteTime(clocks, source, { date: sent, sent }, { now, steady: index * 1_000 });
    }, NO_SOURCE_CLOCKS);
    const passed = answers.length * 1_000 + later * MINUTE;
    const here = { now: EVENING + passed + setBy * MINUTE, steady: passed };
    const { at, right, doubted_by } = tellTime(noted, NO_KNOWN_DAYS, hosts, here);
    const word = right ? (doubted_by === undefined ? "right" : "doubted") : "wrong";
    return { word, off: Math.round((at - here.now) / MINUTE) };
  };
  const both = (one: number, other = one) =>
    [
      ["service", one],
      ["official", other],
      ["service", one],
      ["official", other],
    ] as const;

  it.each([5, 30, 60, 65])("by %i minutes is wrong, and the sources say what time it is", (behind) => {
    expect(check(both(behind))).toEqual({ word: "wrong", off: behind });
  });

  it.each([4.9, 0, -30])("by %d minutes is right", (behind) => {
    expect(check(both(behind)).word).toBe("right");
  });

  it("is right again as soon as it is set", () => {
    expect(check(both(60), { setBy: 60 }).word).toBe("right");
  });

  it.each([
    [
      "only one source says so",
      [
        ["service", 60],
        ["service", 60],
      ],
      "doubted",
    ],
    ["both are on one host", both(60), "doubted"],
    ["they do not agree within a minute", both(60, 58), "doubted"],
    ["one of them has said it once", both(60).slice(0, 3), "doubted"],
    ["one of them agrees with this machine", both(60, 0), "right"],
    ["each has said it once", both(60).slice(0, 2), "right"],
    [
      "two answers of a source do not agree",
      [
        ["service", 60],
        ["service", 50],
      ],
      "right",
    ],
  ] as const)("is not wrong if %s", (why, answers, word) => {
    const hosts = why === "both are on one host" ? "auto" : "two hosts";
    expect(check(answers, { hosts }).word).toBe(word);
  });

  it("is not known by answers of more than two hours ago", () => {
    expect(check(both(60), { later: 119 }).word).toBe("wrong");
    expect(check(both(60), { later: 120 }).word).toBe("right");
  });

  it("is not looked for if check_clock is off", () => {
    expect(check(both(60), { hosts: "off" }).word).toBe("right");
  });
});
