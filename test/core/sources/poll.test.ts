import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clocks } from "../../../src/core/calendar/clocks.ts";
import type { Color } from "../../../src/core/calendar/tariff.ts";
import type { Answer, OfficialAnswer } from "../../../src/core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { startOfficialRecord } from "../../../src/core/facts/official-record.ts";
import { startPollRecord } from "../../../src/core/facts/poll-record.ts";
import { EMPTY_MEMORY, noteOfficial } from "../../../src/core/sources/client-memory.ts";
import {
  beginIfDue,
  beginPoll,
  endIfOver,
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
  withoutNews,
} from "../../../src/core/sources/poll.ts";
import type { RequestFailure } from "../../../src/core/sources/request-failure.ts";
import { PER_MINUTE, requestAllowance } from "../../../src/core/sources/request-limits.ts";
import { NO_OFFICIAL_MEMORY } from "../../../src/core/sources/request-memory.ts";
import { RTE } from "../../../src/core/sources/rte-source.ts";
import { FORECAST_SERVICE, planPoll } from "../../../src/core/sources/service-source.ts";
import type {
  DueRequest,
  PollContext,
  PollNews,
  Source,
  SourceAnswer,
  SourcePart,
} from "../../../src/core/sources/source.ts";
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
  const part =
    source === RTE
      ? startSource({ ...NO_OFFICIAL_MEMORY, sent_at }, startOfficialRecord(NOW, knownDays, null))
      : startSource({ ...EMPTY_MEMORY, sent_at }, startPollRecord(NOW, knownDays, "real"));
  return { part, context: contextOf(source, knownDays, AT) };
}

function contextOf(source: Source, knownDays: KnownDays, { now }: Clocks): PollContext {
  return {
    source,
    tariff: PARIS,
    knownDays,
    trueTime: now,
    behind: 0,
    times: { every: 60 * MINUTE, announcement: { between: ["06:30", "12:00"], every: 5 * MINUTE } },
    offset: 0.3,
  };
}

const failing = (sentence: string, kind: RequestFailure["kind"]) => ({ sentence, kind });
const kindsOf = (part: SourcePart) => part.passing.poll?.queue.map(({ request }) => request.kind) ?? [];
const polledOf = (news: readonly PollNews[]) =>
  news.flatMap((one) => (one.kind === "polled" ? [one.outcome] : []));

describe("a poll", () => {
  test("keeps what was asked when it began, so that one that answers nothing is not due again at once", () => {
    const { part, context } = open(FORECAST_SERVICE);
    const begun = beginIfDue(part, AT, context);
    const due = nextRequest(begun);
    expect(due?.request).toEqual({ kind: "forecasts" });
    if (!due) return;
    const failed = takeFailed(begun, { due, failure: failing("no route", "away") }, AT, context);
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
    expect(polledOf(slow.passing.news)).toEqual([
      {
        answers: 0,
        failures: [
          "The poll was ended after 4 minutes, as the forecast service was too slow; the next poll asks again",
        ],
      },
    ]);
    const paused = takeTried(begun, { due, failure: "a pause of 60 s", isPause: true }, AT, context);
    expect(paused.passing.news).toEqual([]);
    expect(polledOf(endIfOver(paused, end, context).passing.news)).toEqual([
      { answers: 0, failures: ["a pause of 60 s"] },
    ]);
    // What comes of its request then is not taken any more.
    expect(takeFailed(slow, { due, failure: failing("ended", "other") }, end, context)).toBe(slow);
  });

  test("in which a source answers each request with 404 is one failure, which says what to check", () => {
    const { part, context } = open(FORECAST_SERVICE);
    let failed = beginIfDue(part, AT, context);
    for (let due = nextRequest(failed); due; due = nextRequest(failed)) {
      const failure = failing("The forecast service has nothing at http://service/v1/public", "not_found");
      failed = takeFailed(failed, { due, failure }, AT, context);
    }
    expect(polledOf(failed.passing.news)).toEqual([
      {
        answers: 0,
        failures: [
          "The forecast service has nothing at http://service/v1/public. Check service.base_url: it is everything before /v1/public",
        ],
      },
    ]);
  });

  test.each([
    ["some requests are answered", "not_found", true],
    ["the failure is another one", "other", false],
  ] as const)("tells each failure where %s", (_case, kind, isFirstAnswered) => {
    const { part, context } = open(FORECAST_SERVICE);
    let taken = beginIfDue(part, AT, context);
    const planned = kindsOf(taken).length;
    for (let due = nextRequest(taken); due; due = nextRequest(taken)) {
      const isAnswered = isFirstAnswered && due.request.kind === "forecasts";
      const event = { due, answer: forecastsAnswer(null), before: context.knownDays };
      taken = isAnswered
        ? takeAnswered(taken, event, AT, context)
        : takeFailed(taken, { due, failure: failing(`no ${due.request.kind}`, kind) }, AT, context);
    }
    const [outcome] = polledOf(taken.passing.news);
    expect(outcome?.failures).toHaveLength(isFirstAnswered ? planned - 1 : planned);
    expect(outcome?.failures.join()).not.toContain("service.base_url");
  });

  test("of a spent budget is no failure", () => {
    const { part, context } = open(RTE);
    const begun = beginIfDue(part, AT, context);
    const due = nextRequest(begun) as DueRequest;
    const failure = failing("the 80 requests are used up", "budget_spent");
    const ended = takeFailed(begun, { due, failure }, AT, context);
    expect(polledOf(ended.passing.news)).toEqual([{ answers: 0, failures: [] }]);
    expect(ended.passing.record.light).toBeNull();
  });

  test("of a spent budget leaves the failure before it as it is", () => {
    const { part, context } = open(FORECAST_SERVICE);
    const record = { ...part.passing.record, failure: "no route" };
    const away = { ...part, passing: { ...part.passing, record } };
    const plan = planPoll({ essential: true, recheck: false }, away, context);
    const failure = failing("the requests of the day are used up", "budget_spent");
    let taken = beginPoll(away, plan, AT);
    for (const due of plan) taken = takeFailed(taken, { due, failure }, AT, context);
    expect(polledOf(taken.passing.news)).toEqual([{ answers: 0, failures: [] }]);
    expect(taken.passing.record.failure).toBe("no route");
  });
});

describe("a difference between the sources", () => {
  const LIGHT: DueRequest = { request: { kind: "light" }, essential: false };
  const SEASON: DueRequest = { request: { kind: "season", label: "2025-2026" }, essential: false };
  /** RTE has said bleu of these days, and the service says this of the 6th. */
  const contextWith = (color: Color, { now }: Clocks = AT) => {
    const said = { ...official(color), ...saidByRte("bleu") };
    const days = { "2026-01-05": { ...official("bleu"), ...saidByRte("bleu") }, "2026-01-06": said };
    return contextOf(RTE, knownDaysOf(days), { now, steady: now - NOW });
  };
  const answered = (part: SourcePart, due: DueRequest, context: PollContext) => {
    const answer: OfficialAnswer = { kind: due === LIGHT ? "light" : "season", words: [] };
    return takeAnswered(part, { due, answer, before: context.knownDays }, AT, context);
  };
  /** The kinds of requests that are due a minute later. */
  const dueLater = (part: SourcePart, color: Color) => {
    const at = { now: NOW + MINUTE, steady: MINUTE };
    return RTE.findDue(part, at, contextWith(color, at)).map(({ request }) => request.kind);
  };

  test.each([
    ["during a poll that asks RTE only for the season", [SEASON]],
    ["after RTE was asked for today and tomorrow, and before its poll is over", [LIGHT, SEASON]],
  ])("that appears %s is asked about at once", (_when, requests) => {
    let part = open(RTE).part;
    part = answered(beginPoll(part, [LIGHT], AT), LIGHT, contextWith("bleu"));
    expect(dueLater(part, "bleu")).not.toContain("light");
    part = beginPoll(part, requests, AT);
    for (const due of requests) part = answered(part, due, contextWith(due === LIGHT ? "bleu" : "rouge"));
    expect(nextRequest(part)).toBeNull();
    expect(dueLater(part, "rouge")).toContain("light");
  });

  test("about which RTE was asked, with an answer or without one, is not asked about again at once", () => {
    const begun = beginPoll(open(RTE).part, [LIGHT, SEASON], AT);
    const context = contextWith("rouge");
    const failure = failing("no route", "other");
    const failed = takeFailed(begun, { due: LIGHT, failure }, AT, context);
    const slow = endIfOver(begun, { now: NOW, steady: POLL_LIMIT }, context);
    for (const part of [answered(begun, LIGHT, context), failed, slow])
      expect(dueLater(part, "rouge")).not.toContain("light");
  });
});

test("what a client has counted and learnt leaves the dates of answers and the beginning of a failure as they are", () => {
  const { part, context } = open(RTE);
  const begun = beginIfDue(part, AT, context);
  const due = nextRequest(begun) as DueRequest;
  const failed = takeFailed(begun, { due, failure: failing("no route", "away") }, AT, context);
  expect(failed.kept.failing_since).toBe(NOW);
  const counted = { ...NO_OFFICIAL_MEMORY, spent: { day: "2026-01-05", count: 3 } };
  expect(takeMemory(failed, counted).kept).toEqual({ ...counted, failing_since: NOW });
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
        const look = (context: PollContext) => {
          for (const one of part.passing.news) if (one.kind === "command") told += 1;
          part = withoutNews(part);
          for (let due = nextRequest(part); due && due !== last; due = nextRequest(part)) {
            last = due;
            const key = JSON.stringify(due.request);
            expect(asked).not.toContain(key);
            asked.push(key);
            const budget = due.essential ? Number.POSITIVE_INFINITY : source.budget;
            const allowance = requestAllowance(part.kept, clocks.now, budget);
            if (allowance.kind === "granted") {
              sent.push(clocks.now);
              part = takeMemory(part, { ...part.kept, ...allowance.sent, sent_at: clocks.now });
            } else {
              const kind = allowance.kind === "budget spent" ? "budget_spent" : "busy";
              part = takeFailed(part, { due, failure: failing("not now", kind) }, clocks, context);
              for (const one of part.passing.news) if (one.kind === "command") told += 1;
              part = withoutNews(part);
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
              part = takeFollowUps(part, { due, answer, before: known }, clocks, context);
              part = takeAnswered(part, { due, answer, before: known }, clocks, context);
              break;
            }
            case "failure":
              part = takeFailed(part, { due, failure: failing("failed", failure) }, clocks, context);
              break;
            case "try":
            case "pause":
              part = takeTried(part, { due, failure: "again", isPause: what === "pause" }, clocks, context);
              expect(nextRequest(part)).toBe(due);
              break;
            case "stale": {
              const event = { due: { ...due }, failure: failing("of an older request", "away") };
              expect(takeFailed(part, event, clocks, context)).toBe(part);
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
        part = takeFollowUps(part, { due, answer, before }, clocks, context);
        part = withoutNews(takeAnswered(part, { due, answer, before }, clocks, context));
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
  const plan = planPoll({ essential: true, recheck: true }, part, context);
  const begun = beginPoll(part, [...plan, ...plan], AT);
  expect(begun.passing.poll?.queue).toEqual(plan);
});

test.each([
  ["never says is_official is asked for three days, and then once a week", () => null, 0, [72, 240, 408]],
  ["says false once is asked for three more", (hour: number) => (hour === 40 ? false : null), 0, [113, 281]],
  // Three days seem to be over with the second answer.
  ["answers while this clock is set right is asked for a day", () => null, NOW, [22, 190, 358]],
])("for dates a service that %s", (_, official, before, expected) => {
  const { part, context } = open(FORECAST_SERVICE);
  let memory = before === 0 ? EMPTY_MEMORY : noteOfficial(EMPTY_MEMORY, null, NOW - before);
  const asked: number[] = [];
  for (let hour = 0; hour <= 410; hour += 1) {
    const trueTime = NOW + hour * 60 * MINUTE;
    const known = { ...part, kept: { ...part.kept, ...memory } };
    const plan = planPoll({ essential: true, recheck: true }, known, { ...context, trueTime });
    if (!plan.some(({ request }) => request.kind === "date")) continue;
    memory = noteOfficial(memory, official(hour), trueTime);
    asked.push(hour);
  }
  expect(asked.filter((hour) => hour < 20)).toHaveLength(20);
  expect(asked.filter((hour) => !asked.includes(hour + 1))).toEqual(expected);
});

const SEASON: Answer = { kind: "season", season: SEASON_IN_ANSWER };
