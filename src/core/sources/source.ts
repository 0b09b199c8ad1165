import type { Clocks } from "../calendar/clocks.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { Answer, OfficialAnswer, OfficialRequest, Request } from "../contract/answer.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { PollCounts, PollOutcome } from "../facts/poll-record.ts";
import type { ServiceKind, SourceRecord } from "../facts/source-record.ts";
import type { Problem } from "../log/problem.ts";
import type { ClientMemory } from "./client-memory.ts";
import type { Failures, LastAnswered } from "./plan-requests.ts";
import type { PollTimes } from "./poll-times.ts";
import type { RequestFailure } from "./request-failure.ts";
import type { OfficialMemory, RequestMemory } from "./request-memory.ts";
import type { RequestKind, RequestTimes } from "./request-times.ts";

/** A source that vigie asks: each of the two is one value of this type, in a file of its own, which holds all that differs. */
export interface Source {
  id: SourceId;
  /** In messages, after "the". */
  name: string;
  /** The same where only sources are spoken of. */
  shortName: string;
  /** Who says what it answers. */
  speaker: string;
  /** The option that holds its address. */
  option: string;
  /** Follows the name of that option where every request meets a 404. */
  addressAdvice: string;
  /** Requests a day; only essential ones are sent beyond it. */
  budget: number;
  /** What is said when they are used up, and when that is over. */
  spentBudget: Problem;
  /** A request is tried again only while fewer requests than this were sent on the day. */
  retryBudget: number;
  /** Bytes of an answer: larger than any right one. */
  largestAnswer: number;
  /** Whether an answer whose content type is not JSON is refused. */
  needsJsonType: boolean;
  /** The requests that are due now, the most important first. */
  findDue(part: SourcePart, at: Clocks, context: PollContext): readonly DueRequest[];
  /** The requests that a command asks for. */
  findForCommand(part: SourcePart, at: Clocks, context: PollContext): readonly DueRequest[];
  /** The requests that an answer makes necessary at once. `context` is that after the answer was learnt, `before` is what was known before. */
  findFollowUps(
    event: { answer: SourceAnswer; before: KnownDays },
    part: SourcePart,
    context: SourceContext,
  ): readonly SourceRequest[];
  /**
   * What differs between the sources, and the request that asks about it: a difference that is new since it was asked may make a
   * poll due. null: none does.
   */
  differences: { askedBy: RequestKind; find(at: Clocks, context: SourceContext): string } | null;
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
  startRecord(now: Instant, start: RecordStart): SourceRecord;
  recordAnswer(record: SourceRecord, answer: LearntAnswer): SourceRecord;
  recordOutcome(
    record: SourceRecord,
    outcome: PollOutcome,
    unanswered: readonly RequestKind[],
    at: Instant,
  ): SourceRecord;
  /** What of an answer the state file holds beside the days. */
  keepAnswer(kept: SourceKept, answer: SourceAnswer, at: Instant, tariff: Tariff): SourceKept;
  /** The same of requests of these kinds that failed. */
  keepFailures(kept: SourceKept, kinds: readonly RequestKind[], at: Instant, tariff: Tariff): SourceKept;
  /** What of its record the state file holds. */
  keepRecord(kept: SourceKept, record: SourceRecord): SourceKept;
}

/** What is known of a source at a start or a reload. */
export interface RecordStart {
  knownDays: KnownDays;
  kept: SourceKept;
  kind: ServiceKind;
  /** Before a reload: when this process had the last answer; null if it has had none. */
  answered: Instant | null;
}

/** As the views, the metrics and the state file name it. */
export type SourceId = keyof PollCounts;
export const SOURCE_IDS: readonly SourceId[] = ["service", "official"];
export type SourceRequest = Request | OfficialRequest;
export type SourceAnswer = Answer | OfficialAnswer;

/** A source, as far as it is known. */
export interface SourcePart {
  kept: SourceKept;
  passing: SourcePassing;
}

/** What the state file holds of a source beside the days: each source has only its own ones of the fields that may be absent. */
export type SourceKept = RequestMemory &
  Partial<Pick<ClientMemory, "percent" | "history_parameters" | "official_missing">> &
  Partial<Pick<OfficialMemory, "failing_since">> & { asked?: LastAnswered; failures?: Failures };

/** What ends with the process. */
export interface SourcePassing {
  /** null: none is under way. */
  poll: Poll | null;
  requestTimes: RequestTimes;
  record: SourceRecord;
  /** The first failure since the start was told. */
  hasFailed: boolean;
  /** It has answered, before this start or since. */
  hasAnswered: boolean;
  /** A poll has ended since the start, with or without an answer. */
  isPolled: boolean;
  /** What has to be told. */
  news: readonly PollNews[];
}

export interface Poll {
  /** When it began, by the clock that is never set. */
  since: number;
  /** The first one is under way. Each is the same object as long as it is the same request. */
  queue: readonly DueRequest[];
  /** All that are or were in the queue. */
  planned: ReadonlySet<string>;
  answers: number;
  failures: readonly RequestFailure[];
  /** The kinds of the requests that were sent and not answered. */
  unanswered: readonly RequestKind[];
  /** Why the request under way was tried again last. */
  lastFailure: string | null;
  /** The command that waits for its outcome: the topic. */
  command: string | null;
}

export interface DueRequest {
  request: SourceRequest;
  /** Sent even when the day's budget of requests is spent. */
  essential: boolean;
}

/** What came of a poll, for those who wait for it. `hasAnswered`: the source had answered before. */
export type PollNews =
  | { kind: "first failure"; outcome: PollOutcome; hasAnswered: boolean }
  | { kind: "command"; command: string; outcome: PollOutcome }
  | { kind: "polled"; outcome: PollOutcome; hasAnswered: boolean };

/** An answer, when it came by the true time, and what was known before and after it. */
export interface LearntAnswer {
  answer: SourceAnswer;
  at: Instant;
  before: KnownDays;
  after: KnownDays;
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
}

/** The same, to find what is due. */
export interface PollContext extends SourceContext {
  /** `service.poll`. */
  times: PollTimes;
  /** 0 to 1: this installation's phase: how far its polls are shifted within the hour. */
  offset: number;
}
