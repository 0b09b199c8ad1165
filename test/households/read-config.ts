import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { HouseConfig } from "./scenario.ts";
import { isRefusal, type ReadConfig, readConfigIn } from "./seams.ts";
import type { WrongEdit } from "./wrong-edits.ts";

/** `vigie.yaml` as the owner has written it. */
export interface ConfigFile {
  yaml: string;
  /** As vigie reads it; throws what vigie says if it refuses it. */
  read: () => ReadConfig;
  /** What is wrong with it. */
  wrong?: WrongEdit;
}

/** Reads a text as `vigie run` does. */
export async function readText(yaml: string): Promise<ConfigFile> {
  const folder = mkdtempSync(join(tmpdir(), "vigie-household-"));
  try {
    writeFileSync(join(folder, "vigie.yaml"), yaml);
    const config = await readConfigIn(folder);
    return { yaml, read: () => config };
  } catch (refusal) {
    if (!isRefusal(refusal)) throw refusal;
    const refuse = () => {
      throw refusal;
    };
    return { yaml, read: refuse };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the configurations as YAML, and reads them. Rejects if one is refused. `secrets`: the folder of the files with secrets. */
export async function readConfigs(
  configs: readonly HouseConfig[],
  secrets = "secrets",
): Promise<ConfigFile[]> {
  const files = [];
  for (const given of configs) {
    const file = await readText(stringify(withSecrets(given, secrets), { lineWidth: 0 }));
    file.read();
    files.push(file);
  }
  return files;
}

function withSecrets(config: HouseConfig, folder: string): HouseConfig {
  const list = config.outputs.list.map((output) => {
    const { secret_file } = output;
    return secret_file === undefined ? output : { ...output, secret_file: join(folder, secret_file) };
  });
  return { ...config, outputs: { ...config.outputs, list } };
}
