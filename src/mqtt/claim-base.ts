import type { MqttConfig } from "../config/config.ts";
import { OWNER } from "../core/topics/topic.ts";
import type { Address } from "./broker-address.ts";
import { connect, type Version } from "./connection.ts";
import { type Identity, type Owner, ownerOf, PING, PONG, readOwner } from "./owner.ts";
import type { ShortConnection } from "./short-connection.ts";

export interface ClaimOptions {
  broker: MqttConfig;
  instance: string;
  identity: Identity;
  takeOver: boolean;
  signal: AbortSignal;
}

/**
 * Makes this process the owner of its base topic, or says who is. The word is written before anything else is, and the
 * broker's order decides between two that write at once: the last word stands, each side sees it, only the other yields.
 */
export async function claim(visit: ShortConnection, options: ClaimOptions): Promise<Owner | null> {
  const me = ownerOf(options.identity, options.instance);
  await visit.read(`${OWNER}/#`);
  const before = readOwner(visit.ownerPayload());
  if (!(options.takeOver || isOwn(before, options.identity))) {
    const other = await findLiving(visit);
    if (other) return other;
  }
  // From here on whoever asks is answered: between here and the first subscription of the connection that stays, too.
  answerQuestions(visit, me);
  const dead = readOwner(visit.ownerPayload());
  if (dead?.incarnation !== me.incarnation) {
    await visit.publish({ topic: OWNER, payload: JSON.stringify(me), retain: true });
    await visit.read(`${OWNER}/#`);
  }
  const last = readOwner(visit.ownerPayload());
  if (last && last.incarnation !== me.incarnation) return last;
  if (dead && dead.client_id !== me.client_id)
    await endSession(dead.client_id, { ...visit, signal: options.signal });
  return null;
}

/** Takes a session over by its client id and ends it, so that its will never speaks. */
export async function endSession(
  id: string,
  { address, version, signal }: { address: Address; version: Version; signal: AbortSignal },
): Promise<void> {
  const heir = await connect({
    address,
    version,
    clientId: id,
    session: 0,
    keepalive: 60,
    signal,
    onMessage: () => undefined,
  });
  await heir.close({ endSession: true });
}

/** The word of this process, or of the one before it from the same state folder: nobody else to ask. */
function isOwn(owner: Owner | null, { incarnation, previousIncarnation }: Identity): boolean {
  return owner === null || owner.incarnation === incarnation || owner.incarnation === previousIncarnation;
}

/** Whoever claims the base while the dead one is asked is asked in its turn. */
async function findLiving(visit: ShortConnection): Promise<Owner | null> {
  for (;;) {
    const asked = visit.ownerPayload();
    const other = await visit.pingOwner();
    if (other || visit.ownerPayload() === asked) return other;
  }
}

function answerQuestions(visit: ShortConnection, me: Owner): void {
  visit.listen(({ topic }) => {
    if (topic === PING)
      void visit.publish({ topic: PONG, payload: JSON.stringify(me), retain: false }).catch(() => undefined);
  });
}
