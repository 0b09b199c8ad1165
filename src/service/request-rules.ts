import type { SourceId } from "../core/facts/source-record.ts";

/** How a source is asked over HTTP. */
interface RequestRules {
  /** The option that holds its address. */
  option: string;
  /** A request is tried again only while fewer requests than this were sent on the day. */
  retryBudget: number;
  /** Bytes of an answer: larger than any right one. */
  largestAnswer: number;
  /** Whether an answer whose content type is not JSON is refused. */
  needsJsonType: boolean;
}

export const REQUEST_RULES: Readonly<Record<SourceId, RequestRules>> = {
  service: {
    option: "service.base_url",
    retryBudget: 150,
    // A year of history has some 60 KiB.
    largestAnswer: 1024 * 1024,
    needsJsonType: true,
  },
  official: {
    option: "official.source",
    // A source that fails all morning must not use up the requests of the hours in which the colour is announced.
    retryBudget: 40,
    // A season has some 8 KiB.
    largestAnswer: 64 * 1024,
    needsJsonType: false,
  },
};
