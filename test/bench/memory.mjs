import { readFile } from "node:fs/promises";
import { CONTESTANTS } from "./program.mjs";

const SETTLING = 8_000;

/** Anonymous memory once all is quiet, both after the same while. */
export async function measureMemory(surroundings, report) {
  if (process.platform !== "linux") {
    report.text("Anonymous memory is measured on Linux only");
    return;
  }
  const programs = Object.entries(CONTESTANTS).map(([name, { start }]) => [
    name,
    start({ ...surroundings, base: `memory${name}` }),
  ]);
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
  const used = {};
  for (const [name, program] of programs) used[name] = await readMemory(program.pid);
  await Promise.all(programs.map(([, program]) => program.end()));
  const { floor, vigie } = used;
  report.note("anonymous memory of the floor", floor.anonymous, "MB");
  report.note("anonymous memory of vigie", vigie.anonymous, "MB");
  report.note("  resident", vigie.resident, "MB");
  report.figure("anonymous memory, vigie over floor", vigie.anonymous / floor.anonymous, 1.5, "x");
}

async function readMemory(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { anonymous: megabytes("Anonymous"), resident: megabytes("Rss") };
}
