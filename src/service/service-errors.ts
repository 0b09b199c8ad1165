import type { ValidationError } from "../core/contract/endpoints.ts";
import { describeUnreadable, type RequestFailure } from "../core/sources/request-failure.ts";
import type { Source } from "../core/sources/source.ts";

/** A request to a source failed. One class for each thing that a caller does next. */
export abstract class ServiceError extends Error {}

/** A request, as errors name it. */
export interface NamedRequest {
  /** `GET /v1/public` */
  operation: string;
  /** The whole address that was requested. */
  address: string;
}

/** A response, as far as it helps to see what went wrong. `beginning` is the start of the body. */
export interface ResponseSummary {
  status: number;
  contentType: string | null;
  /** Where a redirect leads to. */
  location: string | null;
  beginning: string;
}

/** No answer: no such name, no route, nothing listens, a broken connection, silence. Worth another try. */
export class ServiceUnreachable extends ServiceError {
  override readonly name = "ServiceUnreachable";
  /** Nothing was sent: it is not counted against the day's budget. */
  readonly unsent: boolean;

  /** `operation` is the request in words: `GET /v1/public`. */
  constructor(
    { name }: Source,
    operation: string,
    host: string,
    reason: string,
    options: ErrorOptions & { unsent?: boolean } = {},
  ) {
    super(`The ${name} at ${host} could not be reached for ${operation}: ${reason}`, options);
    this.unsent = options.unsent ?? false;
  }
}

/** The source answered that it failed. Worth another try. */
export class ServiceFailed extends ServiceError {
  override readonly name = "ServiceFailed";
  readonly status: number;

  constructor({ name }: Source, operation: string, summary: ResponseSummary) {
    super(`The ${name} failed at ${operation}: ${describeSummary(summary)}`);
    this.status = summary.status;
  }
}

/** Too many requests: nothing is sent until the pause is over. */
export class ServiceBusy extends ServiceError {
  override readonly name = "ServiceBusy";
  /** Milliseconds that the source asked for; null where it did not say. */
  readonly retryAfter: number | null;

  constructor({ name }: Source, operation: string, retryAfter: number | null) {
    // No length: the rest of a pause is another one at each poll, and a sentence is logged once.
    super(`The ${name} asks for a pause (429, too many requests): ${operation} is not sent before its end`);
    this.retryAfter = retryAfter;
  }
}

/** The request is wrong and will stay wrong: not tried again. */
export class RequestRefused extends ServiceError {
  override readonly name = "RequestRefused";
  readonly status: number;
  /** What the source says was wrong, where the response has the documented form. */
  readonly details: ValidationError["detail"];

  constructor(
    { name }: Source,
    { operation, address }: NamedRequest,
    { status, beginning }: ResponseSummary,
    details: ValidationError["detail"],
  ) {
    const words = details.map(({ loc, msg, type }) => `${loc.join(".")}: ${msg} (${type})`);
    const reason = words.join("; ") || beginning || "(empty body)";
    const what = status === NOT_FOUND ? `has nothing at ${address}` : `refused ${operation}`;
    super(`The ${name} ${what}: status ${status}: ${reason}`);
    this.status = status;
    this.details = details;
  }
}

interface UnreadableOptions extends ErrorOptions {
  summary?: ResponseSummary;
  /** The answer ended too early: another try may bring all of it. */
  cut?: boolean;
}

/** A response came that does not answer the request. */
export class AnswerUnreadable extends ServiceError {
  override readonly name: string = "AnswerUnreadable";
  readonly cut: boolean;
  readonly summary: ResponseSummary | undefined;

  constructor(operation: string, why: string, options: UnreadableOptions = {}) {
    const summary = options.summary ? ` (${describeSummary(options.summary)})` : "";
    super(describeUnreadable(operation, `${why}${summary}`), options);
    this.cut = options.cut ?? false;
    this.summary = options.summary;
  }
}

/** History came, but nothing from the requested range: the names of the parameters were not understood. */
export class RangeIgnored extends AnswerUnreadable {
  override readonly name = "RangeIgnored";
}

/** A command that a person waits for takes more requests than vigie sends in a minute. */
export class TooManyRequests extends ServiceError {
  override readonly name = "TooManyRequests";

  constructor(source: Source, perMinute: number) {
    super(
      `vigie sends the ${source.name} at most ${perMinute} requests a minute, and this takes more of them: ask for less at once`,
    );
  }
}

/** The day's requests are used up: only essential ones are sent. */
export class BudgetSpent extends ServiceError {
  override readonly name = "BudgetSpent";

  constructor(operation: string, budget: number) {
    super(
      `${operation} is not sent before midnight UTC: the ${budget} requests that vigie allows itself in a day are used up`,
    );
  }
}

/** The error as data. */
export function failureOf(error: unknown): RequestFailure {
  return { sentence: error instanceof Error ? error.message : String(error), kind: kindOf(error) };
}

function kindOf(error: unknown): RequestFailure["kind"] {
  if (error instanceof BudgetSpent) return "budget_spent";
  if (error instanceof ServiceBusy) return "busy";
  if (error instanceof ServiceUnreachable) return "away";
  return error instanceof RequestRefused && error.status === NOT_FOUND ? "not_found" : "other";
}

function describeSummary({ status, contentType, beginning }: ResponseSummary): string {
  const more = beginning.length > SHOWN ? "…" : "";
  const body = beginning === "" ? "empty body" : `beginning with "${beginning.slice(0, SHOWN)}${more}"`;
  return `status ${status}, ${contentType ?? "no content type"}, ${body}`;
}

const SHOWN = 80;
const NOT_FOUND = 404;
