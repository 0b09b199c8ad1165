import { addDays, civilDate, tariffDate } from "../core/calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import type { KnownDays } from "../core/days/known-days.ts";

/** The civil dates on which the rarer questions were last answered. Kept in the state file. */
export interface Asked {
  season: IsoDate | null;
  history: IsoDate | null;
}

export interface AgendaInput {
  knownDays: KnownDays;
  tariff: Tariff;
  now: Instant;
  asked: Asked;
  /** The date endpoint never says what is official: it is not asked for that. */
  officialSilent: boolean;
  /** At 18:00 and 05:50 even a final colour of the next tariff day is asked once more. */
  confirm: boolean;
}

/** What one poll asks, in order of worth: an outage in its middle costs the least. */
export function planAgenda(input: AgendaInput): Request[] {
  const { tariff, now, asked } = input;
  const today = civilDate(now, tariff.time_zone);
  const requests: Request[] = [{ kind: "forecasts" }];
  for (const date of unsettledDates(input)) requests.push({ kind: "date", date });
  if (asked.season !== today) requests.push({ kind: "season" });
  if (asked.history !== today) requests.push(historyRequest(input, today));
  return requests;
}

/** What an answer makes worth asking at once. */
export function planFollowUps(answer: Answer, before: KnownDays, input: AgendaInput): Request[] {
  switch (answer.kind) {
    case "forecasts":
      return input.officialSilent ? [] : planContradictions(answer, input);
    case "date":
      return isNewlyOfficial(answer.day.date, before, input.knownDays) ? [{ kind: "season" }] : [];
    case "season":
    case "history":
      return [];
  }
}

/** What was just answered, on the civil date of the answer. */
export function markAsked(asked: Asked, answer: Answer, now: Instant, tariff: Tariff): Asked {
  if (answer.kind !== "season" && answer.kind !== "history") return asked;
  return { ...asked, [answer.kind]: civilDate(now, tariff.time_zone) };
}

/** The dates on which the forecasts deny an official colour. */
function planContradictions(answer: Answer & { kind: "forecasts" }, input: AgendaInput): Request[] {
  const inForce = tariffDate(input.now, input.tariff);
  return answer.days
    .filter(({ date, color }) => {
      const official = input.knownDays.days[date]?.official;
      return date >= inForce && color !== null && official !== undefined && official.color !== color;
    })
    .map(({ date }) => ({ kind: "date", date }));
}

function isNewlyOfficial(date: IsoDate, before: KnownDays, after: KnownDays): boolean {
  return before.days[date]?.official === undefined && after.days[date]?.official !== undefined;
}

/** Of the tariff day in force, today, tomorrow and the next tariff day: those whose colour may still change. */
function unsettledDates({ knownDays, tariff, now, officialSilent, confirm }: AgendaInput): IsoDate[] {
  if (officialSilent) return [];
  const inForce = tariffDate(now, tariff);
  const next = addDays(inForce, 1);
  const today = civilDate(now, tariff.time_zone);
  const tomorrow = addDays(today, 1);
  const unsettled = (date: IsoDate) =>
    date <= today
      ? knownDays.days[date]?.official === undefined
      : knownDays.days[date]?.official?.final !== true;
  const dates = [tomorrow, today, inForce].filter(unsettled);
  return [...new Set(confirm ? [next, ...dates] : dates)];
}

/** A year at first, then two weeks; further back where days of this season are missing. */
function historyRequest({ knownDays, tariff, now, asked }: AgendaInput, today: IsoDate): Request {
  const season = seasonOf(tariffDate(now, tariff)).start;
  if (asked.history === null)
    return { kind: "history", start: earlier(season, addDays(today, -364)), end: today };
  const recent = addDays(today, -13);
  return { kind: "history", start: firstMissing(knownDays, season, recent) ?? recent, end: today };
}

function firstMissing(knownDays: KnownDays, from: IsoDate, before: IsoDate): IsoDate | undefined {
  for (let date = from; date < before; date = addDays(date, 1)) {
    if (knownDays.days[date]?.official === undefined) return date;
  }
  return undefined;
}

function earlier(one: IsoDate, other: IsoDate): IsoDate {
  return one < other ? one : other;
}
