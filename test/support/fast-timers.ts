import { onTestFinished, vi } from "vitest";

/**
 * Until the test ends, time passes so many times as fast for this process, also for vigie's limits of real time. Sockets and
 * other programs are as fast as they are.
 */
export function speedUpTime(speed: number): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  const stop = letTimePass(speed);
  onTestFinished(() => {
    stop();
    vi.useRealTimers();
  });
}

/** From now on the faked time passes so many times as fast as it does. Returns how to stop it. */
export function letTimePass(speed: number): () => void {
  const passing = setInterval(() => vi.advanceTimersByTime(BETWEEN_STEPS * speed), BETWEEN_STEPS);
  return () => clearInterval(passing);
}

const BETWEEN_STEPS = 10;
