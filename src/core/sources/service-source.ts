import type { Clocks } from "../calendar/clocks.ts";
import type { Answer } from "../contract/answer.ts";
import { endpoints } from "../contract/endpoints.ts";
import type { KnownDays } from "../days/known-days.ts";
import { learn } from "../days/learn.ts";
import { type PlanInput, planFollowUps, planRequests } from "./plan-requests.ts";
import { type DuePoll, duePoll } from "./poll-times.ts";
import type { DueRequest, PollContext, Source, SourceContext, SourcePart } from "./source.ts";

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
  findDue: (part, at, context) => {
    const due = findDue(part, at, context);
    return due ? planPoll(due, part, context) : [];
  },
  // If the hourly poll is due, this poll counts as it. So repeated presses do not delay it.
  findForCommand: (part, at, context) => {
    const essential = findDue(part, at, context)?.essential ?? false;
    return planPoll({ essential, recheck: true }, part, context);
  },
  findFollowUps: ({ answer, before }: { answer: Answer; before: KnownDays }, part, context) =>
    planFollowUps(answer, before, planInput(part, context, false)),
  learn,
  findFailure: () => null,
  // Its client warns of them.
  describeUnusable: () => [],
};

/**
 * While the sources say that this machine's clock is wrong, polls come by their time. When the last one was is kept by this
 * machine's clock, and shifted alike: a time that changes with each answer makes no poll due.
 */
function findDue({ passing }: SourcePart, { now }: Clocks, context: PollContext): DuePoll | null {
  const { times, tariff, knownDays, offset, behind } = context;
  const { polled, before_start } = passing.requestTimes;
  const last = polled.forecasts ?? before_start;
  const input = { poll: times, tariff, knownDays, offset };
  const due = duePoll(now + behind, last === null ? null : last + behind, input);
  if (polled.forecasts !== undefined) return due;
  // A start polls at once. But it goes beyond the day's budget only if an hourly poll was due since the last request:
  // vigie may be killed and started again every ten seconds.
  return { essential: due?.essential ?? false, recheck: true };
}

/** The requests of one poll. */
export function planPoll(
  { essential, recheck }: DuePoll,
  part: SourcePart,
  context: SourceContext,
): DueRequest[] {
  return planRequests(planInput(part, context, recheck)).map((request) => ({ request, essential }));
}

function planInput(
  { kept: { asked: lastAnswered, failures } }: SourcePart,
  { knownDays, tariff, trueTime: now }: SourceContext,
  recheck: boolean,
): PlanInput {
  return { knownDays, lastAnswered, failures, tariff, now, recheck };
}
