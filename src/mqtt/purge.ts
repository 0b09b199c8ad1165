import { quotePayload } from "../core/log/quote-payload.ts";
import { AVAILABILITY, OWNER, type Owner } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { BrokerLink } from "./base-connection.ts";
import { PublishRefused } from "./broker-errors.ts";
import { areMostBases, isNested, nestedBases, sayMostBases } from "./nested-bases.ts";
import { endSession, hasInstance, hasVigieClientId, pingOwner, readOwner } from "./owner.ts";
import {
  openShortConnection,
  type ShortConnection,
  type ShortConnectionOptions,
} from "./short-connection.ts";

export interface PurgeOptions extends ShortConnectionOptions {
  clock: Pick<Clock, "steady">;
  log: Pick<Log, "warn">;
  /** Clears the discovery messages; called before the topics are cleared. Resolves with the cleared topics. */
  clearDiscovery: (link: BrokerLink) => Promise<string[]>;
}

/** Clears everything below the base topic; refused while its owner runs. */
export async function purgeAll(options: PurgeOptions): Promise<{ cleared: string[] } | { living: Owner }> {
  const connection = await openShortConnection(options);
  try {
    await connection.subscribeToOwner();
    const owner = readOwner(connection.latest(OWNER));
    const living = await pingOwner(connection, options);
    if (living) return { living };
    if (areMostBases(nestedBases(await connection.read()))) options.log.warn(sayMostBases("purge again"));
    if (owner) await endOwnerSession(owner, connection, options);
    const discovery = await options.clearDiscovery(connection.link);
    return { cleared: [...discovery, ...(await clearAll(connection))] };
  } finally {
    await connection.close();
  }
}

/**
 * Otherwise the broker would send its will, `offline`, after the topics were cleared. Anybody may have written `owner`: a
 * program that is no vigie of this instance must not lose its connection.
 */
async function endOwnerSession(
  owner: Owner,
  connection: ShortConnection,
  { instance, log, signal }: Pick<PurgeOptions, "instance" | "log" | "signal">,
): Promise<void> {
  if (hasVigieClientId(owner) && hasInstance(owner, instance)) return endSession(owner, connection, signal);
  log.warn(
    `owner named the client id ${quotePayload(owner.client_id)}, which is not one of the instance ${instance}: its session stays. Where it was a vigie, availability is offline within mqtt.grace: then purge again`,
  );
}

export interface PurgeFormerOptions extends Omit<PurgeOptions, "clearDiscovery"> {
  /** This process, which publishes below another base topic now. */
  me: Owner;
  /** `otherOwner`: another vigie that owns the base topic now. */
  clearDiscovery: (link: BrokerLink, otherOwner: Owner | null) => Promise<string[]>;
}

/** Clears what this installation published below a base topic that it has left; topics of another owner stay. */
export async function purgeFormer(
  options: PurgeFormerOptions,
): Promise<{ cleared: string[]; otherOwner: Owner | null } | { living: Owner }> {
  const { me, clearDiscovery } = options;
  const connection = await openShortConnection(options);
  try {
    await connection.subscribeToOwner();
    const owner = readOwner(connection.latest(OWNER));
    const otherOwner = owner && owner.installation !== me.installation ? owner : null;
    const living = otherOwner ? null : await pingOwner(connection, options);
    if (living) return { living };
    // The session with the client id of this process is in use.
    if (owner && !otherOwner && owner.client_id !== me.client_id && hasVigieClientId(owner))
      await endSession(owner, connection, options.signal);
    const discovery = await clearDiscovery(connection.link, otherOwner);
    // Without `owner` nobody knows whose the topics are.
    const topics = owner && !otherOwner ? await clearAll(connection) : [];
    return { cleared: [...discovery, ...topics], otherOwner };
  } finally {
    await connection.close();
  }
}

/** Reads again after clearing: a broker sends so many topics at most, and others may publish meanwhile. */
async function clearAll(connection: ShortConnection): Promise<string[]> {
  const cleared = new Set<string>();
  let inVain = 0;
  for (let round = 0; round < MOST_ROUNDS && inVain < MOST_IN_VAIN; round += 1) {
    const topics = inClearingOrder(await connection.read());
    if (topics.length === 0) return [...cleared];
    if (topics.some((topic) => cleared.has(topic))) inVain += 1;
    // They are sent in this order, and the broker takes them in the order in which they come.
    await Promise.all(topics.map((topic) => connection.publish({ topic, payload: "", retain: true })));
    for (const topic of topics) cleared.add(topic);
  }
  throw new PublishRefused(
    "The broker still holds topics that were cleared. Check that this user may write there, and that no other program writes them again",
  );
}

/** `owner` is cleared last: a purge that is interrupted and started again still knows whose session to end. */
function inClearingOrder(found: ReadonlyMap<string, string>): string[] {
  const nested = nestedBases(found);
  const topics = [...found.keys()].filter((topic) => !isNested(topic, nested));
  const last = [AVAILABILITY, OWNER].filter((topic) => topics.includes(topic));
  return [...topics.filter((topic) => !last.includes(topic)), ...last];
}

const MOST_ROUNDS = 100;
const MOST_IN_VAIN = 5;
