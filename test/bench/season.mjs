import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { startProgram } from "./program.mjs";

const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const TITLE = "says nothing but what was announced by then";

/** A season of the test suite, timed by the suite. */
export async function measureSeason({ folder }, report) {
  const output = join(folder, "season.json");
  const args = [
    "run",
    "--mode",
    "season",
    "test/season/season.test.ts",
    "-t",
    TITLE,
    "--reporter=json",
    `--outputFile=${output}`,
  ];
  const program = startProgram(process.execPath, [VITEST, ...args], { VIGIE_TEST_LONG: "1" });
  await program.gone;
  const text = await readFile(output, "utf8").catch(() => {
    throw new Error(`Expected the season's test to end, got: ${program.said()}`);
  });
  const tests = JSON.parse(text).testResults.flatMap(({ assertionResults }) => assertionResults);
  const season = tests.find(({ title }) => title.startsWith(TITLE));
  if (season?.status !== "passed")
    throw new Error(`Expected the season's test to pass, got: ${program.said()}`);
  report.alone("season", [season.duration / 1000]);
}
