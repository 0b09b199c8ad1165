import { describe, expect, test, vi } from "vitest";
import { civilDate } from "../../src/core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { Answer, OfficialAnswer } from "../../src/core/contract/answer.ts";
import { RTE_ADDRESS } from "../../src/core/contract/endpoints.ts";
import { NOTHING_SENT } from "../../src/core/outputs/outputs-kept.ts";
import type { DueRequest } from "../../src/core/sources/source.ts";
import { emptyState } from "../../src/state/state.ts";
import { dateAnswer, dayInAnswer, forecastsAnswer, historyAnswer } from "../support/answers.ts";
import { knownDaysOf, official, officialDays, saidByRte } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { BOILER, outputsOf } from "../support/outputs.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, RULES, settled, type TestLoopOptions } from "../support/test-loop.ts";
import { lastAnswersOf } from "../support/views.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The eve of 6 January, a Tuesday: 10:40 in Paris. */
const EVE = Date.parse("2026-01-05T09:40:00Z");
const DATE = "2026-01-06";
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-05"));
const LIGHT = [{ request: { kind: "light" } as const, essential: false }];

/** A loop whose two sources say what the test sets; undefined: the source does not answer. */
function openLoopOfTwo(days = BLEU) {
  const clock = { at: EVE };
  /** What RTE says of each date; null: a word that cannot be used. */
  const words: Record<IsoDate, Color | null> = { "2026-01-05": "bleu" };
  const said: { service?: Color | undefined; rte?: Color | undefined } = {};
  const ask: TestLoopOptions["ask"] = async (request) => {
    if (!said.service) throw new Error("the service is away");
    const answer =
      request.kind === "date"
        ? dateAnswer(request.date, said.service, true)
        : forecastsAnswer(null, dayInAnswer("2026-01-07", "bleu"));
    return { answer, date: null, made_at: clock.at, sent: null };
  };
  const askOfficial: TestLoopOptions["askOfficial"] = async () => {
    if (!said.rte) throw new Error("RTE is away");
    const answer: OfficialAnswer = {
      kind: "light",
      words: Object.entries({ [DATE]: said.rte, ...words }).map(([date, color]) =>
        color === null ? { date, color, why: `no colour for ${date}` } : { date, color },
      ),
    };
    return { answer, date: null, made_at: null, sent: null };
  };
  const store = createMemoryStore(emptyState("test"));
  const outputs = outputsOf([{ ...BOILER, choose: [{ when: "ahead", payload: "off" }] }]);
  const test = openTestLoop({ rules: RULES, clock, days, ask, askOfficial, outputs, store });
  const poll = () => test.loop.poll({ essential: true, recheck: true });
  const pollOfficial = () => test.loop.pollOfficial(LIGHT);
  /** Those of the days. */
  const dayEvents = () => test.events.filter((event) => "date" in event && !("rule" in event));
  const contradictions = () => test.lines.filter((line) => /contradict each other|agree again/.test(line));
  return {
    ...test,
    ask,
    askOfficial,
    words,
    writes: store.writes,
    clock,
    said,
    poll,
    pollOfficial,
    dayEvents,
    contradictions,
  };
}

const shownOf = ({ payload }: Pick<ReturnType<typeof openLoopOfTwo>, "payload">) =>
  ["color", "stage", "official"].map((part) => payload(`tomorrow/${part}`));

describe("a loop with two sources", () => {
  test("has what RTE says while the service is away, and is not late", async () => {
    const two = openLoopOfTwo();
    two.said.rte = "rouge";
    await Promise.all([two.poll(), two.pollOfficial()]);
    expect(shownOf(two)).toEqual(["rouge", "announced", "ON"]);
    expect(two.payload("rules/ahead/state")).toBe("ON");
    two.clock.at += 3 * HOUR;
    two.loop.refresh();
    expect(two.payload("announcement/late")).toBe("OFF");
    expect([two.payload("service/status"), two.payload("official/status")]).toEqual(["down", "ok"]);
    expect(two.payload("service/problem_code")).toBe("service");
  });

  test("RTE says bleu and goes down, corrects unseen, and the service says rouge at 11:40: rouge", async () => {
    const two = openLoopOfTwo();
    two.said.rte = "bleu";
    await two.pollOfficial();
    expect(shownOf(two)).toEqual(["bleu", "announced", "ON"]);
    Object.assign(two.said, { rte: undefined, service: "rouge" });
    two.clock.at += HOUR;
    await Promise.all([two.poll(), two.pollOfficial()]);
    expect(shownOf(two)).toEqual(["rouge", "final", "ON"]);
    expect(two.payload("rules/ahead/state")).toBe("ON");
    expect(two.dayEvents()).toEqual([
      { event_type: "announced", date: DATE, color: "bleu" },
      { event_type: "revised", date: DATE, color: "rouge", from: "bleu" },
      { event_type: "final", date: DATE, color: "rouge" },
    ]);
  });

  test("the first answers ever correct nothing, whichever source comes first: no colour was shown before them", async () => {
    for (const first of ["service", "rte"] as const) {
      const two = openLoopOfTwo(knownDaysOf({}));
      two.clock.at += 2 * HOUR;
      Object.assign(two.said, { rte: "blanc", service: "rouge" });
      for (const source of first === "service" ? [two.poll, two.pollOfficial] : [two.pollOfficial, two.poll])
        await source();
      expect(shownOf(two)).toEqual(["blanc", "final", "ON"]);
      const tomorrow = two.dayEvents().filter((event) => "date" in event && event.date === DATE);
      expect(tomorrow).toEqual([
        { event_type: "announced", date: DATE, color: "blanc" },
        { event_type: "final", date: DATE, color: "blanc" },
      ]);
      const { real, factsInput } = two.loop.view();
      expect(real.facts.moment?.days.tomorrow.revised_from).toBeNull();
      expect(factsInput.knownDays.days[DATE]).not.toHaveProperty("revised_from");
      expect(two.payload("service/problem_code")).toBe("contradiction");
      // What is shown now can be corrected.
      Object.assign(two.said, { rte: "rouge" });
      await two.pollOfficial();
      expect(two.dayEvents()).toContainEqual({
        event_type: "revised",
        date: DATE,
        color: "rouge",
        from: "blanc",
      });
    }
  });

  test("the last answers of before a start are said to be those at least, until each source answers", async () => {
    const two = openLoopOfTwo();
    Object.assign(two.said, { rte: "blanc", service: "blanc" });
    await two.pollOfficial();
    await two.poll();
    for (let times = 0; times < 2; times += 1) {
      two.clock.at += HOUR;
      await two.pollOfficial();
      await two.poll();
    }
    const before = { service: EVE + 2 * HOUR, official: EVE + 2 * HOUR };
    expect(lastAnswersOf(two.loop.view())).toEqual({ ...before, saved: [] });
    const again = openTestLoop({
      clock: two.clock,
      store: two.store,
      askOfficial: two.askOfficial,
      ask: two.ask,
    });
    // The second answers confirmed a colour. The third ones changed nothing, and are not worth a write so soon.
    const saved = { service: EVE + HOUR, official: EVE + HOUR, saved: ["service", "official"] };
    expect(lastAnswersOf(again.loop.view())).toEqual(saved);
    // A reload is no answer.
    const reloadedAtOnce = openTestLoop({
      clock: two.clock,
      store: two.store,
      askOfficial: two.askOfficial,
      ask: two.ask,
      before: again.loop.known(),
    });
    expect(lastAnswersOf(reloadedAtOnce.loop.view())).toEqual(saved);
    two.clock.at += HOUR;
    await again.loop.poll({ essential: true, recheck: true });
    expect(lastAnswersOf(again.loop.view())).toMatchObject({ service: EVE + 3 * HOUR, saved: ["official"] });
    await again.loop.pollOfficial(LIGHT);
    expect(lastAnswersOf(again.loop.view())).toEqual({
      service: EVE + 3 * HOUR,
      official: EVE + 3 * HOUR,
      saved: [],
    });
  });

  test("an answer that says nothing new is seen: the view has when it came", async () => {
    const two = openLoopOfTwo();
    Object.assign(two.said, { rte: "blanc", service: "blanc" });
    for (let minute = 0; minute < 3; minute += 1) {
      two.clock.at += MINUTE;
      await two.poll();
      await two.pollOfficial();
    }
    const expected = { service: two.clock.at, official: two.clock.at, saved: [] };
    expect(lastAnswersOf(two.loop.view())).toEqual(expected);
  });

  test("what-if: The two sources contradict each other · shows a contradiction everywhere, with one line when it begins and one when it ends", async () => {
    const two = openLoopOfTwo();
    Object.assign(two.said, { rte: "blanc", service: "rouge" });
    for (let minutes = 0; minutes < 30; minutes += 10) {
      two.clock.at = EVE + minutes * MINUTE;
      await two.poll();
      await two.pollOfficial();
    }
    expect(shownOf(two)).toEqual(["rouge", "announced", "ON"]);
    expect(JSON.parse(two.payload("tomorrow") ?? "").official_by).toEqual({ service: "rouge", rte: "blanc" });
    expect(two.payload("service/problem_code")).toBe("contradiction");
    two.said.rte = "rouge";
    await two.pollOfficial();
    expect(JSON.parse(two.payload("tomorrow") ?? "")).not.toHaveProperty("official_by");
    expect(two.payload("service/problem_code")).toBe("none");
    expect(two.contradictions()).toEqual([
      "RTE and the service contradict each other about Tuesday 6 January: RTE says blanc (since 10:40), the service says rouge (since 10:40). vigie shows rouge",
      "RTE and the service agree again about Tuesday 6 January: RTE says rouge (since 11:00), the service says rouge (since 10:40)",
    ]);
    expect(two.dayEvents()).toEqual([{ event_type: "announced", date: DATE, color: "rouge" }]);
  });

  test("turns rules at once where RTE confirms another colour than the one that is shown", async () => {
    const two = openLoopOfTwo();
    Object.assign(two.said, { rte: "rouge", service: "blanc" });
    await Promise.all([two.poll(), two.pollOfficial()]);
    expect(two.payload("rules/ahead/state")).toBe("ON");
    two.said.rte = "blanc";
    two.clock.at += HOUR;
    await two.pollOfficial();
    expect(shownOf(two)).toEqual(["blanc", "final", "ON"]);
    expect(two.payload("rules/ahead/state")).toBe("OFF");
  });

  test("a whole season that RTE tells otherwise is one line, and leaves today and tomorrow as they are", async () => {
    const clock = { at: EVE };
    const days = officialDays("2025-09-01", "2026-01-06");
    const season = Object.keys(days).filter((date) => date < "2026-01-05");
    const wrong = openTestLoop({
      clock,
      days: knownDaysOf(days),
      askOfficial: async () => ({
        answer: {
          kind: "season",
          words: season.map((date) => ({ date, color: "blanc" as const })),
        },
        date: null,
        made_at: null,
        sent: null,
      }),
    });
    expect(wrong.payload("season/used/bleu")).toBe("127");
    await wrong.loop.pollOfficial(LIGHT);
    const [line, ...more] = wrong.lines.filter((sentence) => sentence.includes("contradict"));
    expect(more).toEqual([]);
    expect(line).toMatch(/^RTE and the service contradict each other about 126 past days: .*, 121 more$/);
    expect(wrong.payload("season/used/blanc")).toBe("126");
    expect([wrong.payload("today/color"), wrong.payload("tomorrow/color")]).toEqual(["bleu", "bleu"]);
    expect(wrong.payload("service/problem_code")).not.toBe("contradiction");
    expect(wrong.events).toEqual([
      { event_type: "revised", date: "2026-01-04", color: "blanc", from: "bleu" },
    ]);
  });

  test("a whole history that the service tells otherwise is one line, and changes no day that RTE has confirmed", async () => {
    const dates = Object.keys(officialDays("2025-09-01", "2026-01-06"));
    const past = dates.filter((date) => date < "2026-01-05");
    const entries = past.flatMap((date) => {
      const answer = historyAnswer(date, "blanc");
      return answer.kind === "history" ? answer.entries : [];
    });
    const wrong = openTestLoop({
      clock: { at: EVE },
      days: knownDaysOf(Object.fromEntries(dates.map((date) => [date, saidByRte("bleu")]))),
      ask: async (request) => {
        if (request.kind !== "history") throw new Error("the service is away");
        const answer: Answer = { kind: "history", start: "2025-09-01", end: "2026-01-05", entries };
        return { answer, date: null, made_at: null, sent: null };
      },
    });
    await wrong.loop.poll({ essential: true, recheck: true });
    const [line, ...more] = wrong.lines.filter((sentence) => sentence.includes("contradict"));
    expect(more).toEqual([]);
    expect(line).toMatch(
      /^RTE and the service contradict each other about 126 past days: 2025-09-01 \(RTE bleu, the service blanc\), .*, 121 more$/,
    );
    expect(wrong.payload("season/used/bleu")).toBe("127");
    expect([wrong.payload("today/color"), wrong.payload("tomorrow/color")]).toEqual(["bleu", "bleu"]);
    expect(wrong.payload("service/problem_code")).not.toBe("contradiction");
    expect(wrong.events).toEqual([]);
  });

  test("counts an answer of RTE as a failure where it has to, and uses its words", async () => {
    const two = openLoopOfTwo();
    two.said.rte = "rouge";
    two.words["2026-01-05"] = null;
    const { failures } = await two.pollOfficial();
    const failure =
      "The answer to GET /tempoLight cannot be read: Expected a colour for today, 2026-01-05, got dates from 2026-01-05 to 2026-01-06";
    expect(failures).toEqual([failure]);
    expect(shownOf(two)).toEqual(["rouge", "announced", "ON"]);
    expect(two.payload("official/status")).toBe("degraded");
    expect(two.payload("official/last_error")).toContain("Expected a colour for today");
    two.clock.at += 3 * HOUR;
    two.loop.refresh();
    expect(two.payload("official/status")).toBe("down");
  });

  test("warns once of a word of RTE that cannot be used, and not of one for a date that is not asked for", async () => {
    const two = openLoopOfTwo();
    two.said.rte = "bleu";
    Object.assign(two.words, { [DATE]: null, "2026-01-07": null });
    for (let count = 0; count < 2; count += 1) await two.pollOfficial();
    expect(two.lines.filter((line) => line.startsWith("no colour"))).toEqual([`no colour for ${DATE}`]);
    two.clock.at += 24 * HOUR;
    two.words[DATE] = "bleu";
    await two.pollOfficial();
    expect(two.lines.filter((line) => line.startsWith("no colour"))).toEqual([
      `no colour for ${DATE}`,
      "no colour for 2026-01-07",
    ]);
  });

  test("is not down where only the season fails, and is where only the season is answered", async () => {
    const clock = { at: EVE };
    const failing = { light: false, season: true };
    const test = openTestLoop({
      clock,
      days: BLEU,
      askOfficial: async ({ kind }) => {
        if (failing[kind]) throw new Error(`no ${kind}`);
        const words = [{ date: "2026-01-05", color: "bleu" as const }];
        return { answer: { kind, words }, date: null, made_at: null, sent: null };
      },
    });
    const season = { request: { kind: "season", label: "2025-2026" } as const, essential: false };
    const statusAfter = async (hours: number, due: readonly DueRequest[]) => {
      clock.at = EVE + hours * HOUR;
      await test.loop.pollOfficial(due);
      return [test.payload("official/status"), test.payload("official/last_error")];
    };
    expect(await statusAfter(0, [...LIGHT, season])).toEqual([
      "degraded",
      expect.stringContaining("no season"),
    ]);
    expect(await statusAfter(4, [season])).toEqual(["degraded", expect.stringContaining("no season")]);
    expect(await statusAfter(5, LIGHT)).toEqual(["degraded", expect.stringContaining("no season")]);
    Object.assign(failing, { light: true, season: false });
    expect(await statusAfter(6, [...LIGHT, season])).toEqual([
      "degraded",
      expect.stringContaining("no light"),
    ]);
    expect(await statusAfter(9, [...LIGHT, season])).toEqual(["down", expect.stringContaining("no light")]);
    expect(await statusAfter(10, [season])).toEqual(["down", expect.stringContaining("no light")]);
    failing.light = false;
    expect(await statusAfter(11, LIGHT)).toEqual(["ok", "None"]);
  });

  test("what-if: The official source is down · an official source that is dead is down also after a restart, from its first failure on", async () => {
    const two = openLoopOfTwo();
    await two.pollOfficial();
    const statusAfter = (hours: number) => {
      two.clock.at = EVE + hours * HOUR;
      const askOfficial = () => Promise.reject(new Error("RTE is away"));
      const { payload } = openTestLoop({ clock: two.clock, store: two.store, askOfficial });
      return payload("official/status");
    };
    expect([2, 3, 100].map(statusAfter)).toEqual(["degraded", "down", "down"]);
    two.clock.at = EVE + HOUR;
    two.said.rte = "bleu";
    await two.pollOfficial();
    expect(statusAfter(4)).toBe("ok");
    delete two.said.rte;
    await two.pollOfficial();
    two.clock.at += HOUR;
    two.said.rte = "bleu";
    await two.pollOfficial();
    expect(two.lines).toContain("The official source answers again, after 1 h");
  });

  test("shows the first failure of an official source that never answered at once: its poll goes on for minutes", async () => {
    const clock = { at: EVE };
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { loop, payload } = openTestLoop({
      clock,
      ask: null,
      askOfficial: async (_, { post }) => {
        post?.({ kind: "tried", failure: "the official source is away", isPause: false });
        await answered;
        const words = [{ date: "2026-01-05", color: "bleu" as const }];
        return { answer: { kind: "light", words }, date: null, made_at: null, sent: null };
      },
    });
    const shown = () => ["status", "last_error", "last_success"].map((part) => payload(`official/${part}`));
    expect(payload("service/problem_code")).toBe("official");
    const poll = loop.pollOfficial(LIGHT);
    await vi.waitFor(() => expect(payload("official/last_error")).not.toBe("None"));
    expect(shown()).toEqual(["degraded", "the official source is away", "None"]);
    expect([payload("service/problem_code"), payload("today/color")]).toEqual(["official", "None"]);
    answer();
    await poll;
    expect(shown()).toEqual(["ok", "None", "2026-01-05T08:00:00Z"]);
    expect([payload("service/problem_code"), payload("today/color")]).toEqual(["none", "bleu"]);
  });

  test("sends devices nothing before each source was polled for the first time", async () => {
    const two = openLoopOfTwo(knownDaysOf({}));
    two.outputs({ kind: "connection opened", connection: 1, version: 5 });
    two.said.rte = "rouge";
    await two.pollOfficial();
    await settled();
    expect([two.loop.view().sends, two.loop.known().kept.outputs]).toEqual([[], NOTHING_SENT]);
    await two.poll();
    await settled();
    expect(two.loop.view().sends).toMatchObject([{ payload: "off", by: { topic: "boiler/set" } }]);
  });

  test("has the words of RTE again after a restart, from below the address that said them", async () => {
    const two = openLoopOfTwo();
    two.said.rte = "rouge";
    await two.pollOfficial();
    expect(two.store.state().official_words).toEqual({
      [RTE_ADDRESS]: expect.objectContaining({
        [DATE]: { color: "rouge", first_said: EVE, confirmed: false },
      }),
    });
    expect(two.store.state().books["test"]?.days).not.toHaveProperty(DATE);
    const again = openTestLoop({ clock: two.clock, store: two.store });
    expect(again.payload("tomorrow/color")).toBe("rouge");
    const other = openTestLoop({ clock: two.clock, store: two.store, official: "https://rte.example.org" });
    expect(other.payload("tomorrow/color")).toBe("None");
  });

  test("an answer that says what the one before said publishes and saves nothing", async () => {
    const two = openLoopOfTwo();
    two.said.rte = "rouge";
    await two.pollOfficial();
    const all = () => [two.days(), two.writes(), two.topics(), two.events.length, two.lines.length];
    const before = all();
    two.clock.at += 15 * MINUTE;
    await two.pollOfficial();
    expect(all()).toEqual(before);
  });
});

test("the times of the last answer and of the forecasts move with the days, and in steps of four hours from then on", async () => {
  const clock = { at: EVE };
  const said: { color: Color; isAway: boolean } = { color: "bleu", isAway: false };
  const { loop, payload } = openTestLoop({
    clock,
    days: BLEU,
    ask: async (request) => {
      const more = { date: null, made_at: clock.at, sent: null };
      // It says nothing about days to come.
      if (request.kind === "history") return { answer: historyAnswer("2026-01-04", "bleu"), ...more };
      if (said.isAway) throw new Error("the service is away");
      const answer =
        request.kind === "date"
          ? dateAnswer(request.date, null, false)
          : forecastsAnswer(clock.at, dayInAnswer("2026-01-07", said.color));
      return { answer, ...more };
    },
  });
  const shown: object = {};
  for (const [hours, change] of [
    [0, {}],
    [1, {}],
    [3, {}],
    [4, {}],
    [6, { color: "blanc" }],
    [7, { color: "rouge" }],
    [12, { isAway: true }],
    [13, { isAway: false }],
  ] as const) {
    clock.at = EVE + hours * HOUR;
    Object.assign(said, change);
    await loop.poll({ essential: true, recheck: true });
    const times = ["last_success", "updated_at"].map((name) => payload(`service/${name}`) ?? "");
    Object.assign(shown, { [hours]: times.map((time) => time.slice(11, 16)) });
  }
  expect(shown).toEqual({
    0: ["09:40", "09:40"],
    1: ["09:40", "09:40"],
    3: ["09:40", "09:40"],
    4: ["13:40", "13:40"],
    6: ["15:40", "15:40"],
    7: ["16:40", "16:40"],
    12: ["16:40", "16:40"],
    13: ["20:40", "20:40"],
  });
});

/** A loop that compares the clocks; the machine's differs from the true time, and each source says what the test sets. */
function openLoopOfClocks({ skew = 0, days = BLEU } = {}) {
  const clock: { at: number; steady?: number } = { at: EVE + skew };
  const sources = { service: { ahead: 0 }, rte: { ahead: 0 } };
  const trueTime = () => clock.at - skew;
  const said: { color: Color; age: number } = { color: "bleu", age: 0 };
  /** A cache keeps the `Date` of the answer that it replays, and does not say its age. */
  const timesOf = (source: SourceName) => {
    const date = trueTime() + sources[source].ahead - said.age;
    return { date, made_at: date, sent: date };
  };
  const test = openTestLoop({
    clock,
    days,
    checkClock: "auto",
    ask: async (request) => ({
      answer:
        request.kind === "date"
          ? dateAnswer(request.date, said.color, request.date === DATE)
          : forecastsAnswer(null, dayInAnswer("2026-01-07", "bleu")),
      ...timesOf("service"),
    }),
    askOfficial: async () => {
      const times = timesOf("rte");
      const today = { date: civilDate(trueTime(), PARIS.time_zone), color: "bleu" as const };
      const words = [today, { date: DATE, color: said.color }];
      return { answer: { kind: "light", words }, ...times };
    },
  });
  const poll = {
    service: () => test.loop.poll({ essential: true, recheck: true }),
    rte: () => test.loop.pollOfficial(LIGHT),
  };
  /** The lines about words that are not used: each source has a problem, and so a limit of lines, of its own. */
  const refused = () =>
    test.said.flatMap((line) =>
      "starts" in line && line.starts.includes("not used") ? [`${line.problem}: ${line.starts}`] : [],
    );
  return { ...test, clock, sources, said, poll, refused };
}

type SourceName = "service" | "rte";

describe.each(["service", "rte"] as const)("answers of one source (%s) that a cache replays", (source) => {
  test.each([
    ["right", 0, "10:45", "10:50"],
    ["45 minutes behind", -45 * MINUTE, "10:00", "10:05"],
    ["45 minutes ahead", 45 * MINUTE, "10:45", "10:50"],
  ])(
    "take nothing back where the machine's clock is %s, and a later answer does",
    async (_, skew, made, said_at) => {
      const { poll, clock, said, payload, refused } = openLoopOfClocks({ skew });
      const say = async (minutes: number, color: Color, age = 0) => {
        clock.at = EVE + skew + minutes * MINUTE;
        Object.assign(said, { color, age: age * MINUTE });
        await poll[source]();
        return payload("tomorrow/color");
      };
      expect(await say(0, "bleu")).toBe("bleu");
      expect(await say(10, "rouge")).toBe("rouge");
      expect(await say(25, "bleu", 20)).toBe("rouge");
      const name = source === "rte" ? "RTE" : "the service";
      const problem = `words of the ${source === "rte" ? "official source" : "forecast service"} that are not used`;
      expect(refused()).toEqual([
        `${problem}: An answer of ${name} of ${made} is older than what ${name} has said, and not used: 2026-01-06 bleu (rouge counts, said at ${said_at})`,
      ]);
      expect(await say(30, "bleu")).toBe("bleu");
      expect(await say(32, "rouge")).toBe("rouge");
    },
  );
});

test("an answer of RTE is judged by the true time, which its own Date tells to a machine that is a day behind", async () => {
  const { poll, loop } = openLoopOfClocks({ skew: -24 * HOUR });
  const { failures } = await poll.rte();
  expect(failures).toEqual([]);
  expect(loop.known().kept.days.days[DATE]?.rte_word?.color).toBe("bleu");
});

describe("after one Date of RTE that is ahead", () => {
  test.each([
    ["five hours, the next answer corrects", 5 * HOUR, 0, 10],
    [
      "five hours, the next answer corrects, where this clock is 45 minutes behind",
      5 * HOUR,
      -45 * MINUTE,
      10,
    ],
    ["50 minutes, the second answer corrects", 50 * MINUTE, 0, 15],
  ])("by %s", async (_, ahead, skew, minutes) => {
    const { poll, clock, sources, said, payload } = openLoopOfClocks({ skew });
    const say = async (at: number, color: Color, by = 0) => {
      clock.at = EVE + skew + at * MINUTE;
      said.color = color;
      sources.rte.ahead = by;
      await poll.rte();
      return payload("tomorrow/color");
    };
    expect(await say(0, "bleu")).toBe("bleu");
    await say(5, "bleu", ahead);
    if (minutes > 10) expect(await say(10, "rouge")).toBe("bleu");
    expect(await say(minutes, "rouge")).toBe("rouge");
  });
});

test("an old answer with its Date of then, which a cache replays, does not make the machine's clock wrong", async () => {
  const { poll, clock, said, payload } = openLoopOfClocks();
  await poll.service();
  for (const [hours, age] of [
    [5, 0],
    [6, 2],
  ] as const) {
    clock.at = EVE + hours * HOUR;
    said.age = age * HOUR;
    await poll.service();
  }
  expect(payload("now/color")).toBe("bleu");
});

describe("while the machine's clock is hours behind and only RTE answers", () => {
  /** It is 12:00. At 10:40 RTE had said this colour of tomorrow. */
  function openAtNoon(before: Color) {
    const days = knownDaysOf({
      [DATE]: { rte_word: { color: before, first_said: EVE, confirmed: false } },
    });
    const test = openLoopOfClocks({ skew: -4 * HOUR, days });
    const say = async (minutes: number, color: Color, age = 0) => {
      test.clock.at = EVE - 4 * HOUR + minutes * MINUTE;
      Object.assign(test.said, { color, age: age * MINUTE });
      await test.poll.rte();
      return test.days().days[DATE]?.rte_word;
    };
    return { ...test, say };
  }

  test("a correction to rouge counts, is confirmed by no clock, and is not taken back by an old answer", async () => {
    const { say, refused } = openAtNoon("bleu");
    expect(await say(80, "rouge")).toEqual({ color: "rouge", first_said: EVE, confirmed: false });
    expect((await say(90, "bleu", 100))?.color).toBe("rouge");
    expect((await say(95, "bleu", 30))?.color).toBe("rouge");
    expect(refused()).toEqual([]);
  });

  test("an old answer does not take rouge back, and neither does a new one that this machine would date before it", async () => {
    const { say, refused } = openAtNoon("rouge");
    expect((await say(80, "bleu", 100))?.color).toBe("rouge");
    expect((await say(85, "bleu"))?.color).toBe("rouge");
    expect(refused()).toEqual([]);
  });

  test("a colour that was confirmed stays confirmed where a dearer one replaces it", async () => {
    const { say, know } = openAtNoon("blanc");
    know(knownDaysOf({ [DATE]: { rte_word: { color: "blanc", first_said: EVE, confirmed: true } } }));
    expect(await say(80, "rouge")).toEqual({
      color: "rouge",
      first_said: EVE + 50 * MINUTE,
      confirmed: true,
    });
  });
});

describe("the clocks of two servers and of the machine", () => {
  const DAY: Instant = 24 * HOUR;
  const shown = ({ payload }: Pick<ReturnType<typeof openLoopOfClocks>, "payload">) => [
    payload("now/color"),
    payload("service/problem_code"),
  ];
  const WRONG = ["None", "clock"];

  test.each([
    ["all right", 0, 0, 0, true],
    ["the machine 45 minutes behind", -45 * MINUTE, 0, 0, true],
    ["the machine a day behind", -DAY, 0, 0, false],
    ["the machine a day ahead", DAY, 0, 0, false],
    ["the service a day ahead", 0, DAY, 0, true],
    ["the service a day behind", 0, -DAY, 0, true],
    ["RTE a day ahead", 0, 0, DAY, true],
    ["RTE a day ahead, alone at first: nothing that it says is dated by its clock", 0, 0, DAY, true, "rte"],
    ["RTE a day behind", 0, 0, -DAY, true],
    [
      "the service a day ahead, alone at first: what it says is not the newest instant",
      0,
      DAY,
      0,
      true,
      "service",
    ],
    ["the machine and the service a day ahead", DAY, DAY, 0, true],
    ["each by another time", DAY, 2 * DAY, 0, false],
  ] as const)(
    "%s",
    async (_, skew, service, rte, right, first: SourceName = rte === 0 ? "rte" : "service") => {
      const two = openLoopOfClocks({ skew, days: knownDaysOf(officialDays("2026-01-01", "2026-01-07")) });
      two.sources.service.ahead = service;
      two.sources.rte.ahead = rte;
      await two.poll[first]();
      await two.poll[first === "rte" ? "service" : "rte"]();
      two.loop.refresh();
      if (right) expect(shown(two)[0]).toBe("bleu");
      else expect(shown(two)).toEqual(WRONG);
    },
  );
});

test.each([5, 48])(
  "RTE %i hours ahead, alone at first, confirms nothing: the service is right at 11:40",
  async (hours) => {
    const { clock, sources, said, poll, payload } = openLoopOfClocks();
    sources.rte.ahead = hours * HOUR;
    clock.at = EVE - 4 * HOUR;
    await poll.rte();
    clock.at = EVE + HOUR;
    said.color = "rouge";
    // The first answer says what time it is; with that the next poll asks for the right days.
    await poll.service();
    await poll.service();
    expect([payload("tomorrow/color"), payload("tomorrow/stage")]).toEqual(["rouge", "final"]);
  },
);

describe("after a jump of the machine's clock", () => {
  /** Both have answered, and ten minutes later, by the steady clock, the clock was set. */
  async function openAfterJump(by: number) {
    const days = knownDaysOf(officialDays("2026-01-01", "2026-01-07"));
    const clocks = openLoopOfClocks({ days });
    const { clock, poll, sources } = clocks;
    Object.assign(clock, { steady: 0 });
    await poll.rte();
    await poll.service();
    Object.assign(clock, { at: EVE + 10 * MINUTE + by, steady: 10 * MINUTE });
    sources.service.ahead = -by;
    sources.rte.ahead = -by;
    clocks.loop.refresh();
    return { ...clocks, shown: () => [clocks.payload("now/color"), clocks.payload("service/problem_code")] };
  }

  test.each(["service", "rte"] as const)(
    "a day ahead, the next answer (%s) says so, whatever the other source said before",
    async (source) => {
      const { poll, shown, clock, loop } = await openAfterJump(24 * HOUR);
      await poll[source]();
      expect(shown()).toEqual(["None", "clock"]);
      clock.at -= 24 * HOUR;
      loop.refresh();
      expect(shown()[0]).toBe("bleu");
    },
  );

  test("a day back, it is wrong at once", async () => {
    expect((await openAfterJump(-24 * HOUR)).shown()).toEqual(["None", "clock"]);
  });

  test("by the night for which it was suspended, the next answer finds it right", async () => {
    const { poll, shown, sources } = await openAfterJump(8 * HOUR);
    sources.service.ahead = 0;
    await poll.service();
    expect(shown()[0]).toBe("bleu");
  });
});

test("two servers that disagree about the time: the one that the machine agrees with decides", async () => {
  const clock = { at: EVE };
  const DAY: Instant = 24 * HOUR;
  const dates = { service: EVE - DAY, rte: EVE };
  const { loop, payload } = openTestLoop({
    clock,
    days: knownDaysOf({ ...BLEU.days, [DATE]: official("bleu") }),
    checkClock: "auto",
    ask: async () => ({
      answer: forecastsAnswer(null),
      date: dates.service,
      made_at: null,
      sent: dates.service,
    }),
    askOfficial: async () => {
      return { answer: { kind: "light", words: [] }, date: dates.rte, made_at: null, sent: dates.rte };
    },
  });
  await loop.pollOfficial(LIGHT);
  await loop.poll({ essential: true, recheck: true });
  expect(payload("now/color")).toBe("bleu");
  dates.rte = EVE + DAY;
  await loop.pollOfficial(LIGHT);
  expect(payload("now/color")).toBe("bleu");
  // Its right answer of before counts for two hours.
  clock.at += 2 * HOUR;
  dates.rte += 2 * HOUR;
  await loop.pollOfficial(LIGHT);
  expect([payload("now/color"), payload("service/problem_code")]).toEqual(["None", "clock"]);
});
