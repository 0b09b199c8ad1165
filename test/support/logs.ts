import type { Log } from "../../src/runtime/log.ts";

export const SILENT_LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A log that appends its sentences to a list; debug lines are left out, as by default. */
export function logTo(lines: string[]): Log {
  const write = (sentence: string) => void lines.push(sentence);
  return { ...SILENT_LOG, info: write, warn: write, error: write };
}
