import type { Instant } from "../core/calendar/tariff.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import type { RangeNames } from "./history-names.ts";
import type { Observed } from "./read-values.ts";

export interface AskOptions {
  /** Ends the asking, every wait included: the poll's own deadline. */
  signal: AbortSignal;
  /** Sent even when the day's budget is spent. */
  essential?: boolean;
}

export interface Reply {
  answer: Answer;
  /** The service's clock when it answered; null where it does not say. */
  date: Instant | null;
  /** What stood in the answer, as it was sent. */
  observed: Observed;
  /** Path and query that were asked, the last of them where there were several. */
  path: string;
}

/** One request as it stands; `names` are those of a range. */
export type AskOnce = (request: Request, names: RangeNames, options: AskOptions) => Promise<Reply>;
