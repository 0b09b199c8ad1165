import type { Instant } from "../core/calendar/tariff.ts";
import { type KnownDays, newestInstant } from "../core/days/known-days.ts";
import {
  ANSWER_TOLERANCE,
  type AnswerTime,
  checkClock,
  isRecent,
  timeBy,
} from "../core/facts/check-clock.ts";
import type { FactsInput } from "../core/facts/facts.ts";
import type { Clock } from "../runtime/clock.ts";

/** Compares this machine's clock with those of the sources, and with the instants that are known to have passed. */
interface TimeCheck {
  /** The source's clock when it answered; null where it does not say. */
  noteTime: (source: SourceName, date: Instant | null) => void;
  /**
   * When the answer came, at the latest: this machine's clock or the other source has to say so. One clock alone dates
   * nothing: of RTE's answer of 06:40 that says 11:40, nothing would be confirmed before 11:30.
   */
  seenAt: (source: SourceName, now: Instant) => Instant;
  /** When the answer that came last was made, as its source tells it. It tells the order of the source's answers. */
  madeAt: (source: SourceName, made_at: Instant | null, now: Instant) => Instant;
  now: (days: KnownDays) => FactsInput["clock"];
  /**
   * Milliseconds from this machine's clock to the true time, as a source told it; 0 where the clock counts as right. The
   * newest known instant is no time to count by: it stands still until a source answers.
   */
  behind: (days: KnownDays) => number;
}

export type SourceName = "service" | "official";

export function createTimeCheck(clock: Clock, setting: "auto" | "off"): TimeCheck {
  const latest = new Map<SourceName, AnswerTime>();
  /**
   * Of the last two hours the answer with the latest time: a cache that replays an old one may keep its `Date`. It is not one
   * that was far ahead, and no more one that the answers after it do not follow: all of them would look old beside it.
   */
  const furthest = new Map<SourceName, AnswerTime>();
  const seenAt = (source: SourceName, now: Instant) => {
    const others = [...latest].filter(([name]) => name !== source);
    const times = others.map(([, answer]) => timeBy(answer, clock.steady()));
    return Math.min(now, Math.max(clock.now(), ...times));
  };
  const now = (days: KnownDays) => {
    const shown = clock.now();
    if (setting === "off") return { at: shown, right: true };
    const answers = [...latest.values(), ...furthest.values()];
    return checkClock(shown, clock.steady(), { answers, newest: newestInstant(days) });
  };
  return {
    now,
    behind: (days) => (latest.size === 0 ? 0 : now(days).at - clock.now()),
    seenAt,
    noteTime: (source, date) => {
      if (date === null) return;
      const answer = { date, now: clock.now(), steady: clock.steady() };
      const [before, last] = [furthest.get(source), latest.get(source)];
      latest.set(source, answer);
      if (date - seenAt(source, date) > ANSWER_TOLERANCE) return;
      const isReplayed = before && isRecent(before, answer.steady) && timeBy(before, answer.steady) > date;
      if (!isReplayed || (last && follows(last, answer))) furthest.set(source, answer);
    },
    madeAt: (source, made_at, now) => {
      const reference = furthest.get(source);
      if (made_at === null) return now;
      if (!reference) return Math.min(made_at, now);
      // This clock may be behind that of the source: an answer of 10:00 that comes at 10:40 is 40 minutes old, also where
      // this clock shows 10:05 then.
      const age = timeBy(reference, clock.steady()) - made_at;
      return Math.min(made_at, now - age);
    },
  };
}

/** The source's clock went on between the two as this machine's did, and agrees with it. A replayed `Date` stands still. */
function follows(last: AnswerTime, answer: AnswerTime): boolean {
  const isLater = answer.steady - last.steady > SAME_TIME;
  const goesOn = Math.abs(timeBy(last, answer.steady) - answer.date) <= SAME_TIME;
  return isLater && goesOn && Math.abs(answer.date - answer.now) <= ANSWER_TOLERANCE;
}

const SAME_TIME = 60_000;
