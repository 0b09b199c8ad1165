import { hostname } from "node:os";
import type { Config } from "../config/config.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import type { Owner } from "../core/topics/topic.ts";
import type { Identity } from "../mqtt/owner.ts";
import type { Publisher } from "../mqtt/publisher.ts";
import { aborted, atMost } from "../runtime/wait.ts";
import type { Store } from "../state/store.ts";
import { withPlace } from "./former-places.ts";

interface ClaimOptions {
  publisher: Pick<Publisher, "ask" | "failed">;
  config: Config;
  store: Store;
  identity: Identity;
}

/**
 * Asks who owns the base topic. If nobody else does, saves that this start publishes there, and resolves with null: now it may be
 * claimed. Resolves with the other owner if one runs; never while the broker is away.
 */
export async function prepareClaim({
  publisher,
  config,
  store,
  identity,
}: ClaimOptions): Promise<Owner | null> {
  const other = await publisher.ask();
  if (other) return other;
  const { yielded_to: _, ...state } = store.state();
  const saved = store.save({ ...withPlace(state, config), incarnation: identity.incarnation });
  // A disk that hangs keeps no device from hearing of a rouge day.
  await atMost(saved, SAVED_WITHIN);
  return null;
}

/**
 * Before a start sends anything to a device, it asks who owns the base topic; resolves with the other owner if one runs. A broker
 * that is away holds no device back. But a vigie that had to leave the base topic waits longer for it: the other vigie is
 * probably well, and switches the devices.
 */
export async function askFirst(
  prepared: Promise<Owner | null>,
  { publisher, config, identity }: ClaimOptions,
  signal: AbortSignal,
): Promise<Owner | null> {
  let other: Owner | null = null;
  const answered = prepared.then((found) => {
    other = found;
  });
  const ends = [answered, aborted(signal)];
  if (identity.yieldedTo === undefined) {
    await atMost(Promise.race([...ends, publisher.failed()]), ANSWERED_WITHIN);
  } else {
    await atMost(Promise.race(ends), config.mqtt.grace + LAST_ANSWER_WITHIN);
  }
  return other;
}

/** Saves that this vigie had to leave. Resolves with whether that has to be said: once a day, and if this machine has not said it yet. */
export async function rememberYield(store: Store, owner: Owner, now: Instant): Promise<boolean> {
  const { installation } = owner;
  const { yielded_to: before, ...state } = store.state();
  const said_on = hostname();
  const age = now - (before?.said_at ?? Number.NEGATIVE_INFINITY);
  // A container that is made anew has another name, and nothing in its log yet.
  const isSame = before?.installation === installation && before.said_on === said_on;
  if (isSame && age >= 0 && age < A_DAY) return false;
  await atMost(store.save({ ...state, yielded_to: { installation, said_at: now, said_on } }), SAVED_WITHIN);
  return true;
}

/** Milliseconds: a disk that hangs does not stop a start. */
const SAVED_WITHIN = 2_000;
/** Milliseconds that a start waits for a broker that is silent. */
const ANSWERED_WITHIN = 5_000;
/** Milliseconds after `mqtt.grace`: the other vigie is asked each ten seconds, for two seconds or more. A start that ended before would be followed by a reload that waits as long once more. */
const LAST_ANSWER_WITHIN = 20_000;
const A_DAY = 86_400_000;
