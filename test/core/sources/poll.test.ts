import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPollLines } from "../../../src/app/read-poll-lines.ts";
import type { Clocks } from "../../../src/core/calendar/clocks.ts";
import type { Color } from "../../../src/core/calendar/tariff.ts";
import type { Answer, OfficialAnswer } from "../../../src/core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import {
  beginIfDue,
  beginPoll,
  endIfOver,
  nextPoll,
  nextRequest,
  POLL_LIMIT,
  pollEnd,
  startSource,
  takeAnswered,
  takeCommand,
  takeFailed,
  takeFollowUps,
  takeMemory,
  takeTried,
} from "../../../src/core/sources/poll.ts";
import type { RequestFailure } from "../../../src/core/sources/request-failure.ts";
import { PER_MINUTE, requestAllowance } from "../../../src/core/sources/request-limits.ts";
import { RTE } from "../../../src/core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../../../src/core/sources/service-source.ts";
import type {
  DueRequest,
  Source,
  SourceAnswer,
  SourceContext,
  SourcePart,
} from "../../../src/core/sources/source.ts";
import { clientMemoryOf, EMPTY_MEMORY, NEW_SOURCE } from "../../../src/core/sources/source-kept.ts";
import {
  dateAnswer,
  dayInAnswer,
  forecastsAnswer,
  historyAnswer,
  SEASON as SEASON_IN_ANSWER,
} from "../../support/answers.ts";
import { knownDaysOf, official, saidByRte } from "../../support/known-days.ts";
import { PARIS } from "../../support/tariff.ts";

const MINUTE = 60_000;
/** 10:40 in Paris. */
const NOW = Date.parse("2026-01-05T09:40:00Z");
const AT: Clocks = { now: NOW, steady: 0 };

function open(source: Source, knownDays = NO_KNOWN_DAYS, sent_at: number | null = null) {
  const part = startSource({ ...NEW_SOURCE, sent_at });
  return { part, context: contextOf(source, knownDays, AT) };
}

function contextOf(source: Source, knownDays: KnownDays, { now }: Clocks): SourceContext {
  return {
    source,
    tariff: PARIS,
    knownDays,
    trueTime: now,
    behind: 0,
    pollLines: readPollLines(
      { every: 60 * MINUTE, announcement: { between: ["06:30", "12:00"], every: 5 * MINUTE } },
      { ...PARIS, offset: 0.3 },
    ),
  };
}

const failing = (sentence: string, kind: RequestFailure["kind"]) => ({ sentence, kind });
const kindsOf = (part: SourcePart) => part.passing.poll?.queue.map(({ request }) => request.kind) ?? [];
/** What fails after a poll, and what came of the polls. */
const endOf = ({ kept, passing }: SourcePart) => ({
  failing: kept.failing?.sentence ?? null,
  counts: Object.entries(passing.counts).flatMap(([result, count]) => (count > 0 ? [[result, count]] : [])),
});

describe("a poll", () => {
  test("keeps what was asked when it began, so that one that answers nothing is not due again at once", () => {
    const { part, context } = open(FORECAST_SERVICE);
    const begun = beginIfDue(part, AT, context);
    const due = nextRequest(begun);
    expect(due?.request).toEqual({ kind: "forecasts" });
    if (!due) return;
    const failed = takeFailed(begun, { due, failure: failing("no route", "away") }, context);
    expect(nextRequest(failed)).toBeNull();
    expect(beginIfDue(failed, AT, context)).toBe(failed);
  });

  test("that time ends says why it tried again, or that the source is slow", () => {
    const { part, context } = open(FORECAST_SERVICE);
    const begun = beginIfDue(part, AT, context);
    const due = nextRequest(begun) as DueRequest;
    const end = { now: NOW + POLL_LIMIT, steady: POLL_LIMIT };
    expect(pollEnd(begun)).toBe(POLL_LIMIT);
    expect(endIfOver(begun, { ...end, steady: POLL_LIMIT - 1 }, context)).toBe(begun);
    const slow = endIfOver(begun, end, context);
    expect(endOf(slow)).toEqual({
      failing:
        "The poll was ended after 4 minutes, as the forecast service was too slow; the next poll asks again",
      counts: [["failed", 1]],
    });
    const paused = takeTried(begun, { due, failure: "a pause of 60 s", isPause: true }, context);
    expect(paused.kept.failing).toBeNull();
    expect(endOf(endIfOver(paused, end, context)).failing).toBe("a pause of 60 s");
    // What comes of its request then is not taken any more.
    expect(takeFailed(slow, { due, failure: failing("ended", "other") }, context)).toBe(slow);
  });

  test("in which a source answers each request with 404 is one failure, which says what to check", () => {
    const { part, context } = open(FORECAST_SERVICE);
    let failed = beginIfDue(part, AT, context);
    for (let due = nextRequest(failed); due; due = nextRequest(failed)) {
      const failure = failing("The forecast service has nothing at http://service/v1/public", "not_found");
      failed = takeFailed(failed, { due, failure }, context);
    }
    expect(endOf(failed)).toEqual({
      failing:
        "The forecast service has nothing at http://service/v1/public. Check service.base_url: it is everything before /v1/public",
      counts: [["failed", 1]],
    });
  });

  test.each([
    ["some requests are answered", "not_found", true],
    ["the failure is another one", "other", false],
  ] as const)("does not ask for the address to be checked if %s", (_case, kind, isFirstAnswered) => {
    const { part, context } = open(FORECAST_SERVICE);
    let taken = beginIfDue(part, AT, context);
    for (let due = nextRequest(taken); due; due = nextRequest(taken)) {
      const isAnswered = isFirstAnswered && due.request.kind === "forecasts";
      taken = isAnswered
        ? takeAnswered(taken, { due, answer: forecastsAnswer(null) }, context)
        : takeFailed(taken, { due, failure: failing(`no ${due.request.kind}`, kind) }, context);
    }
    expect(endOf(taken)).toEqual({
      failing: isFirstAnswered ? "no date" : "no forecasts",
      counts: [[isFirstAnswered ? "partly" : "failed", 1]],
    });
    expect(taken.kept.failures).toMatchObject({
      season: { sentence: "no season" },
      history: { sentence: "no history" },
    });
  });

  test("without a failure ends that of today and tomorrow, and an answer about the season alone does not", () => {
    const { part, context } = open(RTE);
    const requests: DueRequest[] = [
      { request: { kind: "light" }, essential: false },
      { request: { kind: "season", label: "2025-2026" }, essential: false },
    ];
    const [light, season] = requests as [DueRequest, DueRequest];
    const words = [{ date: "2026-01-05", color: "bleu" as const }];
    const answered = (before: SourcePart, due: DueRequest) => {
      const kind = due === light ? "light" : "season";
      return takeAnswered(beginPoll(before, [due], AT), { due, answer: { kind, words } }, context);
    };
    const failed = takeFailed(
      beginPoll(part, requests, AT),
      { due: light, failure: failing("no route", "away") },
      context,
    );
    expect(failed.kept).toMatchObject({ answered_at: null, failing: { since: NOW, sentence: "no route" } });
    const later = { ...context, trueTime: NOW + MINUTE };
    const again = takeFailed(
      beginPoll(failed, [light], AT),
      { due: light, failure: failing("timeout", "other") },
      later,
    );
    expect(again.kept.failing).toEqual({ since: NOW, sentence: "timeout" });
    expect(answered(again, season).kept).toMatchObject({
      answered_at: null,
      failing: { sentence: "timeout" },
    });
    expect(answered(again, light).kept).toMatchObject({ answered_at: NOW, failing: null });
  });

  test("that ends early leaves due what it has not asked", () => {
    const { part, context } = open(RTE);
    const begun = beginIfDue(part, AT, context);
    expect(kindsOf(begun)).toEqual(["light", "season"]);
    const due = nextRequest(begun) as DueRequest;
    const failed = takeFailed(begun, { due, failure: failing("no route", "away") }, context);
    expect(kindsOf(beginIfDue(failed, AT, context))).toEqual(["season"]);
  });

  test.each([FORECAST_SERVICE, RTE])(
    "that failed is made again within an hour, also if the $name is not asked then otherwise",
    (source) => {
      // 20:05 in Paris: tomorrow is confirmed, and the service is asked every six hours.
      const now = Date.parse("2026-01-05T19:05:00Z");
      const days = knownDaysOf({ "2026-01-06": { ...official("bleu"), ...saidByRte("bleu") } });
      const pollLines = readPollLines(
        { every: 6 * 60 * MINUTE, announcement: { between: ["06:30", "12:00"], every: 5 * MINUTE } },
        { ...PARIS, offset: 0.3 },
      );
      const at = { now, steady: 0 };
      const context = { ...contextOf(source, days, at), pollLines };
      const begun = beginIfDue(open(source).part, at, context);
      const due = nextRequest(begun) as DueRequest;
      const failed = takeFailed(begun, { due, failure: failing("no route", "other") }, context);
      let ended = failed;
      for (let next = nextRequest(ended); next; next = nextRequest(ended))
        ended = takeFailed(ended, { due: next, failure: failing("no route", "other") }, context);
      const again = nextPoll(ended, at, context);
      expect(again - now).toBeLessThanOrEqual(60 * MINUTE);
      expect(kindsOf(beginIfDue(ended, { now: again, steady: again - now }, context))[0]).toBe(source.main);
    },
  );

  test("of a spent budget is no failure", () => {
    const { part, context } = open(RTE);
    const begun = beginIfDue(part, AT, context);
    const due = nextRequest(begun) as DueRequest;
    const failure = failing("the 80 requests are used up", "budget_spent");
    const ended = takeFailed(begun, { due, failure }, context);
    expect(endOf(ended)).toEqual({ failing: null, counts: [["not_sent", 1]] });
  });

  test("of a spent budget leaves the failure before it as it is", () => {
    const { part, context } = open(FORECAST_SERVICE);
    const away = { ...part, kept: { ...part.kept, failing: { since: NOW - MINUTE, sentence: "no route" } } };
    const plan = FORECAST_SERVICE.plan(
      [{ asks: "forecasts", isEssential: true, isRecheck: false }],
      away,
      context,
    );
    const failure = failing("the requests of the day are used up", "budget_spent");
    let taken = beginPoll(away, plan, AT);
    for (const due of plan) taken = takeFailed(taken, { due, failure }, context);
    expect(endOf(taken)).toEqual({ failing: "no route", counts: [["not_sent", 1]] });
  });
});

describe("a difference between the sources", () => {
  const LIGHT: DueRequest = { request: { kind: "light" }, essential: false };
  /** The kinds of requests to RTE, which was last asked now, that are due so many minutes later. */
  const dueLater = (minutes: number, color: Color) => {
    const days = {
      "2026-01-05": { ...official("bleu"), ...saidByRte("bleu") },
      "2026-01-06": { ...official(color), ...saidByRte("bleu") },
    };
    const at = { now: NOW + minutes * MINUTE, steady: minutes * MINUTE };
    const begun = beginPoll(open(RTE).part, [LIGHT], AT);
    const answer: OfficialAnswer = { kind: "light", words: [{ date: "2026-01-05", color: "bleu" }] };
    const ended = takeAnswered(begun, { due: LIGHT, answer }, contextOf(RTE, knownDaysOf(days), AT));
    return kindsOf(beginIfDue(ended, at, contextOf(RTE, knownDaysOf(days), at)));
  };

  test("is asked about hourly, until there is none", () => {
    // Both are confirmed, so nothing else asks at this hour.
    expect(dueLater(70, "rouge")).toContain("light");
    expect(dueLater(1, "rouge")).not.toContain("light");
    expect(dueLater(70, "bleu")).not.toContain("light");
  });
});

test("what a client has counted and learnt leaves the dates of answers and the beginning of a failure as they are", () => {
  const { part, context } = open(RTE);
  const begun = beginIfDue(part, AT, context);
  const due = nextRequest(begun) as DueRequest;
  const failed = takeFailed(begun, { due, failure: failing("no route", "away") }, context);
  expect(failed.kept.failing?.since).toBe(NOW);
  const counted = { ...EMPTY_MEMORY, spent: { day: "2026-01-05", count: 3 } };
  expect(takeMemory(failed, counted).kept).toEqual({ ...failed.kept, ...counted });
});

/** What happens next: after how many milliseconds, and what. */
const steps = fc.array(
  fc.record({
    after: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 0, max: 10_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * MINUTE }) },
    ),
    what: fc.constantFrom(
      "answer",
      "answer",
      "answer",
      "failure",
      "try",
      "pause",
      "command",
      "stale",
      "nothing",
    ),
    color: fc.constantFrom("bleu", "blanc", "rouge"),
    failure: fc.constantFrom("budget_spent", "busy", "away", "not_found", "other"),
    isOfficial: fc.boolean(),
  }),
  { maxLength: 150 },
);

describe.each([FORECAST_SERVICE, RTE])("the polls of the $name", (source) => {
  function answerTo({ request }: DueRequest, color: "bleu" | "blanc" | "rouge", isOfficial: boolean) {
    const words = [{ date: "2026-01-06", color }];
    const answers: Record<string, Answer | OfficialAnswer> = {
      forecasts: forecastsAnswer(null, dayInAnswer("2026-01-06", color)),
      date: dateAnswer(request.kind === "date" ? request.date : "2026-01-06", color, isOfficial),
      history: historyAnswer("2026-01-04", color),
      light: { kind: "light", words },
      season: source === RTE ? { kind: "season", words } : SEASON,
    };
    return answers[request.kind] as SourceAnswer;
  }

  test("are one at a time, ask nothing twice, end within four minutes, and keep the limits, whatever happens", () => {
    fc.assert(
      fc.property(steps, (happened) => {
        let { part } = open(source);
        let clocks = AT;
        let days = NO_KNOWN_DAYS;
        let asked: string[] = [];
        let began = 0;
        let last: DueRequest | null = null;
        let commands = 0;
        let told = 0;
        const sent: number[] = [];

        /** The client counts each request before it is sent; one that it may not send fails. */
        const look = (context: SourceContext) => {
          told += part.passing.said.length;
          part = { ...part, passing: { ...part.passing, said: [] } };
          for (let due = nextRequest(part); due && due !== last; due = nextRequest(part)) {
            last = due;
            const key = JSON.stringify(due.request);
            expect(asked).not.toContain(key);
            asked.push(key);
            const budget = due.essential ? Number.POSITIVE_INFINITY : source.budget;
            const allowance = requestAllowance(part.kept, clocks.now, budget);
            if (allowance.kind === "granted") {
              sent.push(clocks.now);
              part = takeMemory(part, {
                ...clientMemoryOf(part.kept),
                ...allowance.sent,
                sent_at: clocks.now,
              });
            } else {
              const kind = allowance.kind === "budget spent" ? "budget_spent" : "busy";
              part = takeFailed(part, { due, failure: failing("not now", kind) }, context);
              told += part.passing.said.length;
              part = { ...part, passing: { ...part.passing, said: [] } };
            }
          }
        };
        for (const { after, what, color, failure, isOfficial } of happened) {
          clocks = { now: clocks.now + after, steady: clocks.steady + after };
          let context = contextOf(source, days, clocks);
          const before = part.passing.poll;
          part = endIfOver(part, clocks, context);
          expect(endIfOver(part, clocks, context)).toBe(part);
          if (before && part.passing.poll) expect(clocks.steady - began).toBeLessThan(POLL_LIMIT);
          look(context);
          const isUnderWay = part.passing.poll !== null;
          if (what === "command") {
            commands += part.passing.poll?.command ? 0 : 1;
            part = takeCommand(part, { command: "topic" }, clocks, context);
          } else part = beginIfDue(part, clocks, context);
          if (!isUnderWay && part.passing.poll) {
            began = clocks.steady;
            asked = [];
          }
          expect(beginIfDue(part, clocks, context)).toBe(part);
          look(context);
          const due = nextRequest(part);
          if (!due) continue;
          switch (what) {
            case "answer": {
              const answer = answerTo(due, color, isOfficial);
              const known = days;
              days = source.learn(days, answer, clocks.now, PARIS, clocks.now, clocks.now);
              context = contextOf(source, days, clocks);
              part = takeFollowUps(part, { due, answer, before: known }, context);
              part = takeAnswered(part, { due, answer }, context);
              break;
            }
            case "failure":
              part = takeFailed(part, { due, failure: failing("failed", failure) }, context);
              break;
            case "try":
            case "pause":
              part = takeTried(part, { due, failure: "again", isPause: what === "pause" }, context);
              expect(nextRequest(part)).toBe(due);
              break;
            case "stale": {
              const event = { due: { ...due }, failure: failing("of an older request", "away") };
              expect(takeFailed(part, event, context)).toBe(part);
              break;
            }
          }
          look(context);
        }
        // Each command is told once: of a failure, of an outcome, or it waits for the poll under way.
        expect(told + (part.passing.poll?.command ? 1 : 0)).toBe(commands);
        for (const at of sent)
          expect(sent.filter((other) => other >= at && other < at + MINUTE).length).toBeLessThanOrEqual(
            PER_MINUTE,
          );
      }),
      { numRuns: 150 },
    );
  });

  test("of a source that answers at once are few on a day", () => {
    let { part } = open(source);
    let days = NO_KNOWN_DAYS;
    let requests = 0;
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      const clocks = { now: NOW + minute * MINUTE, steady: minute * MINUTE };
      part = beginIfDue(part, clocks, contextOf(source, days, clocks));
      for (let due = nextRequest(part); due; due = nextRequest(part)) {
        requests += 1;
        const answer = answerTo(due, "bleu", true);
        const before = days;
        days = source.learn(days, answer, clocks.now, PARIS, clocks.now, clocks.now);
        const context = contextOf(source, days, clocks);
        part = takeFollowUps(part, { due, answer, before }, context);
        part = takeAnswered(part, { due, answer }, context);
      }
    }
    expect(requests).toBeGreaterThan(20);
    expect(requests).toBeLessThan(source.budget);
  });
});

test("a vigie that is killed and started again every ten seconds goes beyond the budget by essential requests only", () => {
  for (const source of [FORECAST_SERVICE, RTE]) {
    let sent_at: number | null = null;
    let essential = 0;
    for (let now = NOW; now < NOW + 6 * 60 * MINUTE; now += 10_000) {
      const { part } = open(source, NO_KNOWN_DAYS, sent_at);
      const clocks = { now, steady: 0 };
      const begun = beginIfDue(part, clocks, contextOf(source, NO_KNOWN_DAYS, clocks));
      if (nextRequest(begun)?.essential) essential += 1;
      sent_at = now;
    }
    // The first start, and each hour.
    expect(essential).toBeGreaterThan(3);
    expect(essential).toBeLessThanOrEqual(7);
  }
});

test("the requests of a poll are those that the service plans, each once", () => {
  const { part, context } = open(FORECAST_SERVICE);
  const plan = FORECAST_SERVICE.plan(
    [{ asks: "forecasts", isEssential: true, isRecheck: true }],
    part,
    context,
  );
  const begun = beginPoll(part, [...plan, ...plan], AT);
  expect(begun.passing.poll?.queue).toEqual(plan);
});

const SEASON: Answer = { kind: "season", season: SEASON_IN_ANSWER };
