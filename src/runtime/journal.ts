import { fstatSync } from "node:fs";

/** What marks a line of standard error as an error where systemd's journal reads it; elsewhere nothing. */
export function errorMark({ JOURNAL_STREAM }: NodeJS.ProcessEnv): string {
  if (!JOURNAL_STREAM) return "";
  // A desktop's terminals inherit the variable: it says which stream is the journal's.
  const { dev, ino } = fstatSync(2);
  return JOURNAL_STREAM === `${dev}:${ino}` ? "<3>" : "";
}
