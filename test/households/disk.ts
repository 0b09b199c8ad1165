import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import type { Store } from "../../src/state/store.ts";
import type { Machine } from "./machine.ts";
import type { Seen } from "./trace.ts";

/** The disk of vigie's machine, with the state file only. What is not written when the process ends is lost. */
export interface Disk {
  /** The store of a process that starts now. */
  open: () => Store;
  /** Its writes hang, or fail; null: it works. */
  setFault: (fault: "hangs" | "fails" | null) => void;
  /** While vigie is stopped: an earlier state file takes the place of the last one; false: there is none. */
  restoreEarlier: () => boolean;
  remove: () => void;
}

interface DiskOptions {
  machine: Machine;
  tell: (seen: Seen) => void;
  installation: string;
}

export function createDisk({ machine, tell, installation }: DiskOptions): Disk {
  let text: string | null = null;
  /** What was there some writes ago. */
  const earlier: string[] = [];
  let fault: "hangs" | "fails" | null = null;
  const waiting: (() => void)[] = [];

  /** Ends when it is on the disk; rejects when it is not. */
  const write = (next: string) =>
    new Promise<void>((resolve, reject) => {
      if (machine.process() === null) return;
      tell({ kind: "write", outcome: "begun" });
      const end = () => {
        // It hangs again, or still.
        if (fault === "hangs") return void waiting.push(() => machine.arrive(WRITE_TAKES, end));
        if (fault === "fails") {
          tell({ kind: "write", outcome: "failed" });
          return reject(new Error("No space is left on the disk"));
        }
        if (text !== null && earlier.push(text) > EARLIER_KEPT) earlier.shift();
        text = next;
        tell({ kind: "write", outcome: "done" });
        resolve();
      };
      machine.arrive(WRITE_TAKES, end);
    });
  return {
    open: () => openStore(text, installation, write),
    setFault: (next) => {
      fault = next;
      for (const go of waiting.splice(0)) go();
    },
    restoreEarlier: () => {
      const [first] = earlier;
      if (first === undefined) return false;
      text = first;
      tell({ kind: "state file", from: "earlier" });
      return true;
    },
    remove: () => {
      text = null;
      earlier.length = 0;
      tell({ kind: "state file", from: "none" });
    },
  };
}

/** As `openStore` in src/state/store.ts, without the folder: of several states saved during a write the last is written next. */
function openStore(text: string | null, installation: string, write: (text: string) => Promise<void>): Store {
  let state = text === null ? emptyState(installation) : parseState(text);
  let written = text;
  let writing: Promise<void> | null = null;
  let serialised: { of: typeof state; text: string } | null = null;
  const textOfState = () => {
    if (serialised?.of !== state) serialised = { of: state, text: serialiseState(state) };
    return serialised.text;
  };
  const writeAll = async () => {
    try {
      for (let next = textOfState(); next !== written; next = textOfState()) {
        await write(next);
        written = next;
      }
    } catch {
      // As the store of the disk: it is tried again with the next save.
    } finally {
      writing = null;
    }
  };
  const flush = () => {
    if (!writing && textOfState() !== written) writing = writeAll();
    return writing ?? Promise.resolve();
  };
  return {
    state: () => state,
    save: (next) => {
      state = next;
      return flush();
    },
    flush,
    problem: () => null,
  };
}

const WRITE_TAKES = 5;
const EARLIER_KEPT = 8;
