import { addDays, civilDate, datesBetween, tariffDate } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { Answer, Request } from "../contract/answer.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { SeldomFailures } from "../facts/source-record.ts";
import { mayBeAskedAgain } from "./keep-answers.ts";
import type { LastAnswered } from "./source-kept.ts";

export interface PlanInput {
  knownDays: KnownDays;
  tariff: Tariff;
  now: Instant;
  lastAnswered: LastAnswered;
  failures: SeldomFailures;
  /** Request the next tariff day even if its colour is final, and history again if it has left days out. */
  recheck: boolean;
}

/** The requests of one poll, the most important first: if the service fails on the way, the least is missed. */
export function planRequests(input: PlanInput): Request[] {
  const { tariff, now, lastAnswered, recheck } = input;
  const today = civilDate(now, tariff.time_zone);
  const isHistoryDue = lastAnswered.history !== today || (recheck && missingDay(input, today) !== undefined);
  const requests: Request[] = [{ kind: "forecasts" }];
  for (const date of datesToRequest(input)) requests.push({ kind: "date", date });
  if (lastAnswered.season !== tariffDate(now, tariff)) requests.push({ kind: "season" });
  if (isHistoryDue) requests.push(historyRequest(input, today));
  return requests.filter(({ kind }) => mayBeAskedAgain(kind, input.failures, now, tariff));
}

/** The requests that an answer makes necessary at once. */
export function planFollowUps(answer: Answer, before: KnownDays, input: PlanInput): Request[] {
  switch (answer.kind) {
    case "forecasts":
      return contradictedDates(answer, input);
    case "date":
      return isNewlyOfficial(answer.day.date, before, input.knownDays) &&
        mayBeAskedAgain("season", input.failures, input.now, input.tariff)
        ? [{ kind: "season" }]
        : [];
    case "season":
    case "history":
      return [];
  }
}

/** The dates for which the forecasts name another colour than the official one: it may have been corrected. */
function contradictedDates(answer: Answer & { kind: "forecasts" }, input: PlanInput): Request[] {
  const inForce = tariffDate(input.now, input.tariff);
  return answer.days
    .filter(({ date, color }) => {
      const { service_word, rte_word } = input.knownDays.days[date] ?? {};
      const isOther = [service_word, rte_word].some((word) => word && word.color !== color);
      return date >= inForce && color !== null && isOther;
    })
    .map(({ date }) => ({ kind: "date", date }));
}

function isNewlyOfficial(date: IsoDate, before: KnownDays, after: KnownDays): boolean {
  return before.days[date]?.service_word === undefined && after.days[date]?.service_word !== undefined;
}

/**
 * Tomorrow until the service has confirmed its colour; today and the tariff day in force (before 06:00 that is yesterday)
 * until the service has named them as official; with `recheck` the next tariff day in any case.
 */
function datesToRequest({ knownDays, tariff, now, recheck }: PlanInput): IsoDate[] {
  const inForce = tariffDate(now, tariff);
  const today = civilDate(now, tariff.time_zone);
  const tomorrow = addDays(today, 1);
  const word = (date: IsoDate) => knownDays.days[date]?.service_word;
  const dates = [
    ...(recheck ? [addDays(inForce, 1)] : []),
    ...(word(tomorrow)?.confirmed ? [] : [tomorrow]),
    ...[today, inForce].filter((date) => word(date) === undefined),
  ];
  return [...new Set(dates)];
}

/** A year at first, then two weeks, or as far back as a day of this season is missing. */
function historyRequest(input: PlanInput, today: IsoDate): Request {
  if (input.lastAnswered.history === null) {
    return { kind: "history", start: earlier(seasonStart(input), addDays(today, -364)), end: today };
  }
  const recent = addDays(today, -13);
  return { kind: "history", start: earlier(missingDay(input, today) ?? recent, recent), end: today };
}

/** The first day of this season that the service has not named as official: its days cannot be counted then. */
function missingDay(input: PlanInput, today: IsoDate): IsoDate | undefined {
  const { days } = input.knownDays;
  return datesBetween(seasonStart(input), today).find((date) => days[date]?.service_word === undefined);
}

function seasonStart({ tariff, now }: PlanInput): IsoDate {
  return seasonOf(tariffDate(now, tariff)).start;
}

function earlier(one: IsoDate, other: IsoDate): IsoDate {
  return one < other ? one : other;
}
