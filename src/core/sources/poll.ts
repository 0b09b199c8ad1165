import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { LogLine } from "../log/log-line.ts";
import { keepAnswered, keepFailing, keepOutcome } from "./keep-answers.ts";
import { commandLine, countPoll, NO_POLLS, type PollOutcome } from "./poll-outcome.ts";
import { type DuePoll, findDue, nextPollTime } from "./poll-times.ts";
import { blocksAllRequests, describeFailures, type RequestFailure } from "./request-failure.ts";
import { noRequestTimes, type RequestTimes, shiftTimes } from "./request-times.ts";
import type {
  DueRequest,
  Poll,
  Source,
  SourceAnswer,
  SourceContext,
  SourcePart,
  SourcePassing,
} from "./source.ts";
import type { ClientMemory, SourceKept } from "./source-kept.ts";

/**
 * The polls of one source, as data. A poll sends its requests one after the other, then those that their answers make
 * necessary; each one once. It ends early when all other requests would fail, too, and after four minutes.
 *
 * | what happens                              | what takes it                                                       |
 * |-------------------------------------------|---------------------------------------------------------------------|
 * | time goes on, something was learnt        | `endIfOver`, then `beginIfDue`: call them at `pollEnd` and `nextPoll` |
 * | a command asks for a poll                 | `takeCommand`                                                       |
 * | a request failed and is tried again       | `takeTried`                                                         |
 * | a request was answered                    | the days learn from it, then `takeFollowUps`, then `takeAnswered`   |
 * | a request has failed                      | `takeFailed`                                                        |
 * | the client has counted or learnt          | `takeMemory`                                                        |
 *
 * After each of them the request under way has to be `nextRequest`, and what is in `said` has to be logged.
 */

/** A poll ends after this, answered or not. */
export const POLL_LIMIT = 240_000;

/** `before`: what is known of it before a reload. */
export function startSource(kept: SourceKept, before: Partial<SourcePassing> = {}): SourcePart {
  const { firstFailure = null, isPolled = false, counts = NO_POLLS } = before;
  return {
    kept,
    passing: {
      poll: null,
      requestTimes: noRequestTimes(kept.sent_at),
      firstFailure,
      isPolled,
      counts,
      said: [],
    },
  };
}

/** All that is asked at a start is due again. */
export function askAgain(part: SourcePart): SourcePart {
  return withPassing(part, { requestTimes: noRequestTimes(part.kept.sent_at) });
}

/** The request that has to be under way now; null: none. The same object as long as it is the same request. */
export function nextRequest({ passing: { poll } }: SourcePart): DueRequest | null {
  return poll?.queue[0] ?? null;
}

/** When time alone ends the poll that is under way, by the clock that is never set. */
export function pollEnd({ passing: { poll } }: SourcePart): number | null {
  return poll && poll.since + POLL_LIMIT;
}

/** Starts no second poll: one that is due meanwhile stays due, and starts at a later call. */
export function beginIfDue(part: SourcePart, at: Clocks, context: SourceContext): SourcePart {
  if (part.passing.poll) return part;
  return beginPoll(part, context.source.plan(dueNow(part, at, context), part, context), at);
}

/** When the next poll is due, by this machine's clock. */
export function nextPoll(part: SourcePart, { now }: Clocks, context: SourceContext): Instant {
  const { source, behind } = context;
  return nextPollTime(source.times(part, context), now + behind) - behind;
}

/**
 * While the sources say that this machine's clock is wrong, polls come by their time. When the last one was is kept by this
 * machine's clock, and shifted alike: a time that changes with each answer makes no poll due.
 */
function dueNow(part: SourcePart, { now }: Clocks, context: SourceContext): DuePoll[] {
  const { source, behind } = context;
  return findDue(source.times(part, context), shiftTimes(part.passing.requestTimes, behind), now + behind);
}

/** Ends a poll that has lasted too long. */
export function endIfOver(part: SourcePart, at: Clocks, context: SourceContext): SourcePart {
  const { poll } = part.passing;
  const [due] = poll?.queue ?? [];
  if (!poll || !due || at.steady - poll.since < POLL_LIMIT) return part;
  // What ended the retries says less than the failure that made them necessary.
  const sentence = poll.lastFailure ?? describeSlowness(context.source);
  return endPoll(part, withFailure(poll, due, { kind: "other", sentence }), context);
}

/** A poll of these requests, the most important first; with none of them there is no poll. No other may be under way. */
export function beginPoll(
  part: SourcePart,
  requests: readonly DueRequest[],
  { now, steady }: Clocks,
): SourcePart {
  if (requests.length === 0) return part;
  const { requestTimes } = part.passing;
  const polled = { ...requestTimes.polled };
  for (const { request } of requests) polled[request.kind] = now;
  const poll: Poll = {
    since: steady,
    ...extend({ queue: [], planned: new Set() }, requests),
    answered: [],
    failures: [],
    lastFailure: null,
    command: null,
  };
  return withPassing(part, { poll, requestTimes: { ...requestTimes, polled } });
}

/** If a poll runs already, the command starts no other, and is told of that one. */
export function takeCommand(
  part: SourcePart,
  { command }: { command: string },
  at: Clocks,
  context: SourceContext,
): SourcePart {
  const begun = part.passing.poll ? part : beginForCommand(part, at, context);
  const { poll } = begun.passing;
  return poll ? withPassing(begun, { poll: { ...poll, command } }) : begun;
}

/** If the hourly poll is due, this poll counts as it. So repeated presses do not delay it. */
function beginForCommand(part: SourcePart, at: Clocks, context: SourceContext): SourcePart {
  const { source } = context;
  const due = dueNow(part, at, context);
  const isMainDue = due.some(({ asks }) => asks === source.main);
  const all = isMainDue ? due : [{ asks: source.main, isEssential: false, isRecheck: true }, ...due];
  const rechecked = all.map((one) => ({ ...one, isRecheck: true }));
  return beginPoll(part, source.plan(rechecked, part, context), at);
}

/** An event of a request that is not under way any more is not taken. */
interface RequestEvent {
  due: DueRequest;
}

/** `isPause`: after a 429, which is in the log already. */
interface TriedRequest extends RequestEvent {
  failure: string;
  isPause: boolean;
}

/** A request failed, and is tried again. A command is told its first failure at once: a poll tries again for minutes. */
export function takeTried(
  part: SourcePart,
  { due, failure, isPause }: TriedRequest,
  { source, trueTime }: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  if (isPause) return withPassing(part, { poll: { ...poll, lastFailure: failure } });
  const { kept, passing } = part;
  // Before the first answer ever there is nothing else to show, and a poll that fails may take minutes.
  const isShown = kept.answered_at === null;
  return {
    kept: isShown ? keepFailing(kept, failure, trueTime) : kept,
    passing: {
      ...passing,
      poll: { ...poll, lastFailure: failure, command: null },
      firstFailure: passing.firstFailure ?? failure,
      said: [...passing.said, ...toldTo(poll, source, { answers: 0, failures: [failure] })],
    },
  };
}

interface AnsweredRequest extends RequestEvent {
  answer: SourceAnswer;
}

/**
 * The requests that the answer makes necessary, before it is taken as an answer: an error here does not undo that. `before`: what was
 * known before it.
 */
export function takeFollowUps(
  part: SourcePart,
  { due, answer, before }: AnsweredRequest & { before: KnownDays },
  context: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  const requests = context.source.findFollowUps({ answer, before }, part, context);
  if (requests.length === 0) return part;
  const { essential } = due;
  const more = requests.map((request) => ({ request, essential }));
  return withPassing(part, { poll: { ...poll, ...extend(poll, more) } });
}

/** If vigie has learnt nothing from it, by an error of its own, it is an answer all the same. */
export function takeAnswered(
  part: SourcePart,
  { due, answer }: AnsweredRequest,
  context: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  const { source, trueTime, tariff } = context;
  const failure = source.findFailure(answer, trueTime, tariff);
  if (failure) return goOn(part, withFailure(poll, due, failure), context);
  const { kind } = due.request;
  const kept = keepAnswered(part.kept, kind, trueTime, tariff);
  return goOn({ ...part, kept }, { ...poll, answered: [...poll.answered, kind] }, context);
}

export function takeFailed(
  part: SourcePart,
  { due, failure }: RequestEvent & { failure: RequestFailure },
  context: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  const failed = withFailure(poll, due, failure);
  return blocksAllRequests(failure) ? endPoll(part, failed, context) : goOn(part, failed, context);
}

/** What the client has counted and learnt; the state file holds it. */
export function takeMemory(part: SourcePart, memory: ClientMemory): SourcePart {
  return { ...part, kept: { ...part.kept, ...memory } };
}

/** With the next request, or without one. */
function goOn(part: SourcePart, poll: Poll, context: SourceContext): SourcePart {
  const queue = poll.queue.slice(1);
  if (queue.length === 0) return endPoll(part, poll, context);
  return withPassing(part, { poll: { ...poll, queue, lastFailure: null } });
}

function endPoll({ kept, passing }: SourcePart, poll: Poll, context: SourceContext): SourcePart {
  const { source, trueTime, tariff } = context;
  const { answered } = poll;
  const answers = answered.length;
  const failed = describeFailures(source, poll.failures, answers);
  const outcome = { answers, failures: [...new Set(failed.map(({ sentence }) => sentence))] };
  return {
    kept: keepOutcome(kept, failed, { answered, at: trueTime, tariff }),
    passing: {
      ...passing,
      poll: null,
      requestTimes: withoutUnsent(passing.requestTimes, poll),
      isPolled: true,
      counts: countPoll(passing.counts, outcome),
      said: [...passing.said, ...toldTo(poll, source, outcome)],
    },
  };
}

/** What a poll that ends early has not asked is still due. */
function withoutUnsent(times: RequestTimes, { queue: [, ...unsent] }: Poll): RequestTimes {
  const polled = { ...times.polled };
  for (const { request } of unsent) delete polled[request.kind];
  return { ...times, polled };
}

function toldTo({ command }: Poll, source: Source, outcome: PollOutcome): LogLine[] {
  return command === null ? [] : [commandLine(source, command, outcome)];
}

/** The poll in which this request is under way. */
function pollOf({ passing: { poll } }: SourcePart, due: DueRequest): Poll | null {
  return poll?.queue[0] === due ? poll : null;
}

function withFailure(poll: Poll, { request }: DueRequest, failure: RequestFailure): Poll {
  return { ...poll, failures: [...poll.failures, { kind: request.kind, failure }] };
}

/** No request comes twice in a poll. */
function extend(
  { queue, planned }: Pick<Poll, "queue" | "planned">,
  requests: readonly DueRequest[],
): Pick<Poll, "queue" | "planned"> {
  const all = new Set(planned);
  const isNew = ({ request }: DueRequest) => all.size < all.add(JSON.stringify(request)).size;
  return { queue: [...queue, ...requests.filter(isNew)], planned: all };
}

function withPassing(part: SourcePart, changed: Partial<SourcePassing>): SourcePart {
  return { ...part, passing: { ...part.passing, ...changed } };
}

function describeSlowness({ name }: Source): string {
  const minutes = POLL_LIMIT / 60_000;
  return `The poll was ended after ${minutes} minutes, as the ${name} was too slow; the next poll asks again`;
}
