import { z } from "zod";
import { isoInstant, localTime } from "../core/calendar/dates.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { OWNER } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/wait.ts";
import { OWNER_PING, OWNER_PONG } from "./base-connection.ts";
import { clientId, connect } from "./connection.ts";
import type { ShortConnection } from "./short-connection.ts";

/** Who this process is, among all that may ever use the same base topic. */
export interface Identity {
  installation: string;
  /** New at each start. */
  incarnation: string;
  /** Of the start before, from the same state folder. */
  previousIncarnation: string | null;
  host: string;
  version: string;
  since: Instant;
}

const ownerSchema = z.object({
  installation: z.string(),
  incarnation: z.string(),
  host: z.string(),
  version: z.string(),
  since: z.string(),
  client_id: z.string(),
});

/** What the topic `owner` holds: the vigie that publishes below this base topic. */
export type Owner = z.output<typeof ownerSchema>;

export function ownerOf(identity: Identity, instance: string): Owner {
  const { installation, incarnation, host, version, since } = identity;
  return {
    installation,
    incarnation,
    host,
    version,
    since: isoInstant(since),
    client_id: clientId(instance, installation),
  };
}

/** null for an empty topic, and for what no vigie wrote. */
export function readOwner(payload: string | undefined): Owner | null {
  const { data } = ownerSchema.safeParse(parseJson(payload ?? ""));
  return data ?? null;
}

/** For messages. `since` may hold any text. */
export function nameOwner(
  { version, host, since, installation }: Owner,
  now: Instant,
  timeZone: string,
): string {
  const start = Date.parse(since);
  const running = Number.isNaN(start) ? "" : `, running since ${localTime(start, now, timeZone)}`;
  return `vigie ${version} on ${host}${running} (installation ${installation})`;
}

export interface ClaimOptions {
  instance: string;
  identity: Identity;
  takeOver: boolean;
  clock: Pick<Clock, "steady">;
  signal: AbortSignal;
}

/**
 * Makes this process the owner of the base topic: returns null. Returns the other owner where one runs. `owner` is written
 * before anything else. Where two processes write it at once, both see the last message that the broker took: it counts,
 * and only the other process ends.
 */
export async function claimBase(connection: ShortConnection, options: ClaimOptions): Promise<Owner | null> {
  const { identity, instance, takeOver, signal } = options;
  const me = ownerOf(identity, instance);
  await connection.read(`${OWNER}/#`);
  const before = readOwner(connection.latest(OWNER));
  if (!(takeOver || isOwn(before, identity))) {
    const other = await findOtherOwner(connection, options);
    if (other) return other;
  }
  // From here on pings are answered, so that nobody concludes that this process has ended before its lasting connection
  // subscribes.
  answerPings(connection, me);
  const former = readOwner(connection.latest(OWNER));
  const payload = JSON.stringify(me);
  // After a reload with another instance only the client id differs.
  if (connection.latest(OWNER) !== payload) {
    await connection.publish({ topic: OWNER, payload, retain: true });
    await connection.read(`${OWNER}/#`);
  }
  const last = readOwner(connection.latest(OWNER));
  if (last && last.incarnation !== me.incarnation) return last;
  if (former && former.client_id !== me.client_id) await endSession(former.client_id, connection, signal);
  return null;
}

/** Reads who owns the base topic, and asks whether it runs; null: nobody does. */
export async function findLivingOwner(
  connection: ShortConnection,
  options: Pick<ClaimOptions, "clock" | "signal">,
): Promise<Owner | null> {
  await connection.read(`${OWNER}/#`);
  return readOwner(connection.latest(OWNER)) ? pingOwner(connection, options) : null;
}

/**
 * Asks the owner of the base topic for an answer; null: it does not run. Silence counts only if several own pings came back
 * and 2 s passed. So neither a stall of this process nor a fast clock makes a running owner look dead.
 */
export async function pingOwner(
  { listen, waitForEcho }: ShortConnection,
  { clock, signal }: Pick<ClaimOptions, "clock" | "signal">,
): Promise<Owner | null> {
  let answer: Owner | null = null;
  const stop = listen(({ topic, payload }) => {
    if (topic === OWNER_PONG) answer ??= readOwner(payload);
  });
  const start = clock.steady();
  try {
    for (let echoes = 1; ; echoes += 1) {
      await waitForEcho();
      if (answer) return answer;
      if (echoes >= ENOUGH_ECHOES && clock.steady() - start >= SILENCE) return null;
      await sleep(BETWEEN_PINGS, signal);
      if (answer) return answer;
    }
  } finally {
    stop();
  }
}

/** Whether the owner is the vigie of this instance. */
export function hasInstance({ client_id, installation }: Owner, instance: string): boolean {
  return client_id === clientId(instance, installation);
}

/** Connects with the client id of the former owner and ends its session, so that its will is never sent. It may still run (`--take-over`). */
export async function endSession(
  id: string,
  { address, version }: Pick<ShortConnection, "address" | "version">,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connect({
    address,
    version,
    clientId: id,
    session: 0,
    signal,
    onMessage: () => undefined,
  });
  await connection.close({ endSession: true });
}

/** Written by this process, or by the one before it from the same state folder: then no ping is needed. */
function isOwn(owner: Owner | null, { incarnation, previousIncarnation }: Identity): boolean {
  return owner === null || owner.incarnation === incarnation || owner.incarnation === previousIncarnation;
}

/** Where another process claims the base topic while the dead owner is asked, that one is asked as well. */
async function findOtherOwner(connection: ShortConnection, options: ClaimOptions): Promise<Owner | null> {
  for (;;) {
    const asked = connection.latest(OWNER);
    const other = await pingOwner(connection, options);
    if (other || connection.latest(OWNER) === asked) return other;
  }
}

function answerPings({ listen, publish }: ShortConnection, me: Owner): void {
  listen(({ topic }) => {
    if (topic === OWNER_PING)
      publish({ topic: OWNER_PONG, payload: JSON.stringify(me), retain: false }).catch(() => undefined);
  });
}

const SILENCE = 2_000;
const ENOUGH_ECHOES = 8;
const BETWEEN_PINGS = 250;
