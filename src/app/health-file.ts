import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../core/contract/parse-json.ts";
import { hasCode } from "../runtime/disk-errors.ts";
import { replaceFile } from "../runtime/files.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import { type FoundHealth, type Health, isHealth } from "./judge-health.ts";

export function healthPath(instance: string, env: NodeJS.ProcessEnv): string {
  return givenHealthPath(env) ?? join(tmpdir(), `vigie-${instance}-health.json`);
}

/** In systemd's runtime folder of this unit, the first one of several; the container image sets the variable, too. */
export function givenHealthPath(env: NodeJS.ProcessEnv): string | undefined {
  const [folder] = (env["RUNTIME_DIRECTORY"] ?? "").split(":");
  return folder ? join(folder, "health.json") : undefined;
}

/** Every user may read it: `vigie health` may run as another user than the vigie that it asks about. */
export async function writeHealth(path: string, health: Health): Promise<void> {
  const broker = { ...health.broker, url: maskSecrets(health.broker.url) };
  await replaceFile(path, `${JSON.stringify({ ...health, broker })}\n`, { durable: false, open: true });
}

/** null where there is no file, or one that no vigie wrote. */
export async function readHealth(path: string): Promise<FoundHealth | null> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "null";
    throw error;
  });
  const health = parseJson(text);
  return isHealth(health) ? { health, running: isRunning(health.pid) } : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return hasCode(error, "EPERM");
  }
}
