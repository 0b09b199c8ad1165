import { addDays, civilDate, tariffDate, wallTime } from "../calendar/dates.ts";
import type { Instant, IsoDate } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { OfficialAnswer } from "../contract/answer.ts";
import { officialEndpoints } from "../contract/endpoints.ts";
import { learnOfficial } from "../days/learn.ts";
import { describeUnusable, whyFailure } from "../days/official-answer.ts";
import { mayBeAskedAgain } from "./keep-answers.ts";
import { type PollTime, recheckTimes } from "./poll-times.ts";
import { describeUnreadable } from "./request-failure.ts";
import type { DueRequest, Source, SourceContext, SourcePart } from "./source.ts";

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
  times: (part, context) => [...timesOfDays(part, context), ...timesOfSeason(part, context)],
  plan: (due, part, context) =>
    due.flatMap(({ asks, isEssential: essential }): DueRequest[] => {
      if (asks === "light") return [{ request: { kind: "light" }, essential }];
      const { trueTime, tariff } = context;
      if (!mayBeAskedAgain("season", part.kept.failures, trueTime, tariff)) return [];
      const { label } = seasonOf(tariffDate(trueTime, tariff));
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
 * Today and tomorrow: in the hours of the announcement until tomorrow is confirmed, and after them hourly until the next day is. And
 * hourly while the two sources name different colours, or RTE does not answer: one failure at 18:00 must not stand all night.
 */
function timesOfDays({ kept }: SourcePart, context: SourceContext): PollTime[] {
  const { pollLines, tariff, knownDays } = context;
  const { announcement, afterAnnouncement, hourly } = pollLines;
  const asks = "light";
  const word = (date: IsoDate) => knownDays.days[date]?.rte_word;
  const today = (at: Instant) => civilDate(at, tariff.time_zone);
  const tomorrow = (at: Instant) => addDays(today(at), 1);
  const awaited = (at: Instant) => (timeOfDay(at, context) < tariff.day_starts_at ? today(at) : tomorrow(at));
  return [
    { cron: afterAnnouncement, asks, holds: (at) => !word(awaited(at))?.confirmed, isEssential: true },
    { cron: announcement.quarterHourly, asks, holds: (at) => word(tomorrow(at)) === undefined },
    { cron: announcement.halfHourly, asks, holds: (at) => word(tomorrow(at))?.confirmed === false },
    { cron: hourly, asks, holds: (at) => kept.failing !== null || doSourcesDiffer(at, context) },
    ...recheckTimes(pollLines, asks),
  ];
}

/** Once a day at night; if it fails, again as soon as it may be. */
function timesOfSeason(part: SourcePart, context: SourceContext): PollTime[] {
  const { pollLines, tariff } = context;
  const { night, quarterHourly } = pollLines;
  const { failures } = part.kept;
  const mayBeRetried = (at: Instant) =>
    failures.season !== undefined && mayBeAskedAgain("season", failures, at, tariff);
  return [
    { cron: night, asks: "season", holds: () => true },
    { cron: quarterHourly, asks: "season", holds: mayBeRetried },
  ];
}

/** Whether the two sources name different colours for the day in force, the next one or tomorrow. */
function doSourcesDiffer(at: Instant, { tariff, knownDays: { days } }: SourceContext): boolean {
  const inForce = tariffDate(at, tariff);
  const tomorrow = addDays(civilDate(at, tariff.time_zone), 1);
  return [inForce, addDays(inForce, 1), tomorrow].some((date) => {
    const { rte_word, service_word, forecast } = days[date] ?? {};
    const color = service_word?.color ?? forecast?.color ?? null;
    return rte_word !== undefined && color !== null && rte_word.color !== color;
  });
}

/** `06:30:00` */
function timeOfDay(at: Instant, { tariff }: SourceContext): string {
  return wallTime(at, tariff.time_zone).slice("2026-01-05T".length);
}
