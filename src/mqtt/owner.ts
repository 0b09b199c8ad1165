import { z } from "zod";
import { idWord } from "../config/value-schemas.ts";
import { isoInstant, localTime } from "../core/calendar/dates.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { OWNER, type Owner } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { isInventedId } from "../runtime/random-id.ts";
import { sleep } from "../runtime/wait.ts";
import { OWNER_PING, OWNER_PONG } from "./base-connection.ts";
import { clientId } from "./connection.ts";
import type { ShortConnection } from "./short-connection.ts";

/** Who this process is, among all that may ever use the same base topic. */
export interface Identity {
  installation: string;
  /** New at each start. */
  incarnation: string;
  /** Of the start before, from the same state folder. */
  previousIncarnation: string | null;
  /** The installation that an earlier start had to leave a base topic to; undefined after a claim. */
  yieldedTo?: string | undefined;
  host: string;
  version: string;
  since: Instant;
}

const ownerSchema: z.ZodType<Owner> = z.object({
  installation: z.string(),
  incarnation: z.string(),
  host: z.string(),
  version: z.string(),
  since: z.string(),
  client_id: z.string(),
});

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
export function nameOwner(owner: SilentOwner, now: Instant, timeZone: string): string {
  if (!("host" in owner)) return `the vigie of the installation ${owner.installation}`;
  const { version, host, since, installation } = owner;
  const start = Date.parse(since);
  const running = Number.isNaN(start) ? "" : `, running since ${localTime(start, now, timeZone)}`;
  return `vigie ${version} on ${host}${running} (installation ${installation})`;
}

export interface ClaimOptions {
  instance: string;
  identity: Identity;
  takeOver: boolean;
  clock: Pick<Clock, "steady">;
  log: Pick<Log, "warn">;
  signal: AbortSignal;
}

/** Whether this process may claim the base topic: null. Returns the other owner if one runs. Writes nothing. */
export async function askBase(connection: ShortConnection, options: ClaimOptions): Promise<Owner | null> {
  const { identity, takeOver } = options;
  await connection.subscribeToOwner();
  const named = () => readOwner(connection.latest(OWNER));
  if (takeOver || isOwn(named(), identity)) return null;
  // Anybody may answer. An answer of this process to a ping over its last connection may arrive as late as now. The vigie that
  // this one yielded to may run also if it is not named: the broker may have lost its newest retained messages.
  const isAwaited = ({ incarnation, installation }: Owner) =>
    incarnation !== identity.incarnation &&
    (incarnation === named()?.incarnation || installation === identity.yieldedTo);
  const { other, isSettled } = await askOwners(connection, () => connection.latest(OWNER), {
    ...options,
    isAwaited,
  });
  if (!(other || isSettled)) options.log.warn(UNSETTLED);
  return other;
}

/** Of a vigie that the broker does not name, only the installation may be known. */
export type SilentOwner = Owner | Pick<Owner, "installation">;

/** The vigie that has to be silent before a vigie that had to leave may claim; null: there is none. */
export function ownerToWaitFor(
  { latest }: ShortConnection,
  { yieldedTo, installation }: Identity,
): SilentOwner | null {
  if (yieldedTo === undefined) return null;
  const owner = readOwner(latest(OWNER));
  // A broker that has lost its newest retained messages names nobody, or still this vigie.
  return owner && owner.installation !== installation ? owner : { installation: yieldedTo };
}

/**
 * After `askBase`: makes this process the owner of the base topic, and returns null. `owner` is written before anything else. If
 * two processes write it at once, both see the last message that the broker took: it counts if it is answered for, and only the
 * other process ends. Returns the owner to whom this one has to yield.
 */
export async function claimBase(
  connection: ShortConnection,
  options: Pick<ClaimOptions, "identity" | "instance" | "clock" | "signal">,
): Promise<Owner | null> {
  const { identity, instance, signal } = options;
  const me = ownerOf(identity, instance);
  // From here on pings are answered, so that nobody concludes that this process has ended before its lasting connection
  // subscribes.
  answerPings(connection, me);
  const former = readOwner(connection.latest(OWNER));
  const payload = JSON.stringify(me);
  // After a reload with another instance only the client id differs.
  if (connection.latest(OWNER) !== payload) {
    await connection.publish({ topic: OWNER, payload, retain: true });
    await connection.subscribeToOwner();
  }
  const last = readOwner(connection.latest(OWNER));
  if (last && last.incarnation !== me.incarnation) {
    // If nobody answers for it, the lasting connection writes `owner` again.
    const isAwaited = ({ incarnation }: Owner) => incarnation === last.incarnation;
    const other = await pingOwner(connection, { ...options, isAwaited });
    if (other) return other;
  }
  // Of this installation only: anybody may have named another vigie, which would lose its connection.
  if (
    former?.installation === me.installation &&
    former.client_id !== me.client_id &&
    hasVigieClientId(former)
  )
    await endSession(former, connection, signal);
  return null;
}

/** Reads who owns the base topic, and asks whether it runs; null: nobody does. */
export async function findLivingOwner(
  connection: ShortConnection,
  options: Pick<ClaimOptions, "clock" | "signal">,
): Promise<Owner | null> {
  await connection.subscribeToOwner();
  return readOwner(connection.latest(OWNER)) ? pingOwner(connection, options) : null;
}

/** What is needed to ask the owner of the base topic. */
export type AskingConnection = Pick<ShortConnection, "listen" | "waitForEcho">;

export interface AskOptions extends Pick<ClaimOptions, "clock" | "signal"> {
  /** Whether an answer counts; undefined: each does. */
  isAwaited?: (answer: Owner) => boolean;
}

/**
 * Asks the owner of the base topic for an answer; null: it does not run. Silence counts only if several own pings came back
 * and 2 s passed. So neither a stall of this process nor a fast clock makes a running owner look dead.
 */
export async function pingOwner(
  { listen, waitForEcho }: AskingConnection,
  { clock, signal, isAwaited = () => true }: AskOptions,
): Promise<Owner | null> {
  let answer: Owner | null = null;
  const stop = listen(({ topic, payload, retain }) => {
    // No vigie retains an answer.
    const pong = topic === OWNER_PONG && !retain ? readOwner(payload) : null;
    if (pong && isAwaited(pong)) answer ??= pong;
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

/**
 * Asks as `pingOwner` does. Where another process claims the base topic meanwhile, that one is asked as well, but claims that
 * follow each other without end must not hold this process up: then `isSettled` is false. `claimed`: the claim as it is now.
 */
export async function askOwners(
  connection: AskingConnection,
  claimed: () => string | undefined,
  options: AskOptions,
): Promise<{ other: Owner | null; isSettled: boolean }> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const asked = claimed();
    const other = await pingOwner(connection, options);
    if (other || claimed() === asked) return { other, isSettled: true };
  }
  return { other: null, isSettled: false };
}

/** Whether the owner is the vigie of this instance. */
export function hasInstance({ client_id, installation }: Owner, instance: string): boolean {
  return client_id === clientId(instance, installation);
}

/** Connects with the client id of the former owner and ends its session, so that its will is never sent. */
export async function endSession(
  former: Owner,
  { connect, address, version }: Pick<ShortConnection, "connect" | "address" | "version">,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connect({
    address,
    version,
    clientId: former.client_id,
    session: 0,
    signal,
    post: () => undefined,
  });
  await connection.close({ endSession: true });
}

/** Anybody may have written `owner`. It must not name another program, which would lose its connection and its session. */
export function hasVigieClientId(owner: Owner): boolean {
  const { client_id, installation } = owner;
  const [, instance = ""] = client_id.split("-");
  return isInventedId(installation) && idWord.safeParse(instance).success && hasInstance(owner, instance);
}

/**
 * Nobody's, or written by this process, or by the one before it from the same state folder: then no ping is needed. But a vigie
 * that had to leave asks in any case: another one wrote `owner` after it.
 */
function isOwn(owner: Owner | null, { incarnation, previousIncarnation, yieldedTo }: Identity): boolean {
  if (yieldedTo !== undefined) return false;
  if (owner === null) return true;
  return owner.incarnation === incarnation || owner.incarnation === previousIncarnation;
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
const MOST_ROUNDS = 3;
const UNSETTLED =
  "Other programs wrote to owner again and again, and no vigie answers for them: vigie claims the base topic";
