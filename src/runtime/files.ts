import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
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

/** What has the path of a file is none that vigie wrote. */
export class NotAFile extends Error {
  override name = "NotAFile";
}

/** Bytes. */
const LARGEST = 64 * 1024 * 1024;

/** Reads a file of vigie's own. Whoever opens a pipe waits for somebody to write, and no signal ends that. */
export async function readOwnFile(path: string, largest = LARGEST): Promise<Buffer> {
  const found = await stat(path);
  if (!(found.isFile() || found.isDirectory()))
    throw new NotAFile("it is a pipe, a socket or a device, not a file");
  if (found.size > largest) throw new NotAFile("it is larger than any that vigie writes");
  return readFile(path);
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
  const { previous } = options;
  const temporary = inventTemporaryName(path);
  const former = inventTemporaryName(path);
  try {
    await writeNewFile(temporary, text, options);
    const isLinked = previous !== undefined && (await linkOrMove(path, former, previous));
    await rename(temporary, path);
    // Only now: a process that is killed here has the new text already.
    if (isLinked) await rename(former, previous);
  } catch (error) {
    // The caller needs the first error, not that of the removal.
    for (const leftover of [temporary, former]) await rm(leftover, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.durable) await syncFolder(dirname(path));
}

/** Gives a file a second name, so that its own name can be taken: true. Without hard links it is moved: false. */
async function linkOrMove(path: string, name: string, otherwise: string): Promise<boolean> {
  try {
    await link(path, name);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    // FAT and some file systems on a network have no hard links. There, nothing has this path for a moment.
    await rename(path, otherwise);
    return false;
  }
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
