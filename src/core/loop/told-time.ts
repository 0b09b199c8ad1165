import type { Clocks } from "../calendar/clocks.ts";
import { wasBehind } from "../facts/check-clock.ts";
import type { FactsInput } from "../facts/facts.ts";
import { isAgreedWith, tellTime } from "../facts/source-clocks.ts";
import type { TrustInClock } from "../outputs/settle-outputs.ts";
import type { AnsweredEvent } from "./event.ts";
import { type Known, withPassing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";

/** What time it is, by this machine's clock and by what the sources have said. */
export function timeOf(
  { kept, passing }: Known,
  at: Clocks,
  { check_clock }: LoopConfig,
): FactsInput["clock"] {
  return tellTime(passing.clocks, kept.days, check_clock, at);
}

/**
 * After a start and after a jump of the clock, nobody has told vigie what time it is. What would be sent by this clock waits for the
 * first answer, for at most 15 s: sources that are down keep no payload back.
 */

/** An answer has come. One by which this clock is behind ends no wait: the next answers say whether it is wrong. */
export function noteTold(known: Known, { date }: Pick<AnsweredEvent, "date">, at: Clocks): Known {
  const { untoldSince } = known.passing;
  if (untoldSince === null) return known;
  const isContradicted = date !== null && wasBehind({ date, ...at });
  const goesOn = isContradicted && waitsForTimeUntil(known, at.steady) !== null;
  return goesOn ? known : withPassing(known, { untoldSince: null });
}

/** Until when nothing new is sent, by the steady clock; null: nothing waits. */
export function waitsForTimeUntil({ passing: { untoldSince } }: Known, steady: number): number | null {
  const until = untoldSince === null ? null : untoldSince + LONGEST_WAIT;
  return until !== null && steady < until ? until : null;
}

/**
 * By a clock that is behind an instant that has passed nothing is chosen. It may have been right before: that is no reason to take
 * payloads back.
 */
export function trustInClock(
  { passing: { clocks } }: Known,
  { right, at_least }: FactsInput["clock"],
  at: Clocks,
): TrustInClock {
  if (!right) return at_least ? "behind" : "wrong";
  return isAgreedWith(clocks, at) ? "agreed" : "unsure";
}

/** Milliseconds. */
const LONGEST_WAIT = 15_000;
