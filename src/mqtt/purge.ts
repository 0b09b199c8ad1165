import { AVAILABILITY, OWNER } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BrokerLink } from "./base-connection.ts";
import { PublishRefused } from "./broker-errors.ts";
import { isNested, nestedBases } from "./nested-bases.ts";
import { endSession, type Owner, pingOwner, readOwner } from "./owner.ts";
import {
  openShortConnection,
  type ShortConnection,
  type ShortConnectionOptions,
} from "./short-connection.ts";

export interface PurgeOptions extends ShortConnectionOptions {
  clock: Pick<Clock, "steady">;
  /** A running vigie that left this base topic: it clears only what it owns, and does not end its own session. */
  self?: { installation: string; client_id: string };
  /** Clears the discovery messages, which have to go before the topics do; resolves with the cleared topics. */
  clearDiscovery?: (link: BrokerLink) => Promise<string[]>;
}

/** Clears everything below the base topic; refused while its owner runs. */
export async function purgeBase(options: PurgeOptions): Promise<{ cleared: string[] } | { living: Owner }> {
  const { self, signal } = options;
  const connection = await openShortConnection(options);
  try {
    const owner = readOwner((await connection.read()).get(OWNER));
    const isOurs = !self || owner?.installation === self.installation;
    if (owner && !isOurs) return { cleared: [] };
    const living = await pingOwner(connection, options);
    if (living) return { living };
    // Otherwise the broker would send its will, `offline`, after the topics were cleared.
    if (owner && owner.client_id !== self?.client_id) await endSession(owner.client_id, connection, signal);
    const discovery = (await options.clearDiscovery?.(connection.link)) ?? [];
    // Without `owner` nobody knows whose the topics are.
    return { cleared: [...discovery, ...(isOurs ? await clearAll(connection) : [])] };
  } finally {
    await connection.close();
  }
}

/** Reads again after clearing: what was published meanwhile is cleared, too. */
async function clearAll(connection: ShortConnection): Promise<string[]> {
  const cleared = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const topics = inClearingOrder(await connection.read());
    if (topics.length === 0) return [...cleared];
    // They are sent in this order, and the broker takes them in the order in which they come.
    await Promise.all(topics.map((topic) => connection.publish({ topic, payload: "", retain: true })));
    for (const topic of topics) cleared.add(topic);
  }
  throw new PublishRefused(
    "The broker still holds topics that were cleared: may this user write there, or does another program write them again?",
  );
}

/** `owner` goes last: a purge that is interrupted and started again still knows whose session to end. */
function inClearingOrder(found: ReadonlyMap<string, string>): string[] {
  const nested = nestedBases(found);
  const topics = [...found.keys()].filter((topic) => !isNested(topic, nested));
  const last = [AVAILABILITY, OWNER].filter((topic) => topics.includes(topic));
  return [...topics.filter((topic) => !last.includes(topic)), ...last];
}

const MOST_ROUNDS = 5;
