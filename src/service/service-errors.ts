import type { ValidationError } from "../core/contract/endpoints.ts";

/** What arrived, as far as an owner needs it to see what went wrong. `beginning` is the start of the body. */
export interface Came {
  status: number;
  contentType: string | null;
  beginning: string;
}

/** No answer: no name, no route, nobody listening, a broken connection, silence. Worth another try. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
  /** Nothing was sent: it costs the day's budget nothing. */
  readonly unsent: boolean;

  constructor(
    asked: string,
    host: string,
    reason: string,
    options: ErrorOptions & { unsent?: boolean } = {},
  ) {
    super(`The forecast service at ${host} could not be reached for ${asked}: ${reason}`, options);
    this.unsent = options.unsent ?? false;
  }
}

/** The service answered that it is unwell. Worth another try. */
export class ServiceFailed extends Error {
  override readonly name = "ServiceFailed";
  readonly status: number;

  constructor(asked: string, came: Came, options?: ErrorOptions) {
    super(`The forecast service failed at ${asked}: ${describeCame(came)}`, options);
    this.status = came.status;
  }
}

/** Too many requests: nothing is sent until the pause is over. */
export class ServiceBusy extends Error {
  override readonly name = "ServiceBusy";
  /** Milliseconds the service asked for; null where it did not say. */
  readonly retryAfter: number | null;

  constructor(asked: string, retryAfter: number | null, options?: ErrorOptions) {
    const wish =
      retryAfter === null ? "it does not say for how long" : `for ${Math.ceil(retryAfter / 1000)} s`;
    super(`The forecast service wants to be left alone (429), ${wish}: ${asked} has to wait`, options);
    this.retryAfter = retryAfter;
  }
}

/** This request is wrong and will stay wrong: not tried again. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: number;
  /** The first 1 KiB of what came. */
  readonly body: string;
  /** The service's own words on what was wrong, where it has the documented form. */
  readonly details: ValidationError["detail"];

  constructor(asked: string, came: Came, details: ValidationError["detail"], options?: ErrorOptions) {
    const words = details.length > 0 ? details.map(describeDetail).join("; ") : came.beginning;
    super(
      `The forecast service refused ${asked}: status ${came.status}: ${words || "(empty body)"}`,
      options,
    );
    this.status = came.status;
    this.body = came.beginning;
    this.details = details;
  }
}

interface UnreadableOptions extends ErrorOptions {
  came?: Came;
  /** The answer broke off: another try may bring it whole. */
  cut?: boolean;
}

/** Something came that is no answer to what was asked. */
export class AnswerUnreadable extends Error {
  override readonly name: string = "AnswerUnreadable";
  readonly cut: boolean;

  constructor(asked: string, why: string, options: UnreadableOptions = {}) {
    const came = options.came ? ` (${describeCame(options.came)})` : "";
    super(`The answer to ${asked} cannot be read: ${why}${came}`, options);
    this.cut = options.cut ?? false;
  }
}

/** History came, but none of it from the range asked for: the names of the parameters were not understood. */
export class RangeIgnored extends AnswerUnreadable {
  override readonly name = "RangeIgnored";
}

/** The day's requests are used up: only the hourly poll goes on. */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";

  constructor(asked: string, budget: number) {
    super(`The ${budget} requests of this day are used up: ${asked} is not asked before midnight UTC`);
  }
}

/** Whether any other request to the service would fail now, too. */
export function blocksAllRequests(error: unknown): boolean {
  return error instanceof ServiceUnreachable || error instanceof ServiceBusy || error instanceof BudgetSpent;
}

/** Everything that asking the service can come to. */
export function isServiceError(error: unknown): error is Error {
  return (
    blocksAllRequests(error) ||
    error instanceof ServiceFailed ||
    error instanceof RequestRefused ||
    error instanceof AnswerUnreadable
  );
}

function describeCame(came: Came): string {
  const beginning = came.beginning.slice(0, SHOWN);
  const more = came.beginning.length > SHOWN ? "…" : "";
  const body = beginning === "" ? "empty body" : `beginning with "${beginning}${more}"`;
  return `status ${came.status}, ${came.contentType ?? "no content type"}, ${body}`;
}

const SHOWN = 80;

function describeDetail(detail: ValidationError["detail"][number]): string {
  return `${detail.loc.join(".")}: ${detail.msg} (${detail.type})`;
}
