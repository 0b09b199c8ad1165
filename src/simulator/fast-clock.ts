import type { Instant } from "../core/calendar/tariff.ts";
import type { Clock } from "../runtime/clock.ts";

/** A clock that starts at a chosen instant and runs `speed` times as fast as the real one. */
export function fastClock(from: Instant, speed: number, real: Clock): { now(): Instant } {
  const started = real.steady();
  return { now: () => Math.round(from + (real.steady() - started) * speed) };
}
