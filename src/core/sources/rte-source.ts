import { addDays, civilDate, tariffDate, wallTime } from "../calendar/dates.ts";
import type { Instant, IsoDate } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { OfficialAnswer } from "../contract/answer.ts";
import { officialEndpoints } from "../contract/endpoints.ts";
import { learnOfficial } from "../days/learn.ts";
import { describeUnusable, whyFailure } from "../days/official-answer.ts";
import { mayBeAsked } from "./plan-requests.ts";
import type { PollTime } from "./poll-times.ts";
import { describeUnreadable } from "./request-failure.ts";
import type { DueRequest, PollContext, Source, SourcePart } from "./source.ts";

export const RTE: Source = {
  id: "official",
  name: "official source",
  speaker: "RTE",
  wrongAddress: "Check official.source",
  budget: 80,
  spentBudget: {
    sentence:
      "vigie has sent the official source all requests that it may send today: only the hourly ones and those of 18:00 and 05:50 go on",
    over: "vigie may send requests to the official source again",
  },
  main: "light",
  times: (part, context) => [...timesOfDays(context), ...timesOfSeason(part, context)],
  plan: (due, part, context) =>
    due.flatMap(({ asks, isEssential: essential }): DueRequest[] => {
      if (asks === "light") return [{ request: { kind: "light" }, essential }];
      if (!maySeasonBeAsked(part, context)) return [];
      const { label } = seasonOf(tariffDate(context.trueTime, context.tariff));
      return [{ request: { kind: "season", label }, essential }];
    }),
  findFollowUps: () => [],
  learn: learnOfficial,
  findFailure: (answer: OfficialAnswer, now, tariff) => {
    const why = whyFailure(answer, now, tariff);
    const operation = `GET ${officialEndpoints[answer.kind].path}`;
    return why === null ? null : { kind: "other", sentence: describeUnreadable(operation, why) };
  },
  describeUnusable,
};

/**
 * Today and tomorrow: in the hours of the announcement until tomorrow is confirmed, after them hourly until the day that is awaited is,
 * and hourly while the two sources name different colours.
 */
function timesOfDays(context: PollContext): PollTime[] {
  const { lines, tariff, knownDays } = context;
  const { announcement, afterAnnouncement, hourly, rechecks } = lines;
  const asks = "light";
  const word = (date: IsoDate) => knownDays.days[date]?.rte_word;
  const today = (at: Instant) => civilDate(at, tariff.time_zone);
  const tomorrow = (at: Instant) => addDays(today(at), 1);
  const awaited = (at: Instant) => (timeOfDay(at, context) < tariff.day_starts_at ? today(at) : tomorrow(at));
  return [
    { cron: afterAnnouncement, asks, holds: (at) => !word(awaited(at))?.confirmed, isEssential: true },
    { cron: announcement.quarterHourly, asks, holds: (at) => word(tomorrow(at)) === undefined },
    { cron: announcement.halfHourly, asks, holds: (at) => word(tomorrow(at))?.confirmed === false },
    { cron: hourly, asks, holds: (at) => doSourcesDiffer(at, context) },
    ...rechecks.map((cron): PollTime => ({ cron, asks, holds: () => true, isEssential: true })),
  ];
}

/** Once a day at night; if it fails, again as soon as it may be. */
function timesOfSeason(part: SourcePart, context: PollContext): PollTime[] {
  const { night, quarterHourly } = context.lines;
  const hasFailed = part.kept.failures.season !== undefined;
  return [
    { cron: night, asks: "season", holds: () => true },
    { cron: quarterHourly, asks: "season", holds: () => hasFailed && maySeasonBeAsked(part, context) },
  ];
}

function maySeasonBeAsked(
  { kept: { failures } }: SourcePart,
  { trueTime: now, tariff }: PollContext,
): boolean {
  return mayBeAsked({ kind: "season" }, { failures, now, tariff });
}

/** Whether the two sources name different colours for the day in force, the next one or tomorrow. */
function doSourcesDiffer(at: Instant, { tariff, knownDays: { days } }: PollContext): boolean {
  const inForce = tariffDate(at, tariff);
  const tomorrow = addDays(civilDate(at, tariff.time_zone), 1);
  return [inForce, addDays(inForce, 1), tomorrow].some((date) => {
    const { rte_word, service_word, forecast } = days[date] ?? {};
    const color = service_word?.color ?? forecast?.color ?? null;
    return rte_word !== undefined && color !== null && rte_word.color !== color;
  });
}

/** `06:30:00` */
function timeOfDay(at: Instant, { tariff }: PollContext): string {
  return wallTime(at, tariff.time_zone).slice("2026-01-05T".length);
}
