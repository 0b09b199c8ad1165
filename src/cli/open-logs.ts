import type { Config } from "../config/config.ts";
import { systemClock } from "../runtime/clock.ts";
import { createLog, type Log, openOutput } from "../runtime/log.ts";
import { createProblemLog, type ProblemLog } from "../runtime/problem-log.ts";

/** The log of a command that ends by itself: only warnings and errors, on stderr. */
export function openLogs({ mqtt }: Pick<Config, "mqtt">): { log: Log; problemLog: ProblemLog } {
  const secrets = [mqtt.password ?? ""];
  const log = createLog({ level: "warn", format: "pretty", secrets }, openOutput(2));
  return { log, problemLog: createProblemLog(log, systemClock) };
}
