/** A line for the log, as data. */
export type LogLine =
  /** `isOfCommand`: whoever may write commands may send thousands, so their lines are limited. */
  { level: "info" | "warn"; sentence: string; isOfCommand?: true } | ProblemLine;

/** A problem is logged once when it starts and once when it is over, by its key. */
export type ProblemLine = { problem: string; starts: string } | { problem: string; isOver: string };
