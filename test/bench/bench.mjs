// Speed and size: each figure beside its goal. `--strict` makes a missed goal an exit code.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "./broker.mjs";
import { measureDays } from "./day.mjs";
import { measureMemory } from "./memory.mjs";
import { startProgram, VIGIE } from "./program.mjs";
import { createReport } from "./report.mjs";
import { measureRules } from "./rules.mjs";
import { measureSeason } from "./season.mjs";
import { measureStart } from "./start.mjs";
import { measureWork } from "./work.mjs";

/** Several simulators: each takes 60 requests a minute from one client, as the service does. */
const SIMULATORS = 3;

const report = createReport((text) => process.stdout.write(`${text}\n`));
const folder = await mkdtemp(join(tmpdir(), "vigie-bench-"));
try {
  await besideFloor();
  report.title("At work, on a virtual clock");
  await measureWork({ folder }, report);
  measureRules(report);
  await measureDays({ folder }, report);
  await measureSeason({ folder }, report);
} finally {
  await rm(folder, { recursive: true, force: true });
}
const missed = report.missed();
report.title(missed === 0 ? "Every goal is met" : `${missed} of the goals missed`);
process.exit(process.argv.includes("--strict") && missed > 0 ? 1 : 0);

async function besideFloor() {
  const broker = await startBroker(folder);
  const simulators = Array.from({ length: SIMULATORS }, () =>
    startProgram(process.execPath, [VIGIE, "simulator", "--port", "0"]),
  );
  try {
    const heard = simulators.map((simulator) => simulator.says(/vigie simulator: (http:\S+)/));
    const services = (await Promise.all(heard)).map(([, service]) => service);
    await Promise.all(services.map(warm));
    report.title(`Beside the floor, on ${broker.name}, Node ${process.version}`);
    await measureStart({ services, broker, folder }, report);
    await measureMemory({ services, broker, folder }, report);
  } finally {
    await Promise.all(simulators.map((simulator) => simulator.end()));
    await broker.end();
  }
}

/** A service that runs for years has answered each question before. */
async function warm(service) {
  const year = "start_date=2025-12-01&end_date=2026-11-30";
  for (const path of ["", "/season", `/history?${year}`])
    await (await fetch(`${service}/v1/public${path}`)).text();
}
