import type { Step } from "../core/discovery/migrate-discovery.ts";
import { sleep } from "../runtime/wait.ts";
import type { BrokerLink } from "./connection-users.ts";

interface Delivery {
  link: BrokerLink;
  signal: AbortSignal;
  /** Home Assistant was told something before, and may still be busy with it. */
  before: boolean;
  /** What follows has to wait until it is done with this. */
  after: boolean;
}

/**
 * One step after the other, with the time between them that Home Assistant needs to follow: of two different messages on
 * one device in quick succession it loses entities.
 */
export async function deliver(
  steps: readonly Step[],
  { link, signal, before, after }: Delivery,
): Promise<void> {
  if (before && steps.length > 0) await sleep(PAUSE, signal);
  for (const [index, step] of steps.entries()) {
    signal.throwIfAborted();
    await Promise.all(step.map((message) => link.publish({ ...message, retain: true })));
    if (after || index < steps.length - 1) await sleep(PAUSE, signal);
  }
}

const PAUSE = 2_500;
