import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "./disk-errors.ts";

/**
 * Makes a folder and the missing ones above it; only this user may look inside. One level at a time: `mkdir` of Node
 * with `recursive` never ends where the parent exists and accepts no folders, as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOneFolder(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOneFolder(path);
  }
}

async function makeOneFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

interface ReplaceOptions {
  /** Written to the disk before this ends: a power cut leaves the old text or the new one. */
  durable: boolean;
  /** Every user may read it; otherwise only this one. */
  open?: boolean;
  /** The file that is replaced is kept under this path. */
  previous?: string | undefined;
}

/** Replaces a file as a whole: a reader finds the old text or the new one, never a part. */
export async function replaceFile(path: string, text: string, options: ReplaceOptions): Promise<void> {
  const temporary = inventTemporaryName(path);
  try {
    await writeNewFile(temporary, text, options);
    if (options.previous !== undefined) await keepPrevious(path, options.previous);
    await rename(temporary, path);
  } catch (error) {
    // The caller needs the first error, not that of the removal.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.durable) await syncFolder(dirname(path));
}

/**
 * A hard link writes no content, and the file is found under its own path at each instant. The link has another name
 * first: so a power cut leaves one previous file or the other, never none.
 */
async function keepPrevious(path: string, previous: string): Promise<void> {
  const temporary = inventTemporaryName(path);
  try {
    await link(path, temporary);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    // FAT and some file systems on a network have no hard links. There, nothing has this path for a moment.
    await rename(path, previous);
    return;
  }
  await rename(temporary, previous);
  // After a crash between two renames both paths are the same file. Then a rename does nothing, and leaves its source.
  await rm(temporary, { force: true });
}

function inventTemporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}${TEMPORARY}`;
}

/** Removes the temporary files of a process that was killed while it replaced this file. */
export async function removeTemporaryFiles(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const leftovers = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY));
  for (const name of leftovers) await rm(join(dirname(path), name), { force: true });
}

async function writeNewFile(path: string, text: string, options: ReplaceOptions): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    if (options.open) await file.chmod(0o644);
    if (options.durable) await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename survives a power cut once its folder is written, too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    if (!hasCode(error, ...SYNC_NOT_SUPPORTED)) throw error;
  } finally {
    await folder.close();
  }
}

/** Some file systems, most of them on a network, cannot sync a folder. */
const SYNC_NOT_SUPPORTED = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EISDIR"];
const TEMPORARY = ".tmp";
