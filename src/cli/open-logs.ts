import { createProblemLog } from "../app/create-problem-log.ts";
import type { Config } from "../config/config.ts";
import { wallTime } from "../core/calendar/dates.ts";
import { systemClock } from "../runtime/clock.ts";
import { createLog, type Log, openOutput } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

/** The log of a command that ends by itself: only warnings and errors, on stderr. */
export function openLogs({ mqtt, tariff }: Pick<Config, "mqtt" | "tariff">): {
  log: Log;
  problemLog: ProblemLog;
} {
  const secrets = [mqtt.password ?? ""];
  const timeAt = (at: number) => wallTime(at, tariff.time_zone);
  const log = createLog({ level: "warn", format: "pretty", secrets, wallTime: timeAt }, openOutput(2));
  return { log, problemLog: createProblemLog(log, systemClock) };
}
