import type { Clocks } from "../calendar/clocks.ts";
import type { Answer } from "../contract/answer.ts";
import { endpoints } from "../contract/endpoints.ts";
import type { KnownDays } from "../days/known-days.ts";
import { learn } from "../days/learn.ts";
import { recordAnswer, recordPollOutcome, startPollRecord } from "../facts/poll-record.ts";
import { isOfficialSilent } from "./client-memory.ts";
import {
  type LastAnswered,
  noteAnswered,
  noteFailures,
  type PlanInput,
  planFollowUps,
  planRequests,
  withoutFailure,
} from "./plan-requests.ts";
import { type DuePoll, duePoll } from "./poll-times.ts";
import type { DueRequest, PollContext, Source, SourceContext, SourcePart } from "./source.ts";

export const FORECAST_SERVICE: Source = {
  id: "service",
  name: "forecast service",
  shortName: "service",
  speaker: "the service",
  option: "service.base_url",
  addressAdvice: `: it is everything before ${endpoints.forecasts.path}`,
  budget: 150,
  spentBudget: {
    sentence: "vigie has sent all requests that it may send today: only the hourly poll goes on",
    over: "vigie may send requests to the service again",
  },
  retryBudget: 150,
  // A year of history has some 60 KiB.
  largestAnswer: 1024 * 1024,
  needsJsonType: true,
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
  differences: null,
  learn,
  findFailure: () => null,
  // Its client warns of them.
  describeUnusable: () => [],
  startRecord: (now, { knownDays, kind, answered }) => startPollRecord(now, knownDays, kind, answered),
  recordAnswer,
  recordOutcome: recordPollOutcome,
  keepFailures: (kept, kinds, at, tariff) => {
    const before = kept.failures ?? {};
    const failures = noteFailures(before, kinds, at, tariff);
    return failures === before ? kept : { ...kept, failures };
  },
  keepAnswer: (kept, answer: Answer, at, tariff) => {
    const asked = noteAnswered(kept.asked ?? NEVER_ANSWERED, answer, at, tariff);
    const answered = asked === kept.asked ? kept : { ...kept, asked };
    const { failures } = answered;
    return failures && answer.kind in failures
      ? { ...answered, failures: withoutFailure(failures, answer.kind) }
      : answered;
  },
  keepRecord: (kept) => kept,
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
  { kept }: SourcePart,
  { knownDays, tariff, trueTime }: SourceContext,
  recheck: boolean,
): PlanInput {
  const officialSilent = isOfficialSilent(kept, trueTime);
  const lastAnswered = kept.asked ?? NEVER_ANSWERED;
  const failures = kept.failures ?? {};
  return { knownDays, lastAnswered, failures, tariff, now: trueTime, officialSilent, recheck };
}

const NEVER_ANSWERED: LastAnswered = { season: null, history: null };
