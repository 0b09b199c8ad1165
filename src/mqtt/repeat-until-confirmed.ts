import { setImmediate } from "node:timers/promises";
import type { Confirmation } from "../core/outputs/output.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/wait.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";

export interface InsistOptions {
  confirm: Confirmation;
  /** Whether the device has not said yet what it was to say. */
  isAwaited: () => boolean;
  repeat: () => Promise<void>;
  /** It never did; `times` is how often it was told. */
  giveUp: (times: number) => void;
  clock: Pick<Clock, "steady">;
  signal: AbortSignal;
}

/**
 * Tells a device again what it was told, until it answers or has been given time enough. The time counts from the last
 * connection: before it nobody could hear the device. Ends quietly with the connection.
 */
export async function insist(options: InsistOptions): Promise<void> {
  const { confirm, isAwaited, repeat, giveUp, clock, signal } = options;
  const began = clock.steady();
  try {
    for (let times = 1; ; times += 1) {
      await sleep(confirm.every, signal);
      await hearWhatCame();
      if (signal.aborted || !isAwaited()) return;
      if (clock.steady() - began >= confirm.for) return giveUp(times);
      await tellAgain(repeat);
    }
  } catch (error) {
    if (signal.aborted || error instanceof ConnectionLost) return;
    throw error;
  }
}

/** A broker that refuses by now is as deaf as the device: the time goes on. */
async function tellAgain(repeat: InsistOptions["repeat"]): Promise<void> {
  try {
    await repeat();
  } catch (error) {
    if (!(error instanceof PublishRefused)) throw error;
  }
}

/** A stall of this process is no silence of the device. */
async function hearWhatCame(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
