import type { Link } from "../mqtt/guests.ts";
import { sleep } from "../runtime/wait.ts";
import type { Step } from "./plan.ts";

interface Delivery {
  link: Link;
  signal: AbortSignal;
  /** Home Assistant was told something before, and may still be busy with it. */
  wary: boolean;
}

/**
 * One step after the other, with the time between them that Home Assistant needs to follow: of two different messages on
 * one device in quick succession it loses entities.
 */
export async function deliver(steps: readonly Step[], { link, signal, wary }: Delivery): Promise<void> {
  if (wary && steps[0]?.some(({ payload }) => payload !== "")) await sleep(PAUSE, signal);
  for (const step of steps) {
    signal.throwIfAborted();
    await Promise.all(step.map((message) => link.publish(() => ({ ...message, retain: true }))));
    if (wary) await sleep(PAUSE, signal);
  }
}

const PAUSE = 2_500;
