import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "./error-code.ts";

/**
 * Replaces a file whole or not at all: a reader, or a power cut where it is `durable`, finds the old text or the new
 * one. Only the user may read it, unless it is `open` to all.
 */
export async function replaceFile(
  path: string,
  text: string,
  options: { durable: boolean; open?: boolean },
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}${TEMPORARY}`;
  try {
    await writeNew(temporary, text, options);
    await rename(temporary, path);
  } catch (error) {
    // What went wrong first is what the caller needs to hear.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.durable) await syncFolder(dirname(path));
}

/** Removes what a death in the middle of replacing this file left behind. */
export async function removeLeftovers(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const leftovers = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY));
  for (const name of leftovers) await rm(join(dirname(path), name), { force: true });
}

async function writeNew(
  path: string,
  text: string,
  { durable, open: toAll }: { durable: boolean; open?: boolean },
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    if (toAll) await file.chmod(0o644);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is on the disk once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    if (!hasCode(error, ...UNSUPPORTED)) throw error;
  } finally {
    await folder.close();
  }
}

/** Some file systems, most of them on a network, know no such thing as writing a folder to the disk. */
const UNSUPPORTED = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EISDIR"];
const TEMPORARY = ".tmp";
