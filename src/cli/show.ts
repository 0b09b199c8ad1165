import { loadConfig } from "../config/load-config.ts";
import type { ShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { escapeControls } from "../runtime/escape-controls.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatTopics } from "./show-topics.ts";
import { readArgs } from "./usage.ts";
import { visitVigie } from "./visit-vigie.ts";

/** `vigie show`: what a running vigie has published, as a page; with `--watch` again after each change. */
export function show(args: string[], io: Io): Promise<number> {
  return toExitCode("show", io, async () => {
    const { values } = readArgs({ args, options: OPTIONS });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    await visitVigie(config, io, async ({ url, topics, connection, readHealth }) => {
      const format = async (topics: ReadonlyMap<string, string>) => {
        if (values.json) return asJson(topics);
        return formatTopics(topics, {
          title: `${url}, ${config.mqtt.base_topic}`,
          color: io.color,
          zone: config.tariff.time_zone,
          now: systemClock.now(),
          health: await readHealth(),
          isWatched: values.watch,
        });
      };
      io.stdout.write(await format(topics), "painted");
      if (values.watch) await follow(connection, topics, format, io);
    });
  });
}

const OPTIONS = {
  config: { type: "string" },
  watch: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

/** Prints the page again after a change, once for changes that come together, until a signal or the broker ends it. */
async function follow(
  connection: ShortConnection,
  topics: Map<string, string>,
  format: (topics: Map<string, string>) => Promise<string>,
  io: Io,
): Promise<void> {
  let due: NodeJS.Timeout | undefined;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const stop = connection.listen(({ topic, payload }) => {
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
  const why = await Promise.race([left, connection.closed, failed]).finally(() => {
    stop();
    clearTimeout(due);
  });
  if (why !== undefined) throw new CommandFailed(`The connection to the broker was lost: ${why}`);
}

function asJson(topics: ReadonlyMap<string, string>): string {
  return escapeControls(`${JSON.stringify(Object.fromEntries([...topics].sort()), null, 2)}\n`);
}

const CLEAR_SCREEN = "\u001b[2J\u001b[H";
const TOGETHER = 200;
