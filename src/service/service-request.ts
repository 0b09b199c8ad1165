import type { Answer, Request } from "../core/contract/answer.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import type { SourceTimes } from "./read-response.ts";

export interface RequestOptions {
  /** Ends the request, its retries and every wait: the deadline of the poll. */
  signal: AbortSignal;
  /** Sent even when the day's budget is spent. */
  essential?: boolean;
  /** It is not tried again when it fails. */
  once?: boolean;
  post?: (event: TriedEvent) => void;
}

/** The request failed, and is tried again. `isPause`: after a 429, which is in the log already. */
export interface TriedEvent {
  kind: "tried";
  failure: string;
  isPause: boolean;
}

export interface Reply extends SourceTimes {
  answer: Answer;
  /** What was assumed at the points that the interface leaves open. */
  assumptions: string[];
}

/** What the service calls the start and the end of a range: the interface does not say. */
export interface RangeNames {
  start: string;
  end: string;
}

/** Path and query of a request, below the base address. */
export function requestPath(request: Request, names: RangeNames): string {
  switch (request.kind) {
    case "forecasts":
      return endpoints.forecasts.path;
    case "date":
      return endpoints.date.path.replace("{target_date}", request.date);
    case "season": {
      const { path, parameters } = endpoints.season;
      return request.label === undefined ? path : withQuery(path, { [parameters.season]: request.label });
    }
    case "history":
      return withQuery(endpoints.history.path, { [names.start]: request.start, [names.end]: request.end });
  }
}

export function withQuery(path: string, parameters: Record<string, string>): string {
  return `${path}?${new URLSearchParams(parameters)}`;
}
