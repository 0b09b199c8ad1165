import { createHash } from "node:crypto";
import { type FSWatcher, readFileSync, realpathSync, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { sleep } from "../runtime/wait.ts";

interface WatchRequest {
  /** The files that were read, absolute. */
  read: readonly string[];
  /** Called when what one of them holds is another, and stays so. */
  changed: () => void;
  /** How often the files are looked at unasked: mounts and network drives do not tell. */
  lookEvery?: number;
}

/**
 * Watches folders, not files: editors, and whoever mounts configuration, put another file in place of the old one.
 * What counts is the content. Returns its stop.
 */
export function watchConfig({ read, changed, lookEvery }: WatchRequest): () => Promise<void> {
  if (read.length === 0) return async () => undefined;
  const stopping = new AbortController();
  const bell = createBell();
  const { watchers, isComplete } = watchFolders(read, bell.ring);
  const interval = lookEvery ?? (isComplete ? LOOK_SELDOM : LOOK_OFTEN);
  const looking = look(read, changed, () => bell.wait(interval), stopping.signal);
  return async () => {
    stopping.abort();
    bell.ring();
    for (const watcher of watchers) watcher.close();
    await looking;
  };
}

const LOOK_SELDOM = 60_000;
const LOOK_OFTEN = 5_000;
/** Writing in two steps is over when nothing changed for so long. */
const SETTLED_AFTER = 250;
/** A file that is being replaced may be gone for a moment. */
const GONE_AFTER = 2_000;

async function look(
  read: readonly string[],
  changed: () => void,
  wait: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // At once: what changes from here on must not be taken for what was read.
  let known = contentNow(read);
  while (!signal.aborted) {
    await wait();
    const settled = await settledContent(read, signal);
    if (signal.aborted || settled === known) continue;
    known = settled;
    changed();
  }
}

async function settledContent(read: readonly string[], signal: AbortSignal): Promise<string> {
  let before = await contentOf(read);
  while (!signal.aborted) {
    await pause(before.includes(ABSENT) ? GONE_AFTER : SETTLED_AFTER, signal);
    const after = await contentOf(read);
    if (after === before) break;
    before = after;
  }
  return before;
}

const ABSENT = "absent";

function contentNow(paths: readonly string[]): string {
  return paths
    .map((path) => {
      try {
        return fingerprint(readFileSync(path));
      } catch {
        return ABSENT;
      }
    })
    .join(" ");
}

async function contentOf(paths: readonly string[]): Promise<string> {
  const prints = paths.map((path) => readFile(path).then(fingerprint, () => ABSENT));
  return (await Promise.all(prints)).join(" ");
}

/** Not the content itself: some of these files hold secrets. */
function fingerprint(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, signal).catch(() => undefined);
}

interface Bell {
  ring: () => void;
  /** Until it rings (or has rung since the last wait), or this many milliseconds. */
  wait: (milliseconds: number) => Promise<void>;
}

function createBell(): Bell {
  let turn = new AbortController();
  return {
    ring: () => turn.abort(),
    wait: async (milliseconds) => {
      await pause(milliseconds, turn.signal);
      turn = new AbortController();
    },
  };
}

function watchFolders(
  paths: readonly string[],
  ring: () => void,
): { watchers: FSWatcher[]; isComplete: boolean } {
  // Both where a link stands and where it leads.
  const folders = [...new Set(paths.flatMap((path) => [dirname(path), dirname(target(path))]))];
  const watchers = folders.flatMap((folder) => watchFolder(folder, ring));
  return { watchers, isComplete: watchers.length === folders.length };
}

/** None where the system has no watch to give: then looking has to do. */
function watchFolder(folder: string, ring: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, ring);
    watcher.on("error", ring);
    return [watcher];
  } catch {
    return [];
  }
}

function target(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
