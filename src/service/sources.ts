/** What the client of a source has to know of it, apart from what its answers mean. */
export interface Source {
  /** In messages, after "the". */
  name: string;
  /** The option that holds its address. */
  option: string;
  /** Requests a day; only essential ones are sent beyond it. */
  budget: number;
  /** A request is tried again only while fewer requests than this were sent on the day. */
  retryBudget: number;
  /** Bytes of an answer: larger than any right one. */
  largestAnswer: number;
  /** Whether an answer whose content type is not JSON is refused. */
  needsJsonType: boolean;
}

export const FORECAST_SERVICE: Source = {
  name: "forecast service",
  option: "service.base_url",
  budget: 150,
  retryBudget: 150,
  // A year of history has some 60 KiB.
  largestAnswer: 1024 * 1024,
  needsJsonType: true,
};

export const OFFICIAL_SOURCE: Source = {
  name: "official source",
  option: "official.source",
  budget: 80,
  // A source that fails all morning must not use up the requests of the hours in which the colour is announced.
  retryBudget: 40,
  // A season has some 8 KiB.
  largestAnswer: 64 * 1024,
  needsJsonType: false,
};
