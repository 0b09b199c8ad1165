import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { withoutPolls } from "./contestants.mjs";
import { readSpent } from "./spent.mjs";

const RUNS = 5;
const SETTLING = 20_000;
const REST = 60_000;
const HOUR = 3_600_000;
const HEALTH_RUNS = 7;

/**
 * All at once, each five times: how much memory the garbage collector keeps after a start varies. The floor has 23 MB or 31
 * to 37, vigie 25 or 34, and the median of three is any of them. At rest their CPU is measured, too.
 */
export async function measureMemory({ contestants, services, ...surroundings }, report) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    const service = services[run % services.length];
    for (const name of Object.keys(contestants)) {
      const place = { ...surroundings, service, base: `memory${run}${name}`, env: withoutPolls() };
      runs.push({ name, program: await contestants[name].start(place) });
    }
  }
  await pause(SETTLING);
  const look = () => Promise.all(runs.map(({ program }) => readSpent(program.pid)));
  const [began, before] = [performance.now(), await look()];
  await pause(REST);
  const [ended, after] = [performance.now(), await look()];
  const memory = await Promise.all(runs.map(({ program }) => readMemory(program.pid)));
  const idle = runs.map((_, run) => ((after[run] - before[run]) / (ended - began)) * HOUR);
  const health = await timeHealth(runs.find(({ name }) => name === "vigie").program);
  await Promise.all(runs.map(({ program }) => program.end()));
  const of = (value) => group(runs.map(({ name }, run) => [name, value(run)]));
  report.beside(
    "memory",
    of((run) => memory[run].anonymous),
  );
  report.beside(
    "resident",
    of((run) => memory[run].resident),
  );
  report.beside(
    "idle",
    of((run) => idle[run]),
  );
  report.alone("health", health);
}

async function timeHealth({ health }) {
  const times = [];
  for (let run = 0; run < HEALTH_RUNS; run += 1) {
    const program = health();
    const code = await program.gone;
    if (code !== 0) throw new Error(`Expected a running vigie to be well, got: ${program.said()}`);
    times.push(performance.now() - program.started);
  }
  return times;
}

function group(entries) {
  const runs = {};
  for (const [name, value] of entries) {
    runs[name] ??= [];
    runs[name].push(value);
  }
  return runs;
}

/** Megabytes. */
export async function readAnonymous(pid) {
  return (await readMemory(pid)).anonymous;
}

async function readMemory(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { anonymous: megabytes("Anonymous"), resident: megabytes("Rss") };
}
