import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { Answer, OfficialAnswer, OfficialRequest, Request } from "../contract/answer.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { LogLine } from "../log/log-line.ts";
import type { Problem } from "../log/problem.ts";
import type { PollCounts } from "./poll-outcome.ts";
import type { DuePoll, PollLines, PollTime } from "./poll-times.ts";
import type { RequestFailure } from "./request-failure.ts";
import type { RequestKind, RequestTimes } from "./request-times.ts";
import type { SourceKept } from "./source-kept.ts";

/** A source that vigie asks: each of the two is one value of this type, in a file of its own, which holds all that differs. */
export interface Source {
  id: SourceId;
  /** In messages, after "the". */
  name: string;
  /** Who says what it answers. */
  speaker: string;
  /** What is said if every request meets a 404. */
  wrongAddress: string;
  /** Requests a day; only essential ones are sent beyond it. */
  budget: number;
  /** What is said when they are used up, and when that is over. */
  spentBudget: Problem;
  /** The request for today and tomorrow, which is what a command asks for. */
  main: RequestKind;
  /** When it is asked. */
  times(part: SourcePart, context: SourceContext): readonly PollTime[];
  /** The requests of a poll if this is due, the most important first. */
  plan(due: readonly DuePoll[], part: SourcePart, context: SourceContext): readonly DueRequest[];
  /** The requests that an answer makes necessary at once. `context` is that after the answer was learnt, `before` is what was known before. */
  findFollowUps(
    event: { answer: SourceAnswer; before: KnownDays },
    part: SourcePart,
    context: SourceContext,
  ): readonly SourceRequest[];
  /** What is known of the days after an answer. */
  learn(
    before: KnownDays,
    answer: SourceAnswer,
    now: Instant,
    tariff: Tariff,
    made_at: Instant,
    seen_at: Instant,
  ): KnownDays;
  /** Why an answer that came at this instant counts as a failure, although what it says counts; null if it does not. */
  findFailure(answer: SourceAnswer, now: Instant, tariff: Tariff): RequestFailure | null;
  /** Sentences for the log: what of an answer that came at this instant is asked for and cannot be used. */
  describeUnusable(answer: SourceAnswer, now: Instant, tariff: Tariff): readonly string[];
}

export type SourceRequest = Request | OfficialRequest;
export type SourceAnswer = Answer | OfficialAnswer;

/** A source, as far as it is known. */
export interface SourcePart {
  kept: SourceKept;
  passing: SourcePassing;
}

/** What ends with the process. */
export interface SourcePassing {
  /** null: none is under way. */
  poll: Poll | null;
  requestTimes: RequestTimes;
  /** The first failure since the start. That of the first poll is said before its poll is over. */
  firstFailure: string | null;
  /** A poll has ended since the start, with or without an answer. */
  isPolled: boolean;
  counts: PollCounts;
  /** What is to be logged. */
  said: readonly LogLine[];
}

export interface Poll {
  /** When it began, by the clock that is never set. */
  since: number;
  /** The first one is under way. Each is the same object as long as it is the same request. */
  queue: readonly DueRequest[];
  /** All that are or were in the queue. */
  planned: ReadonlySet<string>;
  answered: readonly RequestKind[];
  failures: readonly FailedRequest[];
  /** Why the request under way was tried again last. */
  lastFailure: string | null;
  /** The command that waits for its outcome: the topic. */
  command: string | null;
}

export interface FailedRequest {
  kind: RequestKind;
  failure: RequestFailure;
}

export interface DueRequest {
  request: SourceRequest;
  /** Sent even when the day's budget of requests is spent. */
  essential: boolean;
}

/** What a source needs to know beside itself. */
export interface SourceContext {
  source: Source;
  tariff: Tariff;
  knownDays: KnownDays;
  /** What time it is, as far as vigie knows. */
  trueTime: Instant;
  /** Milliseconds from this machine's clock to the true time, as a source told it: 0 while the clock counts as right. */
  behind: number;
  /** When this installation may ask. */
  pollLines: PollLines;
}
