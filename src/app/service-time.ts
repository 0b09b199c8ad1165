import type { Instant } from "../core/calendar/tariff.ts";
import { type KnownDays, newestInstant } from "../core/days/known-days.ts";
import { type AnswerTime, checkClock } from "../core/facts/check-clock.ts";
import type { FactsInput } from "../core/facts/facts.ts";
import type { Clock } from "../runtime/clock.ts";

/** Compares this machine's clock with those of the sources, and with the instants that are known to have passed. */
interface TimeCheck {
  /** The source's clock when it answered; null where it does not say. */
  noteTime: (source: "service" | "official", date: Instant | null) => void;
  now: (days: KnownDays) => FactsInput["clock"];
}

export function createTimeCheck(clock: Clock, setting: "auto" | "off"): TimeCheck {
  const answers = new Map<string, AnswerTime>();
  return {
    noteTime: (source, date) => {
      if (date !== null) answers.set(source, { date, now: clock.now(), steady: clock.steady() });
    },
    now: (days) => {
      const now = clock.now();
      if (setting === "off") return { at: now, right: true };
      const newest = newestInstant(days);
      return checkClock(now, clock.steady(), { answers: [...answers.values()], newest });
    },
  };
}
