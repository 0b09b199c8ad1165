// Years in virtual time with every fault, loss, death and clock step. An hour as it is: hour.mjs.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GROWTH_LIMIT } from "../season/season-heap.ts";
import { runSeason, type SeasonOutcome } from "../season/season-run.ts";
import { formatRow, formatTotal, isClean, printMetFaults, type Row, TITLES } from "./soak-table.ts";

interface Plan {
  seed: number;
  days: number;
  leak: number;
}

const HELP = `npm run soak -- [--seeds 10] [--days 366] [--jobs 2] [--leak BYTES]
npm run soak:hour -- [MINUTES]`;
const YEAR = 366;
const HEAP_EVERY = 7;
const LEAK = 1024;
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10" },
    days: { type: "string", default: String(YEAR) },
    jobs: { type: "string", default: String(Math.min(2, availableParallelism())) },
    leak: { type: "string", default: "0" },
    /** One season, for the process that asked. */
    season: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

process.exitCode = await run();

async function run(): Promise<number> {
  const [days, leak] = [count("days"), Number(values.leak)];
  if (values.help) print(HELP);
  else if (values.season !== undefined)
    print(JSON.stringify(await runOne({ seed: Number(values.season), days, leak })));
  else return (await soak(days, leak)) ? 0 : 1;
  return 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function count(name: "seeds" | "days" | "jobs"): number {
  const number = Number(values[name]);
  if (!(number > 0)) throw new Error(`Expected --${name} to be a number above 0, got ${values[name]}`);
  return number;
}

/** Years that differ: one has a 29 February, and the clock changes on other dates. */
function runOne({ seed, days, leak }: Plan): Promise<SeasonOutcome> {
  return runSeason({ seed, from: `${2026 + (seed % 4)}-09-01`, length: days, heapEvery: HEAP_EVERY, leak });
}

/** Each season in a process of its own, so that its heap is its own. */
async function soak(days: number, leak: number): Promise<boolean> {
  const plans = Array.from({ length: count("seeds") }, (_, index): Plan => ({ seed: index + 1, days, leak }));
  print(`${plans.length} seasons of ${days} days in virtual time, Node ${process.version}\n\n${TITLES}`);
  const rows: Row[] = [];
  const waiting = [...plans];
  const work = async () => {
    for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
      const row = await runInOwnProcess(plan);
      rows.push(row);
      print(formatRow(row));
    }
  };
  await Promise.all(Array.from({ length: count("jobs") }, work));
  print(formatTotal(rows));
  for (const { seed, outcome } of rows) for (const line of outcome.wrong) print(`seed ${seed}: ${line}`);
  const isMet = printMetFaults(rows, print);
  return [isMet, rows.every(isClean), await findsLeak(days, leak)].every(Boolean);
}

/** The first season once more, with a leak that has to show. */
async function findsLeak(days: number, leak: number): Promise<boolean> {
  if (days < YEAR || leak > 0) {
    print(`\nheap: ${leak > 0 ? `each poll leaked ${leak} bytes` : "judged over a whole year only"}`);
    return true;
  }
  const row = await runInOwnProcess({ seed: 1, days, leak: LEAK });
  const growth = Math.round(row.outcome.heapGrowth ?? 0);
  const isFound = growth > GROWTH_LIMIT;
  print(
    `\nheap: a season that leaks ${LEAK} bytes a poll grows by ${growth}: ${isFound ? "found" : "NOT FOUND"}`,
  );
  return isFound;
}

async function runInOwnProcess(plan: Plan): Promise<Row> {
  const started = performance.now();
  const args = ["--season", plan.seed, "--days", plan.days, "--leak", plan.leak].map(String);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`Expected season ${plan.seed} to come to its end, got exit code ${code}`);
  return { seed: plan.seed, seconds: (performance.now() - started) / 1000, outcome: JSON.parse(text) };
}
