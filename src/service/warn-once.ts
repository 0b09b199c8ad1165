import type { Log } from "../runtime/log.ts";

/** Logs each warning once; a source that sends new values without end does not fill the log. */
export function createWarnOnce(log: Log): (warning: string) => void {
  const logged = new Set<string>();
  return (warning) => {
    if (logged.has(warning) || logged.size >= MOST_WARNINGS) return;
    logged.add(warning);
    log.warn(warning);
  };
}

const MOST_WARNINGS = 200;
