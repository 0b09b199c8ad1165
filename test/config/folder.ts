import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type LoadedConfig, type LoadRequest, loadConfig } from "../../src/config/load-config.ts";
import { ConfigError } from "../../src/config/problems.ts";

/** A folder of its own for one test, with these files in it; a concurrent test hands in its own `onTestFinished`. */
export async function folderWith(
  files: Record<string, string> = {},
  onEnd: (clean: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vigie-config-"));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

export const SHIPPED_PLACE = "config/vigie.yaml";

/** Loads with this text as the file, and these variables. */
export async function loadText(text: string, env: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  return load({ cwd: await folderWith({ [SHIPPED_PLACE]: text }), env });
}

export async function loadVariables(env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  return load({ cwd: await folderWith(), env: { ...NEEDED, ...env } });
}

export const NEEDED = { VIGIE_SERVICE_BASE_URL: "https://days.example", VIGIE_MQTT_URL: "mqtt://broker" };

export async function load(request: Partial<LoadRequest> & { cwd: string }): Promise<LoadedConfig> {
  return loadConfig({ env: {}, inContainer: false, places: ["./config/vigie.yaml"], ...request });
}

/** What the configuration is refused for; empty where it is right. */
export async function problemsOf(loading: Promise<LoadedConfig>): Promise<string[]> {
  try {
    await loading;
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
