/** What is wrong now, by its key. The log says what began and what is over, by comparison with what it said last. */
export type Problems = ReadonlyMap<string, Problem>;

export interface Problem {
  sentence: string;
  /** What is said when it is over. */
  over: string;
  /** A sentence that names the time stays as it was said first, as long as this is the same. */
  kind?: string;
}

export const NO_PROBLEMS: Problems = new Map();
