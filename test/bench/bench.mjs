// Speed and size: each figure beside its goal. `--strict` makes a missed goal an exit code.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "./broker.mjs";
import { measureMemory } from "./memory.mjs";
import { startProgram, VIGIE } from "./program.mjs";
import { createReport } from "./report.mjs";
import { measureStart } from "./start.mjs";

const report = createReport((text) => process.stdout.write(`${text}\n`));
const folder = await mkdtemp(join(tmpdir(), "vigie-bench-"));
const broker = await startBroker(folder);
const simulator = startProgram(process.execPath, [VIGIE, "simulator", "--port", "0"]);
try {
  const [, service] = await simulator.says(/vigie simulator: (http:\S+)/);
  const surroundings = { service, broker, folder };
  report.title(`Beside the floor, on ${broker.name}, Node ${process.version}`);
  await measureStart(surroundings, report);
  await measureMemory(surroundings, report);
} finally {
  await simulator.end();
  await broker.end();
  await rm(folder, { recursive: true, force: true });
}
process.exit(process.argv.includes("--strict") && report.missed() > 0 ? 1 : 0);
