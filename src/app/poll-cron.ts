import { createTask } from "node-cron";
import type { Instant } from "../core/calendar/tariff.ts";

/**
 * When to look whether a poll is due: once a minute, at a second of this installation's own. node-cron reads the
 * expression, in UTC (a zone with summer time loses an hour each October); the waiting is the alarm's, because
 * node-cron's own does not notice a clock that was set back, and stops working after one that was set forward by years.
 */
export function pollCron(offset: number): { next: () => Instant } {
  const task = createTask(`${Math.floor(offset * 60)} * * * * *`, () => undefined, { timezone: "UTC" });
  return {
    next: () => {
      const [run] = task.getNextRuns(1);
      if (!run) throw new Error(`Expected the poll schedule to have a next run, got none`);
      return run.getTime();
    },
  };
}
