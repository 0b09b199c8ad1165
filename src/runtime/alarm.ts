import type { Clock } from "./clock.ts";

export interface AlarmOptions {
  clock: Clock;
  /** When something is due next; asked again at each beat. */
  due: () => number;
  ring: () => void;
  /** The wall clock and the time that passed disagree: a suspend, or a clock that was set. */
  jumped: (by: number) => void;
  /** At each beat, whatever else happens: the loop is alive. */
  beat: (now: number) => void;
}

/**
 * Rings when something is due by the wall clock, however the process was asleep or the clock was set. A timer alone
 * would not: it counts the time that passes. Hence the beat.
 */
export function startAlarm({ clock, due, ring, jumped, beat }: AlarmOptions): () => void {
  let last = { now: clock.now(), steady: clock.steady() };
  let timer: NodeJS.Timeout;
  const arm = () => {
    const wait = Math.min(BEAT, Math.max(1, Math.ceil(due() - clock.now())));
    timer = setTimeout(strike, wait);
  };
  const strike = () => {
    const now = clock.now();
    const steady = clock.steady();
    const drift = now - last.now - (steady - last.steady);
    last = { now, steady };
    if (Math.abs(drift) > JUMP) jumped(drift);
    beat(now);
    if (clock.now() >= due()) ring();
    arm();
  };
  arm();
  return () => clearTimeout(timer);
}

const BEAT = 1_000;
const JUMP = 2_000;
