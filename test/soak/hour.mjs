// One real hour at real speed: the built program as its owner has it, between `vigie simulator` and a broker, and what it cost.
import { watch } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { startBroker } from "../bench/broker.mjs";
import { startProgram } from "../bench/program.mjs";

const VIGIE = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../config/vigie.yaml", import.meta.url));
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The start is over, and the young generation has found its size. */
const SETTLED = 5 * MINUTE;
const TICKS_A_SECOND = 100;

const minutes = Number(process.argv[2] ?? 60);
if (!(minutes > 0)) throw new Error(`Expected a number of minutes, got ${process.argv[2]}`);
process.exitCode = (await runHour(minutes, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1;

/** Prints the figures of that many minutes; resolves with whether vigie ran through them. */
async function runHour(minutes, write) {
  if (process.platform !== "linux") throw new Error("Memory is measured on Linux only");
  const folder = await mkdtemp(join(tmpdir(), "vigie-hour-"));
  // As systemd has it: the health file is in memory, and writes nothing to the disk.
  const memory = await mkdtemp("/dev/shm/vigie-hour-");
  const ends = [folder, memory].map((one) => () => rm(one, { recursive: true, force: true }));
  try {
    const broker = await startBroker(folder);
    ends.push(broker.end);
    const simulator = startProgram(process.execPath, [VIGIE, "simulator", "--port", "0"]);
    ends.push(simulator.end);
    const [, service] = await simulator.says(/vigie simulator: (http:\S+)/);
    const heard = await countMessages(broker.port);
    ends.push(heard.end);
    const vigie = await startVigie({ service, broker, folder, memory });
    const writes = countWrites(join(folder, "state"));
    ends.push(writes.end);
    const outcome = await watchProgram(vigie, minutes * MINUTE);
    if (!outcome.isGone) await vigie.end();
    printFigures({ ...outcome, minutes, broker, messages: heard.counts, writes: writes.count() }, write);
    if (outcome.isGone) write(vigie.said());
    return !outcome.isGone;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startVigie({ service, broker, folder, memory }) {
  await mkdir(join(folder, "state"));
  // As the service and the image start it.
  return startProgram(process.execPath, ["--max-semi-space-size=1", VIGIE, "run"], {
    VIGIE_CONFIG: CONFIG,
    VIGIE_SERVICE_BASE_URL: service,
    VIGIE_MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
    VIGIE_STATE: join(folder, "state"),
    VIGIE_LOG_FORMAT: "json",
    RUNTIME_DIRECTORY: memory,
  });
}

/** All that vigie sends, Home Assistant's messages included; after the first snapshot apart. */
async function countMessages(port) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
  const counts = { all: 0, settled: 0 };
  const started = performance.now();
  client.on("message", () => {
    counts.all += 1;
    if (performance.now() - started > SETTLED) counts.settled += 1;
  });
  await client.subscribeAsync("#");
  return { counts, end: () => client.endAsync() };
}

/** The state file is replaced as a whole: each replacement is one write. */
function countWrites(folder) {
  let count = 0;
  const watcher = watch(folder, (kind, name) => {
    if (kind === "rename" && name === "state.json") count += 1;
  });
  return { count: () => count, end: () => watcher.close() };
}

async function watchProgram(program, length) {
  let isGone = false;
  void program.gone.then(() => {
    isGone = true;
  });
  const peak = { anonymous: 0, resident: 0, settled: 0 };
  const curve = [];
  let latest = await measure(program.pid);
  while (!isGone && performance.now() - program.started < length) {
    await new Promise((resolve) => setTimeout(resolve, SECOND));
    const now = await measure(program.pid).catch(() => undefined);
    if (!now) break;
    latest = now;
    peak.anonymous = Math.max(peak.anonymous, now.anonymous);
    peak.resident = Math.max(peak.resident, now.peakResident);
    const age = performance.now() - program.started;
    if (age > SETTLED) peak.settled = Math.max(peak.settled, now.anonymous);
    if (age >= (curve.length + 1) * 10 * MINUTE) curve.push(now.anonymous);
  }
  return { isGone, peak, latest, curve };
}

async function measure(pid) {
  const [rollup, status, stat, io] = await Promise.all(
    ["smaps_rollup", "status", "stat", "io"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8")),
  );
  const megabytes = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  // After the command's name in brackets: utime and stime are the twelfth and thirteenth.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return {
    anonymous: megabytes(rollup, "Anonymous"),
    peakResident: megabytes(status, "VmHWM"),
    cpu: (user + system) / TICKS_A_SECOND,
    written: Number(/^write_bytes: (\d+)/m.exec(io)?.[1]) / 1024,
  };
}

function printFigures({ minutes, broker, isGone, peak, latest, curve, messages, writes }, write) {
  const line = (name, figure) => write(`${name.padEnd(58)} ${figure}`);
  const megabytes = (value) => `${value.toFixed(1)} MB`;
  write(
    `\n${minutes} minutes at real speed, the rules as shipped, on ${broker.name}, Node ${process.version}`,
  );
  line("peak anonymous memory", megabytes(peak.anonymous));
  line("  after the first five minutes", megabytes(peak.settled));
  line("  every ten minutes", curve.map((value) => value.toFixed(1)).join(" "));
  line("peak resident memory (with the shared pages of node itself)", megabytes(peak.resident));
  line("CPU, start included", `${latest.cpu.toFixed(2)} s`);
  line("writes of the state file", String(writes));
  line("bytes written to the disk", `${Math.round(latest.written)} KB`);
  line("messages", String(messages.all));
  line("  after the first five minutes", String(messages.settled));
  if (isGone) write("vigie ended before its time:");
}
