import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { HouseConfig } from "./scenario.ts";
import { type ReadConfig, readConfigIn } from "./seams.ts";

/** `vigie.yaml` as the owner has written it. */
export interface ConfigFile {
  config: ReadConfig;
  yaml: string;
}

/**
 * Writes the configurations as YAML, and reads them as `vigie run` does. Rejects if one is refused. `secrets`: the folder of the
 * files with secrets.
 */
export async function readConfigs(
  configs: readonly HouseConfig[],
  secrets = "secrets",
): Promise<ConfigFile[]> {
  const folder = mkdtempSync(join(tmpdir(), "vigie-household-"));
  try {
    const read: ConfigFile[] = [];
    for (const given of configs) {
      const yaml = stringify(withSecrets(given, secrets), { lineWidth: 0 });
      writeFileSync(join(folder, "vigie.yaml"), yaml);
      read.push({ config: await readConfigIn(folder), yaml });
    }
    return read;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function withSecrets(config: HouseConfig, folder: string): HouseConfig {
  const list = config.outputs.list.map((output) => {
    const { secret_file } = output;
    return secret_file === undefined ? output : { ...output, secret_file: join(folder, secret_file) };
  });
  return { ...config, outputs: { ...config.outputs, list } };
}
