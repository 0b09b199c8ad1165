import { createHash } from "node:crypto";
import { type FSWatcher, readFileSync, realpathSync, statSync, watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { sleep } from "../runtime/wait.ts";

interface WatchRequest {
  /** The files that were read, absolute. */
  read: readonly string[];
  /** Called when the content of one of them has changed, and stays so. */
  changed: () => void;
  /** How often the files are read even if the system reports no change, in milliseconds. */
  checkEvery?: number;
}

/**
 * Watches folders, not files: editors and mounted configurations replace a file by another one. Mounts and network drives
 * may report nothing, so the files are read from time to time as well. Only another content counts as a change.
 */
export function watchConfig({ read, changed, checkEvery }: WatchRequest): () => Promise<void> {
  if (read.length === 0) return async () => undefined;
  const stopping = new AbortController();
  let reported = new AbortController();
  const watchers = foldersOf(read).map((folder) => watchFolder(folder, () => reported.abort()));
  const interval = checkEvery ?? (watchers.includes(null) ? CHECK_UNWATCHED : CHECK_WATCHED);

  const run = async () => {
    // Read at once: a change from here on must not be taken for what was read before.
    let known = read.map(fingerprintNow).join(" ");
    while (!stopping.signal.aborted) {
      await pause(interval, reported.signal);
      reported = new AbortController();
      const settled = await readSettled(read, stopping.signal);
      if (stopping.signal.aborted || settled === known) continue;
      known = settled;
      changed();
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    reported.abort();
    for (const watcher of watchers) watcher?.close();
    await running;
  };
}

/** Reads until nothing changes any more: a file may be written in two steps, or be gone while it is replaced. */
async function readSettled(read: readonly string[], signal: AbortSignal): Promise<string> {
  const readAll = async () => (await Promise.all(read.map(fingerprint))).join(" ");
  let before = await readAll();
  while (!signal.aborted) {
    await pause(before.includes(ABSENT) ? SETTLED_WHEN_ABSENT : SETTLED, signal);
    const after = await readAll();
    if (after === before) break;
    before = after;
  }
  return before;
}

/** A pipe cannot be read twice: it never changes. */
function fingerprintNow(path: string): string {
  try {
    return statSync(path).isFile() ? hash(readFileSync(path)) : ABSENT;
  } catch {
    return ABSENT;
  }
}

async function fingerprint(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? hash(await readFile(path)) : ABSENT;
  } catch {
    return ABSENT;
  }
}

/** The content itself is not kept: some of these files hold secrets. */
function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, signal).catch(() => undefined);
}

/** The folder of each file and, for a link, the folder of the file that it leads to. */
function foldersOf(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [dirname(path), dirname(targetOf(path))]))];
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** null where the system cannot watch this folder. */
function watchFolder(folder: string, report: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, report);
    watcher.on("error", report);
    return watcher;
  } catch {
    return null;
  }
}

const CHECK_WATCHED = 60_000;
const CHECK_UNWATCHED = 5_000;
const SETTLED = 250;
const SETTLED_WHEN_ABSENT = 2_000;
const ABSENT = "absent";
