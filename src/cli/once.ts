import { pollOnce, type SinglePoll } from "../app/single-poll.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { type Change, diffTopics } from "../core/topics/diff-topics.ts";
import { secondsLeft, type Topics } from "../core/topics/topic.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import { isOrphan, nestedBases } from "../mqtt/nested-bases.ts";
import { findLivingOwner, nameOwner } from "../mqtt/owner.ts";
import { openShortConnection, type ShortConnection } from "../mqtt/short-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { oneLine } from "../runtime/escape-controls.ts";
import { takeLock } from "../runtime/lock.ts";
import { openStore, openStoreInMemory, type Store } from "../state/store.ts";
import { CommandFailed, toExitCode, Yielded } from "./exit-code.ts";
import { type Heard, hearValues, tellUnheard } from "./hear-values.ts";
import type { Io } from "./io.ts";
import { openLogs } from "./open-logs.ts";
import { folderTaken, ONCE } from "./take-folder.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/**
 * `vigie once`: one poll, published. Refused while a vigie runs. `--dry-run` only prints what it would publish: it takes no
 * lock, changes nothing in the state folder, and so runs beside a vigie.
 */
export function once(args: string[], io: Io): Promise<number> {
  return toExitCode("once", io, async () => {
    const { values } = readArgs({ args, options: OPTIONS });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    if (values["dry-run"]) {
      await printPlan(config, io);
      return;
    }
    const lock = await takeLock(config.state, `${ONCE}, process ${process.pid}`);
    if ("heldBy" in lock) throw new Yielded(folderTaken(config.state, lock.heldBy));
    try {
      await pollAndPublish(config, io);
    } finally {
      if ("release" in lock) await lock.release();
    }
  });
}

const OPTIONS = { config: { type: "string" }, "dry-run": { type: "boolean", default: false } } as const;

async function pollAndPublish(config: Config, io: Io): Promise<void> {
  if (config.mqtt.url === "embedded") {
    throw new WrongUsage(
      "Expected mqtt.url to be the address of a broker, got embedded: the embedded broker would stop with this command (--dry-run needs no broker)",
    );
  }
  const visit = await connectTo(config, io);
  try {
    const living = await findLivingOwner(visit, { clock: systemClock, signal: io.signal });
    if (living)
      throw new Yielded(
        `Another vigie publishes below ${config.mqtt.base_topic}: ${nameOwner(living, systemClock.now(), config.tariff.time_zone)}. Stop it first`,
      );
    const found = await visit.read();
    const logs = openLogs(config);
    const store = await openStore(config.state, { ...logs, random: Math.random });
    const heard = await hear(config, store, io);
    const poll = await pollOnce(config, { store, ...logs, signal: io.signal, heard });
    const { topics } = poll;
    const changes = planFrom(found, topics);
    print(changes, found, io);
    await apply(changes, visit);
    await store.flush();
    tellFailures(poll, io);
  } finally {
    await visit.close();
  }
}

async function printPlan(config: Config, io: Io): Promise<void> {
  const store = await openStoreInMemory(config.state, Math.random);
  const broker = config.mqtt.url === "embedded" ? null : await askBroker(config, store, io);
  // Without a broker rules that depend on values stay as they were.
  const heard = broker?.heard ?? null;
  const poll = await pollOnce(config, { store, ...openLogs(config), signal: io.signal, heard });
  const found = broker?.found ?? new Map();
  print(planFrom(found, poll.topics), found, io);
  tellFailures(poll, io);
}

/** What it holds; null where it is not there, which is no reason to print nothing. */
async function askBroker(config: Config, store: Store, io: Io) {
  try {
    const found = await readTopics(config, io);
    const heard = await hear(config, store, io);
    tellUnheard(config.rules, heard.values, io);
    return { found, heard };
  } catch (error) {
    if (io.signal.aborted || !(error instanceof BrokerError)) throw error;
    io.stderr.write(
      `vigie: ${error.message}. So every topic is shown as a new one, and rules on values of the house as they were\n`,
    );
    return null;
  }
}

/** One source is enough: what the other one would have said is in the state file, or in what this one said. */
function tellFailures({ failures, fresh }: SinglePoll, io: Io): void {
  if (!fresh) throw new CommandFailed(failures.join("; "));
  for (const failure of failures) io.stderr.write(`vigie: ${failure}\n`);
}

function hear(config: Config, store: Store, { signal }: Io): Promise<Heard> {
  return hearValues({ config, broker: config.mqtt, state: store.state(), signal, withPublished: false });
}

async function readTopics(config: Config, io: Io): Promise<Map<string, string>> {
  const visit = await connectTo(config, io);
  try {
    const living = await findLivingOwner(visit, { clock: systemClock, signal: io.signal });
    if (living) {
      const owner = nameOwner(living, systemClock.now(), config.tariff.time_zone);
      io.stderr.write(
        `vigie: a vigie runs and publishes below ${config.mqtt.base_topic}: ${owner}. What it has published differs from this poll also in times of its own, and in what only it has heard or has not saved yet\n`,
      );
    }
    return await visit.read();
  } finally {
    await visit.close();
  }
}

function print(changes: readonly Change[], found: ReadonlyMap<string, string>, { stdout }: Io): void {
  const lines = changes.map((change) => describe(change, found)).join("");
  stdout.write(lines || "No topic changes\n");
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
  if (change.kind === "clear") return `- ${oneLine(change.topic)}\n`;
  const { topic, value } = change;
  const before = found.get(topic);
  if (before === value.payload) return "";
  return before === undefined
    ? `+ ${topic} ${value.payload}\n`
    : `~ ${topic} ${value.payload} (was ${oneLine(before)})\n`;
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
