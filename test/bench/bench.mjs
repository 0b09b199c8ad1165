// Speed and size beside the floor and beside what people run today: each figure with its goal, and how it was measured.
//
//   npm run bench -- [--strict] [--write] [--node-red DIR]
//
// --strict makes a missed goal an exit code; --write writes the figures into docs/figures.md. Node-RED takes part where DIR, or
// VIGIE_NODE_RED, names a folder in which it is installed (.ci/node-red DIR installs it).
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startBroker } from "./broker.mjs";
import { listContestants } from "./contestants.mjs";
import { measureDays } from "./day.mjs";
import { CONTESTANTS } from "./figures.mjs";
import { measureMemory } from "./memory.mjs";
import { findNodeRed } from "./node-red.mjs";
import { measurePage } from "./page.mjs";
import { measurePoll } from "./poll.mjs";
import { startProgram, VIGIE } from "./program.mjs";
import { createReport } from "./report.mjs";
import { measureRules } from "./rules.mjs";
import { measureSeason } from "./season.mjs";
import { measureStart } from "./start.mjs";
import { missingFigures, writeFigures } from "./table.mjs";
import { measureReports, measureValues } from "./values.mjs";
import { measureWork } from "./work.mjs";

/** Several simulators: each takes 60 requests a minute from one client, as the service does. */
const SIMULATORS = 6;
const PAGE = fileURLToPath(new URL("../../docs/figures.md", import.meta.url));
const FIGURES = fileURLToPath(new URL("figures.json", import.meta.url));

const { values: options } = parseArgs({
  options: { strict: { type: "boolean" }, write: { type: "boolean" }, "node-red": { type: "string" } },
});
const nodeRed = findNodeRed(options["node-red"] ?? process.env.VIGIE_NODE_RED);
const report = createReport((text) => process.stdout.write(`${text}\n`));
const folder = await mkdtemp(join(tmpdir(), "vigie-bench-"));
const broker = await startBroker(folder);
const versions = [
  `Node ${process.versions.node}`,
  broker.name,
  ...(nodeRed ? [`Node-RED ${nodeRed.version}`] : []),
];
const machine = `${availableParallelism()} cores, ${process.arch}, ${versions.join(", ")}`;
try {
  report.title(`On ${machine}; medians, in brackets the least and the most`);
  for (const { name, does } of Object.values(CONTESTANTS)) report.text(`${name}: ${does}`);
  if (!nodeRed)
    report.text("Node-RED is skipped: neither --node-red nor VIGIE_NODE_RED names where it is installed");
  await besideOthers();
  report.title("vigie alone, on a virtual clock");
  await measureWork({ folder }, report);
  measureRules(report);
  await measureDays({ folder }, report);
  await measureSeason({ folder }, report);
} finally {
  await broker.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
const missed = report.missed();
report.title(missed === 0 ? "Every goal is met" : `${missed} of the goals missed`);
if (options.write) await write();
process.exit(options.strict && missed > 0 ? 1 : 0);

async function besideOthers() {
  const simulators = Array.from({ length: SIMULATORS }, () =>
    startProgram(process.execPath, [VIGIE, "simulator", "--port", "0"]),
  );
  try {
    const heard = simulators.map((simulator) => simulator.says(/vigie simulator: (http:\S+)/));
    const services = (await Promise.all(heard)).map(([, service]) => service);
    await Promise.all(services.map(warm));
    const surroundings = { contestants: listContestants(nodeRed), services, broker, folder };
    await measureStart(surroundings, report);
    if (process.platform !== "linux") {
      report.text("Memory and CPU of running programs are measured on Linux only");
      return;
    }
    await measureMemory(surroundings, report);
    await measurePage(surroundings, report);
    await measurePoll(surroundings, report);
    await measureValues(surroundings, report);
    await measureReports(surroundings, report);
  } finally {
    await Promise.all(simulators.map((simulator) => simulator.end()));
  }
}

/** A service that runs for years has answered each question before. */
async function warm(service) {
  const year = "start_date=2025-12-01&end_date=2026-11-30";
  for (const path of ["", "/season", `/history?${year}`])
    await (await fetch(`${service}/v1/public${path}`)).text();
}

/** Kept as data, too: a test writes the tables from them, and finds the same. */
async function write() {
  const measured = { date: new Date().toISOString().slice(0, 10), machine, figures: report.figures() };
  const missing = missingFigures(measured.figures);
  if (missing.length > 0)
    throw new Error(`Expected every figure for the page, got none of ${missing.join(", ")}`);
  await writeFile(FIGURES, `${JSON.stringify(measured, null, 2)}\n`);
  await writeFile(PAGE, writeFigures(await readFile(PAGE, "utf8"), measured));
}
