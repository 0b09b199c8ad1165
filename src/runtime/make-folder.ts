import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "./error-code.ts";

/**
 * Makes a folder and those above it that are missing; only the user may look inside. Step by step: Node's own way of
 * making all at once never ends where the parent exists and takes no folders, as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
