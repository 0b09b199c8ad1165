import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

/** Writes the folder, and beside it the zip, whose path it returns. `npm test` has built the program. */
export function buildApp(to: string): string {
  execFileSync(process.execPath, [join(ROOT, "config/homeassistant-app/build-app.mjs"), to]);
  const [zip, ...more] = readdirSync(dirname(to)).filter((name) => name.endsWith(".zip"));
  expect(more).toEqual([]);
  return join(dirname(to), zip ?? "");
}
