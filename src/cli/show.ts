import { healthPath, readHealth } from "../app/health-file.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { MQTT_PORT } from "../mqtt/broker-address.ts";
import { ConnectFailed } from "../mqtt/broker-errors.ts";
import { openShortConnection, type ShortConnection } from "../mqtt/short-connection.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatTopics } from "./show-topics.ts";
import { readArgs } from "./usage.ts";

/** `vigie show`: what a running vigie has published, as a page; with `--watch` again after each change. */
export function show(args: string[], io: Io): Promise<number> {
  return toExitCode("show", io, async () => {
    const { values } = readArgs({ args, options: OPTIONS });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    const url = await findBroker(config, io);
    const visit = await connectTo(url, config, io);
    try {
      const print = (topics: ReadonlyMap<string, string>) =>
        io.stdout.write(
          values.json
            ? asJson(topics)
            : formatTopics(topics, {
                title: `${url}, ${config.mqtt.base_topic}`,
                color: io.color,
                zone: config.tariff.time_zone,
              }),
        );
      const topics = await visit.read();
      if (topics.size === 0)
        throw new CommandFailed(
          `There are no topics below ${config.mqtt.base_topic} on ${url}: no vigie has published there`,
        );
      print(topics);
      if (values.watch) await follow(visit, topics, print, io);
    } finally {
      await visit.close();
    }
  });
}

const OPTIONS = {
  config: { type: "string" },
  watch: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

/** The embedded broker may use another port: a running vigie writes it into its health file. */
async function findBroker(config: Config, io: Io): Promise<string> {
  if (config.mqtt.url !== "embedded") return config.mqtt.url;
  const port = (await readHealth(await healthPath(config.state, io.env)))?.health.broker.port;
  return `mqtt://127.0.0.1:${port ?? MQTT_PORT}`;
}

async function connectTo(url: string, { mqtt, instance }: Config, { signal }: Io): Promise<ShortConnection> {
  try {
    return await openShortConnection({ broker: { ...mqtt, url }, instance, random: Math.random, signal });
  } catch (error) {
    if (mqtt.url !== "embedded" || !(error instanceof ConnectFailed)) throw error;
    throw new CommandFailed(
      `No vigie runs with this configuration: its embedded broker does not answer at ${url}. Start vigie first, or name the configuration file of the vigie that runs (--config)`,
      { cause: error },
    );
  }
}

/** Prints the page again after a change, once for changes that come together, until a signal or the broker ends it. */
async function follow(
  visit: ShortConnection,
  topics: Map<string, string>,
  print: (topics: Map<string, string>) => void,
  io: Io,
): Promise<void> {
  let due: NodeJS.Timeout | undefined;
  const stop = visit.listen(({ topic, payload }) => {
    if (topic.startsWith("owner/") || topic === "event") return;
    if (topics.get(topic) === payload && due === undefined) return;
    topics.set(topic, payload);
    due ??= setTimeout(() => {
      due = undefined;
      if (io.color) io.stdout.write(CLEAR_SCREEN);
      print(topics);
    }, TOGETHER);
  });
  const left = new Promise<void>((resolve) =>
    io.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  const why = await Promise.race([left, visit.closed]);
  stop();
  clearTimeout(due);
  if (why !== undefined) throw new CommandFailed(`The connection to the broker was lost: ${why}`);
}

function asJson(topics: ReadonlyMap<string, string>): string {
  return `${JSON.stringify(Object.fromEntries([...topics].sort()), null, 2)}\n`;
}

const CLEAR_SCREEN = "\u001b[2J\u001b[H";
const TOGETHER = 200;
