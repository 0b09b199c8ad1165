import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wallInstant } from "../../../src/core/calendar/dates.ts";
import { COLORS, type Color, type Instant, type IsoDate } from "../../../src/core/calendar/tariff.ts";
import type { OfficialAnswer } from "../../../src/core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { learn, learnOfficial } from "../../../src/core/days/learn.ts";
import { officialColor } from "../../../src/core/days/official-color.ts";
import { dateAnswer, dayInAnswer, forecastsAnswer } from "../../support/answers.ts";
import { PARIS } from "../../support/tariff.ts";

const TODAY = "2026-01-05";
const DATE = "2026-01-06";
const at = (time: string, date = TODAY): Instant => wallInstant(date, time, PARIS.time_zone);
const answer = (words: Record<IsoDate, Color>): OfficialAnswer => ({
  kind: "light",
  words: Object.entries(words).map(([date, color]) => ({ date, color })),
});

/** RTE says this of 6 January, in an answer that was made at one time and came at another. */
const rte = (known: KnownDays, color: Color, made: string, came = made) =>
  learnOfficial(known, answer({ [DATE]: color }), at(came), PARIS, at(made));
const service = (known: KnownDays, color: Color, made: string) =>
  learn(known, dateAnswer(DATE, color, true), at(made), PARIS);
const wordOf = (known: KnownDays) => known.days[DATE]?.rte_word;
const shown = (known: KnownDays) => officialColor(known.days[DATE], false);

describe("a word of RTE", () => {
  it("is kept with when it was first said, and the same answer again changes nothing", () => {
    const known = rte(NO_KNOWN_DAYS, "rouge", "10:35");
    expect(known.days[DATE]).toEqual({
      rte_word: { color: "rouge", first_said: at("10:35"), confirmed: false },
    });
    expect(rte(known, "rouge", "10:50")).toBe(known);
  });

  it.each([
    ["11:29", "12:00", false],
    ["11:30", "11:31", true],
  ])("is confirmed by an answer made at or after 11:30 of the eve: made at %s", (made, came, confirmed) => {
    expect(wordOf(rte(NO_KNOWN_DAYS, "rouge", made, came))?.confirmed).toBe(confirmed);
  });

  it("is confirmed neither by the clock nor by the beginning of its day", () => {
    const known = rte(NO_KNOWN_DAYS, "rouge", "10:35");
    const later = learnOfficial(known, answer({}), at("12:00", DATE), PARIS);
    expect(later).toBe(known);
  });

  it("is not withdrawn by an answer without it", () => {
    const known = rte(NO_KNOWN_DAYS, "rouge", "10:35");
    const later = learnOfficial(known, answer({ [TODAY]: "bleu" }), at("10:50"), PARIS);
    expect(later.days[DATE]).toBe(known.days[DATE]);
  });

  it("is replaced by another colour of a later answer, which is not confirmed by what was said before", () => {
    const known = rte(rte(NO_KNOWN_DAYS, "bleu", "10:35"), "rouge", "11:15");
    expect(wordOf(known)).toEqual({ color: "rouge", first_said: at("11:15"), confirmed: false });
    expect(known.days[DATE]?.revised_from).toBe("bleu");
  });

  it("is not replaced by an older answer that a cache replays", () => {
    const corrected = rte(rte(NO_KNOWN_DAYS, "bleu", "10:35"), "rouge", "11:15");
    expect(rte(corrected, "bleu", "10:35", "11:40")).toBe(corrected);
    const confirmed = rte(rte(NO_KNOWN_DAYS, "rouge", "10:35"), "rouge", "11:40");
    expect(rte(confirmed, "bleu", "11:00", "12:00")).toBe(confirmed);
  });

  it("is replaced by the colour of before, where a later answer names it again", () => {
    const corrected = rte(rte(NO_KNOWN_DAYS, "bleu", "10:35"), "rouge", "10:50");
    expect(wordOf(rte(corrected, "bleu", "11:10"))).toMatchObject({ color: "bleu", first_said: at("11:10") });
  });

  it("is replaced also after the clock of this machine was set back", () => {
    const known = rte(NO_KNOWN_DAYS, "bleu", "11:40");
    expect(wordOf(rte(known, "rouge", "10:40"))?.color).toBe("rouge");
  });

  it("counts as said when it came, where the source claims to be in the future", () => {
    const known = learnOfficial(
      NO_KNOWN_DAYS,
      answer({ [DATE]: "bleu" }),
      at("10:35"),
      PARIS,
      at("10:00", "2099-01-01"),
    );
    expect(wordOf(known)?.first_said).toBe(at("10:35"));
    expect(wordOf(rte(known, "rouge", "11:40"))?.color).toBe("rouge");
  });
});

describe("the season that RTE sends at night, of the day in force", () => {
  const NIGHT = at("03:00", "2026-01-07");
  const season = (known: KnownDays, color: Color) =>
    learnOfficial(known, { ...answer({ [DATE]: color }), kind: "season" }, NIGHT, PARIS);

  it.each([
    ["fills it in where RTE has not named it", undefined, "bleu", "bleu"],
    ["changes no confirmed word", { said: "rouge", made: "11:40" }, "bleu", "rouge"],
    ["makes no confirmed word dearer", { said: "bleu", made: "11:40" }, "rouge", "bleu"],
    ["makes no other word cheaper", { said: "rouge", made: "10:35" }, "bleu", "rouge"],
    [
      "makes a word dearer that was said before 11:30 of the eve, and not since",
      { said: "bleu", made: "10:35" },
      "rouge",
      "rouge",
    ],
  ] as const)("%s", (_, word, said, wanted) => {
    const known = word ? rte(NO_KNOWN_DAYS, word.said, word.made) : NO_KNOWN_DAYS;
    expect(wordOf(season(known, said))?.color).toBe(wanted);
  });

  it("changes a day that is over", () => {
    const known = rte(NO_KNOWN_DAYS, "rouge", "11:40");
    const said: OfficialAnswer = { ...answer({ [DATE]: "bleu" }), kind: "season" };
    expect(wordOf(learnOfficial(known, said, at("06:00", "2026-01-07"), PARIS))?.color).toBe("bleu");
  });
});

describe("two sources of one date", () => {
  it("a rouge day is not missed: RTE says bleu and goes down, corrects unseen, and the service says rouge at 11:40", () => {
    const known = service(rte(NO_KNOWN_DAYS, "bleu", "10:35"), "rouge", "11:40");
    expect(shown(known)).toEqual({ color: "rouge", confirmed: true, contradicted: true });
    expect(known.days[DATE]?.revised_from).toBe("bleu");
  });

  it("what-if: The two sources contradict each other · a rouge day is not missed: RTE says rouge and goes down, and the service says bleu at 11:40", () => {
    const known = service(rte(NO_KNOWN_DAYS, "rouge", "10:35"), "bleu", "11:40");
    expect(shown(known)).toEqual({ color: "rouge", confirmed: false, contradicted: true });
    expect(known.days[DATE]?.revised_from).toBeUndefined();
  });

  describe("RTE said rouge at 10:35, and the service says bleu at 11:40", () => {
    const known = service(rte(NO_KNOWN_DAYS, "rouge", "10:35"), "bleu", "11:40");
    const afterRte = (words: Record<IsoDate, Color>, made: string, came = made) =>
      learnOfficial(known, answer(words), at(came), PARIS, at(made));

    it("an answer of RTE that was made at 11:30 or later, and names only its own day, takes rouge back", () => {
      const dropped = afterRte({ [TODAY]: "bleu" }, "11:45");
      expect(shown(dropped)).toEqual({ color: "bleu", confirmed: true, contradicted: true });
      expect(dropped.days[DATE]?.revised_from).toBe("rouge");
      const again = rte(dropped, "rouge", "11:50");
      expect(shown(again)).toEqual({ color: "rouge", confirmed: true, contradicted: true });
      expect(wordOf(again)).not.toHaveProperty("no_longer_named");
    });

    it.each([
      ["was made before 11:30", { [TODAY]: "bleu" }, "11:29", "11:45"],
      ["names no day at all", {}, "11:45", "11:45"],
    ] as const)("an answer of RTE that %s takes nothing back", (_, words, made, came) => {
      expect(afterRte(words, made, came).days[DATE]).toBe(known.days[DATE]);
    });

    it("an answer of RTE in which the word of the date cannot be read takes nothing back", () => {
      const unreadable: OfficialAnswer = {
        kind: "light",
        words: [
          { date: TODAY, color: "bleu" },
          { date: DATE, color: null, why: "no colour" },
        ],
      };
      expect(learnOfficial(known, unreadable, at("11:45"), PARIS).days[DATE]).toBe(known.days[DATE]);
    });
  });

  it("a word that RTE has confirmed stays, though RTE no longer names the date", () => {
    const known = rte(NO_KNOWN_DAYS, "rouge", "11:35");
    expect(learnOfficial(known, answer({ [TODAY]: "bleu" }), at("11:50"), PARIS).days[DATE]).toBe(
      known.days[DATE],
    );
  });

  it("a withdrawn announcement of 10:50 and another of 11:10: the latest word of each source counts", () => {
    const first = service(rte(NO_KNOWN_DAYS, "rouge", "10:35"), "rouge", "10:40");
    const withdrawn = rte(first, "bleu", "10:50");
    expect(shown(withdrawn)).toMatchObject({ color: "rouge", contradicted: true });
    const both = service(withdrawn, "bleu", "11:10");
    expect(shown(both)).toEqual({ color: "bleu", confirmed: false, contradicted: false });
  });

  it("revise what is shown, not what one of them says", () => {
    const corrected = rte(service(NO_KNOWN_DAYS, "blanc", "10:35"), "rouge", "10:40");
    expect(corrected.days[DATE]?.revised_from).toBe("blanc");
    const unseen = service(corrected, "bleu", "10:45");
    expect(unseen.days[DATE]?.revised_from).toBe("blanc");
    expect(rte(unseen, "blanc", "10:50").days[DATE]?.revised_from).toBe("rouge");
  });

  it("forecasts and answers that are not official contradict nobody", () => {
    const known = rte(NO_KNOWN_DAYS, "rouge", "10:35");
    for (const said of [
      forecastsAnswer(at("10:40"), dayInAnswer(DATE, "bleu", { source: "official" })),
      dateAnswer(DATE, "bleu", false),
      dateAnswer(DATE, "bleu", null),
    ]) {
      expect(shown(learn(known, said, at("11:40"), PARIS))).toEqual({
        color: "rouge",
        confirmed: false,
        contradicted: false,
      });
    }
  });

  const step = fc.record({
    source: fc.constantFrom("rte", "service"),
    color: fc.constantFrom(...COLORS),
    minute: fc.integer({ min: 0, max: 23 * 60 }),
  });

  it("readme: Two sources that check each other · show a colour that one of them named last, and rouge unless RTE named another last, at or after 11:30", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (unsorted) => {
        const steps = unsorted.toSorted((one, other) => one.minute - other.minute);
        const known = steps.reduce((before, { source, color, minute }) => {
          const time = `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
          return source === "rte" ? rte(before, color, time) : service(before, color, time);
        }, NO_KNOWN_DAYS);
        const last = (source: string) => steps.findLast((one) => one.source === source);
        const confirmedLast = (source: string) => (last(source)?.minute ?? 0) >= 11 * 60 + 30;
        const named = ["rte", "service"].flatMap((source) => last(source)?.color ?? []);
        const color = shown(known)?.color;
        if (named.length === 0) expect(color).toBeUndefined();
        else expect(named).toContain(color);
        if (!named.includes("rouge") || color === "rouge") return;
        expect(last("rte")?.color).not.toBe("rouge");
        expect(confirmedLast("rte")).toBe(true);
      }),
    );
  });
});
