import { readFile } from "node:fs/promises";
import { CONTESTANTS } from "./program.mjs";
import { median } from "./report.mjs";

const SETTLING = 8_000;
const RUNS = 3;

/** Anonymous memory once all is quiet, after the same while for both; a collector's moods need more than one run. */
export async function measureMemory({ services, ...surroundings }, report) {
  if (process.platform !== "linux") {
    report.text("Anonymous memory is measured on Linux only");
    return;
  }
  const names = Object.keys(CONTESTANTS);
  const runs = services.slice(0, RUNS).flatMap((service, run) => {
    return names.map((name) => {
      const base = `memory${run}${name}`;
      return { name, program: CONTESTANTS[name].start({ ...surroundings, service, base }) };
    });
  });
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
  const used = await Promise.all(
    runs.map(async ({ name, program }) => ({ name, ...(await readMemory(program.pid)) })),
  );
  await Promise.all(runs.map(({ program }) => program.end()));
  const of = (name, kind) => median(used.filter((one) => one.name === name).map((one) => one[kind]));
  report.note("anonymous memory of the floor", of("floor", "anonymous"), "MB");
  report.note("anonymous memory of vigie", of("vigie", "anonymous"), "MB");
  report.note("  resident", of("vigie", "resident"), "MB");
  const ratio = of("vigie", "anonymous") / of("floor", "anonymous");
  report.figure("anonymous memory, vigie over floor", ratio, 1.5, "x");
}

async function readMemory(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { anonymous: megabytes("Anonymous"), resident: megabytes("Rss") };
}
