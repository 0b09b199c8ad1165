import { findLeak } from "./leaks.ts";
import type { Machine } from "./machine.ts";
import {
  type Damage,
  damage,
  ofNewerVersion,
  ofVersion2,
  type StateFileMishap,
} from "./state-file-mishaps.ts";
import type { Seen } from "./trace.ts";

/** The disk of vigie's machine, with its state folder only. What is not written when the process ends is lost. */
export interface Disk {
  /** The bytes of the state file; null: there is none. */
  read: () => Buffer | null;
  /** All files of the state folder, by their names. */
  files: () => ReadonlyMap<string, Buffer>;
  /** A start has read the files, and has perhaps renamed some: these are there now. */
  afterStart: (files: ReadonlyMap<string, Buffer>) => void;
  /**
   * vigie replaces the state file. `keeps`: what it replaces becomes the previous state file. Resolves with whether it is on the disk;
   * never if the process ends first.
   */
  write: (next: Buffer, keeps: boolean) => Promise<boolean>;
  /** Its writes hang, or fail; null: it works. */
  setFault: (fault: "hangs" | "fails" | null) => void;
  /** While vigie is stopped. Nothing happens if there is no such file. */
  suffer: (mishap: StateFileMishap) => void;
}

interface DiskOptions {
  machine: Machine;
  tell: (seen: Seen) => void;
}

export function createDisk({ machine, tell }: DiskOptions): Disk {
  let files = new Map<string, Buffer>();
  /** What was there some writes ago. */
  const earlier: Buffer[] = [];
  /** Those that no vigie can read, by their names. */
  const damaged = new Map<string, Buffer>();
  /** It is put back, when a file of a newer vigie has its place. */
  let replaced: Buffer | null = null;
  let fault: "hangs" | "fails" | null = null;
  const waiting: (() => void)[] = [];

  const write: Disk["write"] = (next, keeps) =>
    new Promise((resolve) => {
      const process = machine.process();
      if (process === null) return;
      tell({ kind: "write", outcome: "begun" });
      const leak = findLeak("the state file", next.toString());
      if (leak) tell(leak);
      const end = () => {
        // It hangs again, or still.
        if (fault === "hangs") return void waiting.push(goOn);
        if (fault === "fails") {
          tell({ kind: "write", outcome: "failed" });
          return resolve(false);
        }
        const before = files.get(LATEST);
        if (before && earlier.push(before) > EARLIER_KEPT) earlier.shift();
        if (before && keeps) files.set(PREVIOUS, before);
        files.set(LATEST, next);
        tell({ kind: "write", outcome: "done" });
        resolve(true);
      };
      // Whoever was killed meanwhile does not go on in the next process.
      const goOn = () => {
        if (machine.process() === process) machine.arrive(WRITE_TAKES, end);
      };
      goOn();
    });
  const put = (file: Buffer | undefined) => {
    if (!file) return;
    files.set(LATEST, file);
    damaged.delete(LATEST);
    tell({ kind: "state file", from: "earlier" });
  };
  const spoil = (name: string, how: Damage) => {
    const file = files.get(name);
    const spoiled = file && damage(file, how);
    if (spoiled) damaged.set(name, spoiled);
    else damaged.delete(name);
    if (spoiled) files.set(name, spoiled);
    else files.delete(name);
  };
  const suffer: Disk["suffer"] = (mishap) => {
    const file = damaged.has(LATEST) ? undefined : files.get(LATEST);
    if (mishap.from === "newer version") {
      if (!file) return;
      replaced ??= file;
      return void files.set(LATEST, ofNewerVersion(file));
    }
    // No vigie has begun meanwhile: it is as if nothing had happened.
    if (replaced) files.set(LATEST, replaced);
    replaced = null;
    switch (mishap.from) {
      case "earlier":
        return put(earlier[0]);
      case "none":
        files.clear();
        damaged.clear();
        earlier.length = 0;
        return tell({ kind: "state file", from: "none" });
      case "damaged": {
        if (!file) return;
        spoil(LATEST, mishap.how);
        if (mishap.both) spoil(PREVIOUS, mishap.how);
        const isThere = files.has(PREVIOUS) && !damaged.has(PREVIOUS);
        return tell({ kind: "state file", from: isThere ? "previous" : "none", damaged: damaged.size });
      }
      case "older version":
        return put(file && ofVersion2(file));
    }
  };
  return {
    read: () => files.get(LATEST) ?? null,
    files: () => files,
    afterStart: (found) => {
      files = new Map(found);
      for (const [name, bytes] of damaged) {
        const isKept = [...files].some(([other, kept]) => other !== name && kept.equals(bytes));
        tell({ kind: "damaged file", isKept });
      }
      damaged.clear();
    },
    write,
    setFault: (next) => {
      fault = next;
      for (const go of waiting.splice(0)) go();
    },
    suffer,
  };
}

const LATEST = "state.json";
const PREVIOUS = "state.previous.json";
const WRITE_TAKES = 5;
const EARLIER_KEPT = 8;
