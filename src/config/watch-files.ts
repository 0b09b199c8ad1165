import { type FSWatcher, realpathSync, watch } from "node:fs";
import { dirname } from "node:path";
import { sleep } from "../runtime/wait.ts";
import { NO_FILE, type ReadFile, readFingerprint } from "./read-text.ts";

interface WatchRequest {
  /** The files as they were read. */
  read: readonly ReadFile[];
  /** Called when the content of one of them is another one than was read, and stays so. */
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
  const paths = read.map(({ path }) => path);
  const watchers = foldersOf(paths).map((folder) => watchFolder(folder, () => reported.abort()));
  const interval = checkEvery ?? (watchers.includes(null) ? CHECK_UNWATCHED : CHECK_WATCHED);

  const run = async () => {
    let known = read.map(({ fingerprint }) => fingerprint).join(" ");
    // The first look is at once: a file may have changed between its reading and this watch.
    while (!stopping.signal.aborted) {
      const settled = await readSettled(paths, stopping.signal);
      if (!stopping.signal.aborted && settled !== known) {
        known = settled;
        changed();
      }
      await pause(interval, reported.signal);
      reported = new AbortController();
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
async function readSettled(paths: readonly string[], signal: AbortSignal): Promise<string> {
  const readAll = async () => (await Promise.all(paths.map(readFingerprint))).join(" ");
  let before = await readAll();
  while (!signal.aborted) {
    await pause(before.includes(NO_FILE) ? SETTLED_WHEN_ABSENT : SETTLED, signal);
    const after = await readAll();
    if (after === before) break;
    before = after;
  }
  return before;
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
