import { AVAILABILITY, OWNER } from "../core/topics/topic.ts";
import { PublishRefused } from "./broker-errors.ts";
import { endSession } from "./claim-base.ts";
import type { BrokerLink } from "./connection-users.ts";
import { isNested, nestedBases } from "./nested-bases.ts";
import { type Owner, readOwner } from "./owner.ts";
import {
  openShortConnection,
  type ShortConnection,
  type ShortConnectionOptions,
} from "./short-connection.ts";

export interface PurgeOptions extends ShortConnectionOptions {
  /** A running vigie that left this base: it clears only a base of its own, and does not end its own session. */
  self?: { installation: string; client_id: string };
  /** Clears the discovery messages, which have to go before the topics do; resolves with what it cleared. */
  clearDiscovery?: (link: BrokerLink) => Promise<string[]>;
}

/** Takes everything below the base topic off the broker; refused while its owner lives. */
export async function purgeBase(options: PurgeOptions): Promise<{ cleared: string[] } | { living: Owner }> {
  const visit = await openShortConnection(options);
  try {
    await visit.read();
    const owner = readOwner(visit.ownerPayload());
    const { self } = options;
    const isOurs = !self || owner?.installation === self.installation;
    if (owner && !isOurs) return { cleared: [] };
    const living = await visit.pingOwner();
    if (living) return { living };
    // Else its will brings `offline` back after the clearing.
    if (owner && owner.client_id !== self?.client_id)
      await endSession(owner.client_id, { ...visit, signal: options.signal });
    const beyond = (await options.clearDiscovery?.(visit.link)) ?? [];
    // Without an owner's word nobody knows whose the topics are.
    return { cleared: [...beyond, ...(isOurs ? await clearAll(visit) : [])] };
  } finally {
    await visit.close();
  }
}

/** Looks again after clearing: what was on its way meanwhile is cleared, too. */
async function clearAll(visit: ShortConnection): Promise<string[]> {
  const cleared = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const topics = inOrder(await visit.read());
    if (topics.length === 0) return [...cleared];
    // They leave in this order, and the broker takes them in the order in which they come.
    await Promise.all(topics.map((topic) => visit.publish({ topic, payload: "", retain: true })));
    for (const topic of topics) cleared.add(topic);
  }
  throw new PublishRefused(
    "The broker keeps what was cleared, or somebody writes it again: may this user write there?",
  );
}

/** The owner goes last: a purge that was cut off can be asked for again, and still knows whose session to end. */
function inOrder(found: ReadonlyMap<string, string>): string[] {
  const nested = nestedBases(found.keys());
  const topics = [...found.keys()].filter((topic) => !isNested(topic, nested));
  const last = [AVAILABILITY, OWNER].filter((topic) => topics.includes(topic));
  return [...topics.filter((topic) => !last.includes(topic)), ...last];
}

const MOST_ROUNDS = 5;
