import type { Config } from "../config/config.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import { findLivingOwner, nameOwner } from "../mqtt/owner.ts";
import { openShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { deadline } from "../runtime/wait.ts";
import { probe } from "../service/probe.ts";
import { openClient } from "./ask-service.ts";
import type { Io } from "./io.ts";

/** Sends one request to each endpoint and connects to the broker; prints what was assumed where the interface is open. */
export async function checkLive(config: Config, io: Io): Promise<number> {
  // The broker first: the requests to a service that does not answer take a while.
  const broker = await checkBroker(config, io);
  if (io.signal.aborted) return 1;
  const service = await checkService(config, io);
  return service && broker ? 0 : 1;
}

async function checkService(config: Config, io: Io): Promise<boolean> {
  const { client, today, onRetry, stop } = await openClient(config, io);
  try {
    const probes = await probe({ client, config: config.service, today, signal: io.signal, onRetry });
    for (const { endpoint, ok, message, assumed } of probes) {
      io.stdout.write(`${mark(ok)}service, ${endpoint}: ${message}\n`);
      for (const assumption of assumed) io.stdout.write(`        assumed: ${assumption}\n`);
    }
    return probes.every(({ ok }) => ok);
  } finally {
    await stop();
  }
}

async function checkBroker({ mqtt, instance, tariff, rules }: Config, io: Io): Promise<boolean> {
  const say = (ok: boolean, words: string) => {
    io.stdout.write(`${mark(ok)}broker, ${mqtt.url}: ${words}\n`);
    return ok;
  };
  if (mqtt.url === "embedded") return say(true, "vigie starts a broker of its own, for a first look");
  /** The topics outside of the base topic that the broker holds. */
  const retained = new Set<string>();
  const limit = deadline(LIMIT, io.signal, () => new Error(`no answer within ${LIMIT / 1000} s`));
  try {
    const visit = await openShortConnection({
      broker: mqtt,
      instance,
      random: Math.random,
      signal: limit.signal,
      onOutsideMessage: ({ topic, retain }) => {
        if (retain) retained.add(topic);
      },
    });
    const topics = await visit.read();
    const living = await findLivingOwner(visit, { clock: systemClock, signal: limit.signal });
    const topicsOfValues = topicsOfRules(rules);
    if (topicsOfValues.length > 0) await visit.link.readRetained(topicsOfValues);
    await visit.close();
    const owner = living ? `; ${nameOwner(living, systemClock.now(), tariff.time_zone)} runs here` : "";
    const version =
      visit.version === 5
        ? "MQTT 5"
        : "MQTT 3.1.1 only: values do not expire, and a restart of vigie shows as offline";
    say(true, `${version}, ${topics.size} topics below ${mqtt.base_topic}${owner}`);
    for (const topic of topicsOfValues.filter((one) => !retained.has(one))) {
      io.stdout.write(
        `        note: the broker holds no value on ${topic}: after a restart of vigie it is unknown until it is published again\n`,
      );
    }
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return say(false, error.message);
  } finally {
    limit.clear();
  }
}

function mark(ok: boolean): string {
  return ok ? "ok      " : "FAILED  ";
}

const LIMIT = 60_000;
