import type { Config } from "../config/config.ts";
import { tariffDate } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import { officialColor } from "../core/days/official-color.ts";
import { topicsOfRules } from "../core/rules/rule.ts";

import { findLivingOwner, nameOwner } from "../mqtt/owner.ts";
import { openShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { deadline } from "../runtime/wait.ts";
import { probeOfficial, probeService } from "../service/probe.ts";
import { openSession, type Session } from "./ask-service.ts";
import type { Io } from "./io.ts";
import { oldPricesBy } from "./old-prices.ts";

/** What is asked, and whether both sources name the same colours. */
export type LivePart = "broker" | "service" | "official" | "agreement";

/**
 * Sends one request to each endpoint of both sources and connects to the broker; prints what was assumed where the interface is
 * open. Resolves with what is not as it should be.
 */
export async function checkLive(config: Config, io: Io): Promise<LivePart[]> {
  // The broker first: the requests to a source that does not answer take a while.
  const failed: LivePart[] = (await checkBroker(config, io)) ? [] : ["broker"];
  return io.signal.aborted ? [...failed, ...SOURCES] : [...failed, ...(await checkSources(config, io))];
}

const SOURCES: LivePart[] = ["service", "official"];

async function checkSources(config: Config, io: Io): Promise<LivePart[]> {
  const session = await openSession(config, io);
  try {
    const failed: LivePart[] = (await checkService(session, config, io)) ? [] : ["service"];
    if (io.signal.aborted) return SOURCES;
    if (!(await checkOfficial(session, config, io))) failed.push("official");
    const oldPrices = oldPricesBy(session.learnt(), config);
    if (oldPrices !== null) io.stderr.write(`warning: ${oldPrices}\n`);
    if (
      session.service &&
      session.official &&
      !checkAgreement(session.learnt(), tariffDate(systemClock.now(), config.tariff), io)
    )
      failed.push("agreement");
    return failed;
  } finally {
    await session.stop();
  }
}

async function checkService({ service, today, post }: Session, config: Config, io: Io): Promise<boolean> {
  if (!service) {
    io.stdout.write(`${mark(true)}service: none (service.base_url: none), so there are no forecasts\n`);
    return true;
  }
  const address = config.service.base_url;
  const probes = await probeService({ client: service, address, today, signal: io.signal, post });
  for (const { endpoint, answer, message, assumed } of probes) {
    io.stdout.write(`${mark(answer !== null)}service, ${endpoint}: ${message}\n`);
    for (const assumption of assumed) io.stdout.write(`        assumed: ${assumption}\n`);
  }
  return probes.every(({ answer }) => answer !== null);
}

async function checkOfficial({ official, today, post }: Session, config: Config, io: Io): Promise<boolean> {
  // Nothing was asked for, so nothing is said.
  if (!official) return true;
  const address = config.official.source;
  const probes = await probeOfficial({
    client: official,
    address,
    today,
    post,
    signal: io.signal,
    now: systemClock.now,
    tariff: config.tariff,
  });
  for (const { endpoint, answer, message } of probes) {
    io.stdout.write(`${mark(answer !== null)}official, ${endpoint}: ${message}\n`);
  }
  return probes.every(({ answer }) => answer !== null);
}

/** An official colour is one colour, whoever names it. */
function checkAgreement({ days }: KnownDays, inForce: IsoDate, io: Io): boolean {
  const said = Object.entries(days).flatMap(([date, { service_word: service, rte_word: rte }]) =>
    service && rte ? [{ date, service: service.color, rte: rte.color }] : [],
  );
  if (said.length === 0) return true;
  const different = said.filter(({ service, rte }) => service !== rte).toReversed();
  const count = said.length === 1 ? "1 day" : `${said.length} days`;
  if (different.length === 0) {
    io.stdout.write(`${mark(true)}both sources: the same colours for ${count}\n`);
    return true;
  }
  io.stdout.write(`${mark(false)}both sources: other colours for ${different.length} of ${count}\n`);
  for (const { date, service, rte } of different.slice(0, MOST_DIFFERENCES)) {
    const used = officialColor(days[date], date < inForce)?.color;
    io.stdout.write(`        ${date}: service ${service}, RTE ${rte}; vigie uses ${used}\n`);
  }
  const more = different.length - MOST_DIFFERENCES;
  if (more > 0) io.stdout.write(`        and ${more} more\n`);
  return false;
}

const MOST_DIFFERENCES = 10;

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
      post: ({ topic, retain }) => {
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
