import { pollOnce } from "../app/single-poll.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { type Change, diffTopics } from "../core/topics/diff-topics.ts";
import { secondsLeft, type Topics } from "../core/topics/topic.ts";
import { isOrphan, nestedBases } from "../mqtt/nested-bases.ts";
import { findLivingOwner, nameOwner } from "../mqtt/owner.ts";
import { openShortConnection, type ShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { takeLock } from "../runtime/lock.ts";
import { createLog, openOutput } from "../runtime/log.ts";
import { createProblemLog } from "../runtime/problem-log.ts";
import { openStore } from "../state/store.ts";
import { CommandFailed, toExitCode, Yielded } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { folderTaken, ONCE } from "./take-folder.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie once`: one poll, published. Refused while a vigie runs. `--dry-run` only prints what it would publish. */
export function once(args: string[], io: Io): Promise<number> {
  return toExitCode("once", io, async () => {
    const { values } = readArgs({ args, options: OPTIONS });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    const lock = await takeLock(config.state, `${ONCE}, process ${process.pid}`);
    if ("heldBy" in lock) throw new Yielded(folderTaken(config.state, lock.heldBy));
    try {
      await pollAndPublish(config, values["dry-run"], io);
    } finally {
      if ("release" in lock) await lock.release();
    }
  });
}

const OPTIONS = { config: { type: "string" }, "dry-run": { type: "boolean", default: false } } as const;

async function pollAndPublish(config: Config, dryRun: boolean, io: Io): Promise<void> {
  if (config.mqtt.url === "embedded" && !dryRun) {
    throw new WrongUsage(
      "Expected mqtt.url to be the address of a broker, got embedded: the embedded broker would stop with this command (--dry-run needs no broker)",
    );
  }
  const visit = config.mqtt.url === "embedded" ? null : await connectTo(config, io);
  try {
    const living = visit && (await findLivingOwner(visit, { clock: systemClock, signal: io.signal }));
    if (living)
      throw new Yielded(
        `Another vigie publishes below ${config.mqtt.base_topic}: ${nameOwner(living, systemClock.now(), config.tariff.time_zone)}. Stop it first`,
      );
    const found = (await visit?.read()) ?? new Map<string, string>();
    const log = createLog(
      { level: "warn", format: "pretty", secrets: [config.mqtt.password ?? ""] },
      openOutput(2),
    );
    const store = await openStore(config.state, {
      log,
      problemLog: createProblemLog(log, systemClock),
      random: Math.random,
    });
    const { topics, failures, fresh } = await pollOnce(config, { store, log, signal: io.signal });
    const changes = planFrom(found, topics);
    const lines = changes.map((change) => describe(change, found)).join("");
    io.stdout.write(lines || "No topic changes\n");
    if (!dryRun && visit) await apply(changes, visit);
    await store.flush();
    if (!fresh) throw new CommandFailed(failures.join("; "));
    // One source is enough: what the other one would have said is in the state file, or in what this one said.
    for (const failure of failures) io.stderr.write(`vigie: ${failure}\n`);
  } finally {
    await visit?.close();
  }
}

function connectTo(config: Config, { signal }: Io): Promise<ShortConnection> {
  const { mqtt, instance } = config;
  return openShortConnection({ broker: mqtt, instance, random: Math.random, signal });
}

function planFrom(found: ReadonlyMap<string, string>, desired: Topics): Change[] {
  const nested = nestedBases(found);
  const ours = [...found].filter(([topic]) => desired.has(topic) || isOrphan(topic, desired, nested));
  return diffTopics(new Map(ours.map(([topic, payload]) => [topic, { payload }])), desired);
}

/** An equal value with a new expiry is sent again, but nothing is printed for it. */
function describe(change: Change, found: ReadonlyMap<string, string>): string {
  if (change.kind === "clear") return `- ${change.topic}\n`;
  const { topic, value } = change;
  const before = found.get(topic);
  if (before === value.payload) return "";
  return before === undefined
    ? `+ ${topic} ${value.payload}\n`
    : `~ ${topic} ${value.payload} (was ${before})\n`;
}

async function apply(changes: readonly Change[], visit: ShortConnection): Promise<void> {
  await Promise.all(
    changes.map((change) => {
      if (change.kind === "clear") return visit.publish({ topic: change.topic, payload: "", retain: true });
      const { payload } = change.value;
      const left = secondsLeft(change.value, systemClock.now());
      return visit.publish({
        topic: change.topic,
        payload,
        retain: true,
        ...(left !== undefined && { expiry: left }),
      });
    }),
  );
}
