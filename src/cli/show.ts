import { healthPath, readHealth } from "../app/health-file.ts";
import type { FoundHealth } from "../app/judge-health.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { localTime } from "../core/calendar/dates.ts";
import { MQTT_PORT } from "../mqtt/broker-address.ts";
import { BrokerError, ConnectFailed } from "../mqtt/broker-errors.ts";
import { openShortConnection, type ShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { escapeControls } from "../runtime/escape-controls.ts";
import { deadline } from "../runtime/wait.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { brokerProblem, formatTopics } from "./show-topics.ts";
import { readArgs } from "./usage.ts";

/** `vigie show`: what a running vigie has published, as a page; with `--watch` again after each change. */
export function show(args: string[], io: Io): Promise<number> {
  return toExitCode("show", io, async () => {
    const { values } = readArgs({ args, options: OPTIONS });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    const healthFile = await healthPath(config.state, io.env);
    const health = await readHealth(healthFile);
    const url = findBroker(config, health);
    const answer = deadline(ANSWER_LIMIT, io.signal, () => new BrokerError(noAnswer(url)));
    let visit: ShortConnection | undefined;
    try {
      visit = await connectTo(url, { config, health, signal: answer.signal });
      const format = async (topics: ReadonlyMap<string, string>) => {
        if (values.json) return asJson(topics);
        return formatTopics(topics, {
          title: `${url}, ${config.mqtt.base_topic}`,
          color: io.color,
          zone: config.tariff.time_zone,
          now: systemClock.now(),
          // It has changed since the command began where vigie has ended meanwhile.
          health: await readHealth(healthFile),
          isWatched: values.watch,
        });
      };
      const topics = await visit.read().catch((error: unknown) => {
        throw answer.signal.aborted ? answer.signal.reason : error;
      });
      answer.clear();
      if (topics.size === 0)
        throw new CommandFailed(
          `There are no topics below ${config.mqtt.base_topic} on ${url}: no vigie has published there`,
        );
      io.stdout.write(await format(topics), "painted");
      if (values.watch) await follow(visit, topics, format, io);
    } finally {
      answer.clear();
      await visit?.close();
    }
  });
}

const OPTIONS = {
  config: { type: "string" },
  watch: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

/** The embedded broker may use another port: a running vigie writes it into its health file. */
export function findBroker({ mqtt }: Config, health: FoundHealth | null): string {
  if (mqtt.url !== "embedded") return mqtt.url;
  return `mqtt://127.0.0.1:${health?.health.broker.port ?? MQTT_PORT}`;
}

interface ConnectOptions {
  config: Config;
  health: FoundHealth | null;
  signal: AbortSignal;
}

async function connectTo(url: string, { config, health, signal }: ConnectOptions): Promise<ShortConnection> {
  const { mqtt, instance, tariff } = config;
  try {
    return await openShortConnection({ broker: { ...mqtt, url }, instance, random: Math.random, signal });
  } catch (error) {
    if (mqtt.url !== "embedded" && error instanceof BrokerError) {
      const problem = brokerProblem(health, systemClock.now(), tariff.time_zone);
      throw problem === null ? error : new CommandFailed(`${error.message}. ${problem}`, { cause: error });
    }
    if (!(error instanceof ConnectFailed)) throw error;
    const at = health && localTime(health.health.at, systemClock.now(), tariff.time_zone);
    const since = at === null ? "" : `, and its last report is of ${at}`;
    throw new CommandFailed(
      `No vigie runs with this configuration: its embedded broker does not answer at ${url}${since}. Start vigie first, or name the configuration file of the vigie that runs (--config)`,
      { cause: error },
    );
  }
}

function noAnswer(url: string): string {
  return `The broker at ${url} has not answered within ${ANSWER_LIMIT / 1000} s. Check that it is not frozen or overloaded, and that the port is that of a broker`;
}

/** Prints the page again after a change, once for changes that come together, until a signal or the broker ends it. */
async function follow(
  visit: ShortConnection,
  topics: Map<string, string>,
  format: (topics: Map<string, string>) => Promise<string>,
  io: Io,
): Promise<void> {
  let due: NodeJS.Timeout | undefined;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const stop = visit.listen(({ topic, payload }) => {
    if (topic.startsWith("owner/") || topic === "event") return;
    if (topics.get(topic) === payload && due === undefined) return;
    topics.set(topic, payload);
    due ??= setTimeout(() => {
      due = undefined;
      format(topics).then((page) => io.stdout.write((io.color ? CLEAR_SCREEN : "") + page, "painted"), fail);
    }, TOGETHER);
  });
  const left = new Promise<void>((resolve) =>
    io.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  const why = await Promise.race([left, visit.closed, failed]).finally(() => {
    stop();
    clearTimeout(due);
  });
  if (why !== undefined) throw new CommandFailed(`The connection to the broker was lost: ${why}`);
}

function asJson(topics: ReadonlyMap<string, string>): string {
  return escapeControls(`${JSON.stringify(Object.fromEntries([...topics].sort()), null, 2)}\n`);
}

/** Milliseconds. Somebody waits for it. */
const ANSWER_LIMIT = 10_000;
const CLEAR_SCREEN = "\u001b[2J\u001b[H";
const TOGETHER = 200;
