import type { Clocks } from "../calendar/clocks.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { PollOutcome } from "../facts/poll-record.ts";
import type { SourceRecord } from "../facts/source-record.ts";
import { blocksAllRequests, describeFailures, type RequestFailure } from "./request-failure.ts";
import { noRequestTimes, type RequestKind, type RequestTimes } from "./request-times.ts";
import type {
  DueRequest,
  Poll,
  PollContext,
  PollNews,
  Source,
  SourceAnswer,
  SourceContext,
  SourceKept,
  SourcePart,
} from "./source.ts";

/**
 * The polls of one source, as data. A poll sends its requests one after the other, then those that their answers make
 * necessary; each one once. It ends early when all other requests would fail, too, and after four minutes.
 *
 * | what happens                              | what takes it                                                       |
 * |-------------------------------------------|---------------------------------------------------------------------|
 * | time goes on, something was learnt        | `endIfOver`, then `beginIfDue`: call them once a minute at least     |
 * | a command asks for a poll                 | `takeCommand`                                                       |
 * | a request failed and is tried again       | `takeTried`                                                         |
 * | a request was answered                    | the days learn from it, then `takeFollowUps`, then `takeAnswered`   |
 * | a request has failed                      | `takeFailed`                                                        |
 * | the client has counted or learnt          | `takeMemory`                                                        |
 *
 * After each of them the request under way has to be `nextRequest`, and what is in `news` has to be told.
 */

/** A poll ends after this, answered or not. */
export const POLL_LIMIT = 240_000;

export function startSource(kept: SourceKept, record: SourceRecord): SourcePart {
  return {
    kept,
    passing: {
      poll: null,
      requestTimes: noRequestTimes(kept.sent_at),
      record,
      hasFailed: false,
      hasAnswered: record.last_success !== null,
      isPolled: false,
      news: [],
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

/** To be called once the news were told. */
export function withoutNews(part: SourcePart): SourcePart {
  return part.passing.news.length === 0 ? part : withPassing(part, { news: [] });
}

/** Starts no second poll: one that is due meanwhile stays due, and starts at a later call. */
export function beginIfDue(part: SourcePart, at: Clocks, context: PollContext): SourcePart {
  if (part.passing.poll) return part;
  return beginPoll(part, context.source.findDue(part, at, context), at);
}

/** Ends a poll that has lasted too long. */
export function endIfOver(part: SourcePart, at: Clocks, context: SourceContext): SourcePart {
  const { poll } = part.passing;
  const [due] = poll?.queue ?? [];
  if (!poll || !due || at.steady - poll.since < POLL_LIMIT) return part;
  // What ended the retries says less than the failure that made them necessary.
  const sentence = poll.lastFailure ?? describeSlowness(context.source);
  return endPoll(part, withFailure(poll, due, { kind: "other", sentence }), at, context);
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
    answers: 0,
    failures: [],
    unanswered: [],
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
  context: PollContext,
): SourcePart {
  const begun = part.passing.poll
    ? part
    : beginPoll(part, context.source.findForCommand(part, at, context), at);
  const { poll } = begun.passing;
  return poll ? withPassing(begun, { poll: { ...poll, command } }) : begun;
}

/** An event of a request that is not under way any more is not taken. */
interface RequestEvent {
  due: DueRequest;
}

/** `isPause`: after a 429, which is in the log already. */
export interface TriedEvent extends RequestEvent {
  failure: string;
  isPause: boolean;
}

/** A request failed, and is tried again. A command is told its first failure at once: a poll tries again for minutes. */
export function takeTried(
  part: SourcePart,
  { due, failure, isPause }: TriedEvent,
  _at: Clocks,
  { source, trueTime }: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  const { record, hasFailed, hasAnswered, news } = part.passing;
  if (isPause) return withPassing(part, { poll: { ...poll, lastFailure: failure } });
  const outcome: PollOutcome = { answers: 0, failures: [failure] };
  // Before the first answer ever there is nothing else to show, and a poll that fails may take minutes.
  const isShown = record.last_success === null;
  const shown = isShown ? source.recordOutcome(record, outcome, [due.request.kind], trueTime) : record;
  const first: PollNews[] = hasFailed ? [] : [{ kind: "first failure", outcome, hasAnswered }];
  const taken = withPassing(part, {
    poll: { ...poll, lastFailure: failure, command: null },
    record: shown,
    hasFailed: true,
    news: [...news, ...first, ...toldTo(poll, outcome)],
  });
  return keepRecord(taken, source);
}

export interface AnsweredEvent extends RequestEvent {
  answer: SourceAnswer;
  /** What was known before it. If vigie has learnt nothing from it, by an error of its own, it is an answer all the same. */
  before: KnownDays;
}

/** The requests that the answer makes necessary, before it is taken as an answer: an error here does not undo that. */
export function takeFollowUps(
  part: SourcePart,
  { due, answer, before }: AnsweredEvent,
  _at: Clocks,
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

export function takeAnswered(
  part: SourcePart,
  { due, answer, before }: AnsweredEvent,
  at: Clocks,
  context: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  const { source, trueTime, tariff, knownDays: after } = context;
  const failure = source.findFailure(answer, trueTime, tariff);
  if (failure) return goOn(part, withFailure(poll, due, failure), at, context);
  const { requestTimes, record } = part.passing;
  const answered = { ...requestTimes.answered, [due.request.kind]: at.now };
  const taken: SourcePart = {
    kept: source.keepAnswer(part.kept, answer, trueTime, tariff),
    passing: {
      ...part.passing,
      requestTimes: { ...requestTimes, answered },
      record: source.recordAnswer(record, { answer, at: trueTime, before, after }),
    },
  };
  return goOn(keepRecord(taken, source), { ...poll, answers: poll.answers + 1 }, at, context);
}

export interface FailedEvent extends RequestEvent {
  failure: RequestFailure;
}

export function takeFailed(
  part: SourcePart,
  { due, failure }: FailedEvent,
  at: Clocks,
  context: SourceContext,
): SourcePart {
  const poll = pollOf(part, due);
  if (!poll) return part;
  const failed = withFailure(poll, due, failure);
  return blocksAllRequests(failure) ? endPoll(part, failed, at, context) : goOn(part, failed, at, context);
}

/** What the client has counted and learnt; the state file holds it. */
export function takeMemory(part: SourcePart, memory: SourceKept): SourcePart {
  // These are the part's own.
  const { asked, failures, failing_since } = part.kept;
  const own = {
    ...(asked && { asked }),
    ...(failures && { failures }),
    ...(failing_since !== undefined && { failing_since }),
  };
  return { ...part, kept: { ...memory, ...own } };
}

/** With the next request, or without one. */
function goOn(part: SourcePart, poll: Poll, at: Clocks, context: SourceContext): SourcePart {
  const queue = poll.queue.slice(1);
  if (queue.length === 0) return endPoll(part, poll, at, context);
  const requestTimes = noteDifferences(part, poll, at, context);
  return withPassing(part, { poll: { ...poll, queue, lastFailure: null }, requestTimes });
}

function endPoll(part: SourcePart, poll: Poll, at: Clocks, context: SourceContext): SourcePart {
  const { source, trueTime } = context;
  const { record, hasAnswered, news } = part.passing;
  const { answers, unanswered } = poll;
  const outcome = { failures: describeFailures(source, poll.failures, answers), answers };
  const failed = unanswered.filter((_, index) => poll.failures[index]?.kind !== "budget_spent");
  const kept = source.keepFailures(part.kept, failed, trueTime, context.tariff);
  const ended = withPassing(kept === part.kept ? part : { ...part, kept }, {
    poll: null,
    requestTimes: noteDifferences(part, poll, at, context),
    record: isStillFailing(kept, outcome)
      ? record
      : source.recordOutcome(record, outcome, unanswered, trueTime),
    hasAnswered: hasAnswered || answers > 0,
    isPolled: true,
    news: [...news, ...toldTo(poll, outcome), { kind: "polled", outcome, hasAnswered }],
  });
  return keepRecord(ended, source);
}

/** A request that failed and was not part of this poll is not answered again. */
function isStillFailing({ failures = {} }: SourceKept, outcome: PollOutcome): boolean {
  return outcome.failures.length === 0 && Object.keys(failures).length > 0;
}

/** The first request of the poll is over, and only one of this kind has asked about the differences. */
function noteDifferences(
  { passing: { requestTimes } }: SourcePart,
  { queue: [over] }: Poll,
  at: Clocks,
  context: SourceContext,
): RequestTimes {
  const { differences } = context.source;
  if (!differences || over?.request.kind !== differences.askedBy) return requestTimes;
  return { ...requestTimes, differences: differences.find(at, context) };
}

function toldTo({ command }: Poll, outcome: PollOutcome): PollNews[] {
  return command === null ? [] : [{ kind: "command", command, outcome }];
}

function keepRecord(part: SourcePart, source: Source): SourcePart {
  const kept = source.keepRecord(part.kept, part.passing.record);
  return kept === part.kept ? part : { ...part, kept };
}

/** The poll in which this request is under way. */
function pollOf({ passing: { poll } }: SourcePart, due: DueRequest): Poll | null {
  return poll?.queue[0] === due ? poll : null;
}

function withFailure(poll: Poll, { request }: DueRequest, failure: RequestFailure): Poll {
  const unanswered: RequestKind[] = [...poll.unanswered, request.kind];
  return { ...poll, failures: [...poll.failures, failure], unanswered };
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

function withPassing(part: SourcePart, changed: Partial<SourcePart["passing"]>): SourcePart {
  return { ...part, passing: { ...part.passing, ...changed } };
}

function describeSlowness({ name }: Source): string {
  const minutes = POLL_LIMIT / 60_000;
  return `The poll was ended after ${minutes} minutes, as the ${name} was too slow; the next poll asks again`;
}
