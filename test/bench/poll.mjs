import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openGate } from "./gate.mjs";
import { openLeaps, withoutLeaps } from "./leaps.mjs";
import { observe } from "./observer.mjs";
import { startProgram, VIGIE } from "./program.mjs";
import { readSpent } from "./spent.mjs";

const CRON = fileURLToPath(new URL("cron.sh", import.meta.url));
const HOURS = 9;
const HOUR = 3_600_000;
const PATIENCE = 15_000;
/** The garbage collector runs after the start; that is no part of a poll. */
const SETTLING = 12_000;
/** A program reads its time anew each second. */
const SEEN_WITHIN = 1_200;
/** For what follows the first request: other requests, and messages. */
const AFTERMATH = 1_000;

/**
 * A running program polls once an hour, and cannot be told to do so more often. So its time, and that of its service, is
 * set forward hour by hour: a day in January, from the morning's forecast to after the announcement. The programs are
 * measured one after the other, each with a time and a service of its own, so that the others do nothing meanwhile.
 */
export async function measurePoll({ contestants, folder, broker }, report) {
  if (withoutLeaps) {
    report.text(`CPU of a poll is skipped: ${withoutLeaps}`);
    return;
  }
  const { floor: _, ...daemons } = contestants;
  const runs = [];
  for (const [name, contestant] of Object.entries(daemons)) {
    runs.push({ name, ...(await startRun(contestant, { broker, folder, base: `poll${name}` })) });
  }
  await pause(SETTLING);
  const cron = openCron({ service: runs[0].service, broker, folder }, report);
  const first = await cron?.();
  const asked = runs.map(({ gate }) => gate.count());
  const polls = [...runs.map((run) => [run.name, () => pollOnce(run)]), ...(cron ? [["cron", cron]] : [])];
  const spent = Object.fromEntries(polls.map(([name]) => [name, []]));
  for (let hour = 0; hour < HOURS; hour += 1) {
    for (const [name, poll] of polls) spent[name].push(await poll());
    // A program that runs right after another finds Node in the CPU caches: the order changes each hour.
    polls.push(polls.shift());
  }
  report.beside("poll", spent);
  const requests = runs.map(({ name, gate }, index) => `${name} ${gate.count() - asked[index]}`);
  report.text(`requests in these ${HOURS} hours: ${requests.join(", ")}, cron ${HOURS}`);
  if (first !== undefined)
    report.text(`the script's first run, with all topics to publish: ${Math.round(first)} ms`);
  for (const run of runs) await run.end();
}

async function startRun({ start, isDone, isWhole = isDone }, { base, ...surroundings }) {
  const from = nextWinter(Date.now());
  const [served, time] = await Promise.all(
    ["service", "program"].map((whose) =>
      openLeaps(join(surroundings.folder, `${base}.${whose}.time`), from),
    ),
  );
  const simulator = startProgram(process.execPath, [VIGIE, "simulator", "--port", "0"], served.env);
  const [, service] = await simulator.says(/vigie simulator: (http:\S+)/);
  const gate = await openGate(service);
  const program = await start({ ...surroundings, base, service: gate.url, env: time.env });
  const observer = await observe(surroundings.broker.port, base);
  await observer.until(isWhole, program);
  await observer.end();
  const end = async () => {
    await program.end();
    await simulator.end();
    gate.close();
  };
  return { served, time, service, gate, program, end };
}

function nextWinter(now) {
  return Date.UTC(new Date(now).getUTCFullYear() + 1, 0, 5, 5, 10);
}

/** The CPU that it has used from before its time was set forward until its poll was over. */
async function pollOnce({ served, time, gate, program }) {
  // The service first: the program doubts its own clock when an answer is an hour old.
  await served.leap(HOUR);
  await pause(SEEN_WITHIN);
  const [before, asked] = [await readSpent(program.pid), gate.count()];
  await time.leap(HOUR);
  const limit = performance.now() + PATIENCE;
  while (gate.count() === asked) {
    if (performance.now() > limit) throw new Error(`Expected a poll each hour, got: ${program.said()}`);
    await pause(50);
  }
  await pause(AFTERMATH);
  return (await readSpent(program.pid)) - before;
}

/** The script as cron would run it; undefined where its programs are not installed. */
function openCron({ service, broker, folder }, report) {
  const lacking = ["bash", "curl", "jq", "mosquitto_pub"].filter((name) => !isInstalled(name));
  if (lacking.length > 0) {
    report.text(`the cron script is skipped: ${lacking.join(", ")} not installed`);
    return undefined;
  }
  const args = [service, "127.0.0.1", String(broker.port), "cron", join(folder, "cron")];
  // User and system time of it and of all that it starts, by the shell that waits for them.
  const timed = 'TIMEFORMAT="spent %3U %3S"; time "$0" "$@"';
  return async () => {
    const { stderr } = await promisify(execFile)("bash", ["-c", timed, CRON, ...args]);
    const [, user, system] = /spent (\S+) (\S+)/.exec(stderr);
    return (Number(user) + Number(system)) * 1000;
  };
}

function isInstalled(name) {
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, name)));
}
