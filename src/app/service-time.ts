import type { Instant } from "../core/calendar/tariff.ts";
import { type KnownDays, newestInstant } from "../core/days/known-days.ts";
import { type ClockEvidence, checkClock } from "../core/facts/check-clock.ts";
import type { FactsInput } from "../core/facts/facts.ts";
import type { Clock } from "../runtime/clock.ts";

/** Compares this machine's clock with the service's, and with the instants that are known to have passed. */
interface TimeCheck {
  /** The service's clock when it answered; null where it does not say. */
  noteServiceTime: (date: Instant | null) => void;
  now: (days: KnownDays) => FactsInput["clock"];
}

export function createTimeCheck(clock: Clock, setting: "auto" | "off"): TimeCheck {
  let answer: ClockEvidence["answer"] = null;
  return {
    noteServiceTime: (date) => {
      if (date !== null) answer = { date, now: clock.now(), steady: clock.steady() };
    },
    now: (days) => {
      const now = clock.now();
      if (setting === "off") return { at: now, right: true };
      return checkClock(now, clock.steady(), { answer, newest: newestInstant(days) });
    },
  };
}
