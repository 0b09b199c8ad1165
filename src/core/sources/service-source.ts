import { addDays, civilDate } from "../calendar/dates.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Answer } from "../contract/answer.ts";
import { endpoints } from "../contract/endpoints.ts";
import type { KnownDays } from "../days/known-days.ts";
import { learn } from "../days/learn.ts";
import { type PlanInput, planFollowUps, planRequests } from "./plan-requests.ts";
import { type PollTime, recheckTimes } from "./poll-times.ts";
import type { Source, SourceContext, SourcePart } from "./source.ts";

export const FORECAST_SERVICE: Source = {
  id: "service",
  name: "forecast service",
  speaker: "the service",
  wrongAddress: `Check service.base_url: it is everything before ${endpoints.forecasts.path}`,
  budget: 150,
  spentBudget: {
    sentence: "vigie has sent all requests that it may send today: only the hourly poll goes on",
    over: "vigie may send requests to the service again",
  },
  main: "forecasts",
  times: pollTimes,
  plan: ([due], part, context) => {
    if (!due) return [];
    const requests = planRequests(planInput(part, context, due.isRecheck));
    return requests.map((request) => ({ request, essential: due.isEssential }));
  },
  findFollowUps: ({ answer, before }: { answer: Answer; before: KnownDays }, part, context) =>
    planFollowUps(answer, before, planInput(part, context, false)),
  learn,
  findFailure: () => null,
  // Its client warns of them.
  describeUnusable: () => [],
};

/** Often until the service names tomorrow, then seldom until it confirms it. While it does not answer, hourly at least. */
function pollTimes({ kept }: SourcePart, { pollLines, tariff, knownDays }: SourceContext): PollTime[] {
  const { every, hourly, announcement } = pollLines;
  const asks = "forecasts";
  const tomorrow = (at: Instant) => knownDays.days[addDays(civilDate(at, tariff.time_zone), 1)]?.service_word;
  return [
    { cron: every, asks, holds: () => true, isEssential: true },
    { cron: announcement.every, asks, holds: (at) => tomorrow(at) === undefined },
    { cron: announcement.seldom, asks, holds: (at) => tomorrow(at)?.confirmed === false },
    { cron: hourly, asks, holds: () => kept.failing !== null },
    ...recheckTimes(pollLines, asks),
  ];
}

function planInput(
  { kept: { asked: lastAnswered, failures } }: SourcePart,
  { knownDays, tariff, trueTime: now }: SourceContext,
  recheck: boolean,
): PlanInput {
  return { knownDays, lastAnswered, failures, tariff, now, recheck };
}
