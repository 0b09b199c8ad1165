import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { loadConfig } from "../../src/config/load-config.ts";
import type { HouseConfig } from "./scenario.ts";
import type { ReadConfig } from "./vigie-process.ts";

/** Writes the configurations as YAML, and reads them as `vigie run` does. Throws ConfigError for one that is refused. */
export async function readConfigs(configs: readonly HouseConfig[]): Promise<ReadConfig[]> {
  const folder = mkdtempSync(join(tmpdir(), "vigie-household-"));
  try {
    const read: ReadConfig[] = [];
    for (const given of configs) {
      const yaml = stringify(given, { lineWidth: 0 });
      writeFileSync(join(folder, "vigie.yaml"), yaml);
      const request = { file: "vigie.yaml", env: {}, cwd: folder, inContainer: false };
      const { config } = await loadConfig(request);
      read.push({ config, yaml });
    }
    return read;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
