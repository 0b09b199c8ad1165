import { healthPath, readHealth } from "../app/health-file.ts";
import type { FoundHealth } from "../app/judge-health.ts";
import type { Config } from "../config/config.ts";
import { localTime } from "../core/calendar/dates.ts";
import { MQTT_PORT } from "../mqtt/broker-address.ts";
import { BrokerError, ConnectFailed } from "../mqtt/broker-errors.ts";
import { openShortConnection, type ShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { deadline } from "../runtime/wait.ts";
import { CommandFailed } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { brokerProblem } from "./show-topics.ts";

/** What a vigie has published, and the connection over which it was read. */
export interface Visit {
  /** Of the broker. */
  url: string;
  topics: Map<string, string>;
  connection: ShortConnection;
  /** It has changed since the command began if vigie has ended meanwhile. */
  readHealth: () => Promise<FoundHealth | null>;
}

/** Reads what a vigie has published. The connection is closed after `use`. */
export async function visitVigie(
  config: Config,
  io: Io,
  use: (visit: Visit) => Promise<void>,
): Promise<void> {
  const healthFile = await healthPath(config.state, io.env);
  const health = await readHealth(healthFile);
  const url = findBroker(config, health);
  const answer = deadline(ANSWER_LIMIT, io.signal, () => new BrokerError(noAnswer(url)));
  let connection: ShortConnection | undefined;
  try {
    connection = await connectTo(url, { config, health, signal: answer.signal });
    const topics = await connection.read().catch((error: unknown) => {
      throw answer.signal.aborted ? answer.signal.reason : error;
    });
    answer.clear();
    if (topics.size === 0)
      throw new CommandFailed(
        `There are no topics below ${config.mqtt.base_topic} on ${url}: no vigie has published there`,
      );
    await use({ url, topics, connection, readHealth: () => readHealth(healthFile) });
  } finally {
    answer.clear();
    await connection?.close();
  }
}

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

/** Milliseconds. Somebody waits for it. */
const ANSWER_LIMIT = 10_000;
