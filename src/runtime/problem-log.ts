/** Logs a problem that lasts once when it starts and once when it is over, however often it is reported meanwhile. */
export interface ProblemLog {
  /** The key names what has the problem (`broker`). Another sentence for the same key is logged too. */
  starts(key: string, sentence: string, details?: object, level?: "warn" | "error"): void;
  /** The sentence has no full stop: how long the problem lasted is appended to it. */
  isOver(key: string, sentence: string): void;
}
