import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../core/contract/parse-json.ts";
import { describeDiskError, hasCode } from "../runtime/disk-errors.ts";
import { readOwnFile, replaceFile } from "../runtime/files.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import { type FoundHealth, type Health, isHealth } from "./judge-health.ts";

/** The disk does not let this user read the health file. */
export class HealthUnreadable extends Error {
  override readonly name = "HealthUnreadable";
}

/**
 * Where the vigie with this state folder writes its health. Its name comes from the real path of the folder, so that a
 * vigie with another folder has another file, and one folder that is named in two ways (by a link) has one.
 */
export async function healthPath(state: string, env: NodeJS.ProcessEnv): Promise<string> {
  const given = givenHealthPath(env);
  if (given !== undefined) return given;
  const folder = await realpath(state).catch(() => state);
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, HASH_LENGTH);
  return join(tmpdir(), `vigie-${hash}-health.json`);
}

const HASH_LENGTH = 16;

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

/** null if there is no file, or one that no vigie wrote. Throws `HealthUnreadable`. */
export async function readHealth(path: string): Promise<FoundHealth | null> {
  const text = await readOwnFile(path).catch((cause: unknown) => {
    if (hasCode(cause, "ENOENT")) return "null";
    const why = describeDiskError(cause);
    throw new HealthUnreadable(`The health file ${path} cannot be read: ${why}`, { cause });
  });
  const health = parseJson(String(text));
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
