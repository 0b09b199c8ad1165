import { describe, expect, it } from "vitest";
import { wallInstant } from "../../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../../src/core/calendar/tariff.ts";
import type { Answer, OfficialAnswer } from "../../../src/core/contract/answer.ts";
import { describeRefused } from "../../../src/core/days/refused-words.ts";
import { dateAnswer, dayInAnswer, forecastsAnswer } from "../../support/answers.ts";
import { knownDaysOf, official, officialDays, saidByRte } from "../../support/known-days.ts";
import { PARIS } from "../../support/tariff.ts";

const DATE = "2026-01-06";
const at = (time: string, date = "2026-01-05") => wallInstant(date, time, PARIS.time_zone);
const times = { first_said: at("10:50"), confirmed: false };
const known = knownDaysOf({ [DATE]: { ...official("blanc", times), ...saidByRte("rouge", times) } });
const rte = (words: Record<IsoDate, Color>, kind: OfficialAnswer["kind"] = "light"): OfficialAnswer => ({
  kind,
  words: Object.entries(words).map(([date, color]) => ({ date, color })),
});
const linesOf = (answer: Answer | OfficialAnswer, now = at("11:05"), days = known) =>
  describeRefused(answer, at("10:31"), days, now, PARIS);

describe("the lines about words that are not used", () => {
  it("name the answer, the colour that it names, and the one that counts", () => {
    expect(linesOf(rte({ "2026-01-05": "bleu", [DATE]: "bleu" }))).toEqual([
      "An answer of RTE of 10:31 is older than what RTE has said, and not used: 2026-01-06 bleu (rouge counts, said at 10:50)",
    ]);
    expect(linesOf(dateAnswer(DATE, "bleu", true))).toEqual([
      "An answer of the service of 10:31 is older than what the service has said, and not used: 2026-01-06 bleu (blanc counts, said at 10:50)",
    ]);
  });

  it("are the same whenever the same answer comes again", () => {
    const old = rte({ [DATE]: "bleu" });
    expect(linesOf(old, at("18:00"))).toEqual(linesOf(old));
  });

  it("say that a season does not change the day in force", () => {
    expect(linesOf(rte({ [DATE]: "bleu" }, "season"), at("03:00", "2026-01-07"))).toEqual([
      "An answer of RTE of 2026-01-05 10:31 is a season, and does not change the day in force: 2026-01-06 bleu (rouge counts, said at 2026-01-05 10:50)",
    ]);
  });

  it("are one for a whole history", () => {
    const days = knownDaysOf(officialDays("2025-12-01", "2025-12-20"));
    const entries = Object.keys(days.days).map((date) => ({
      ...dayInAnswer(date, "blanc"),
      predicted_color: null,
      prediction_confidence: null,
    }));
    const lines = linesOf(
      { kind: "history", start: "2025-12-01", end: "2025-12-20", entries },
      at("11:05"),
      days,
    );
    expect(lines).toEqual([expect.stringMatching(/2025-12-05 blanc \([^)]*\), 15 more$/)]);
  });

  it.each([
    ["what its source says", rte({ [DATE]: "rouge" })],
    ["a date that its source has not named", rte({ "2026-01-05": "rouge" })],
    ["a forecast", forecastsAnswer(null, dayInAnswer(DATE, "bleu"))],
    ["what is not official", dateAnswer(DATE, "bleu", false)],
  ])("are none for %s", (_, answer) => {
    expect(linesOf(answer)).toEqual([]);
  });
});
