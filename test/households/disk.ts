import { emptyState } from "../../src/state/state.ts";
import { parseState } from "../../src/state/state-format.ts";
import { createStore, type Store } from "../../src/state/store.ts";
import { findLeak } from "./leaks.ts";
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

  /** Resolves with whether it is on the disk. */
  const write = (next: string) =>
    new Promise<boolean>((resolve) => {
      const process = machine.process();
      if (process === null) return;
      tell({ kind: "write", outcome: "begun" });
      const leak = findLeak("the state file", next);
      if (leak) tell(leak);
      const end = () => {
        // It hangs again, or still.
        if (fault === "hangs") return void waiting.push(goOn);
        if (fault === "fails") {
          tell({ kind: "write", outcome: "failed" });
          return resolve(false);
        }
        if (text !== null && earlier.push(text) > EARLIER_KEPT) earlier.shift();
        text = next;
        tell({ kind: "write", outcome: "done" });
        resolve(true);
      };
      // Whoever was killed meanwhile does not go on in the next process.
      const goOn = () => {
        if (machine.process() === process) machine.arrive(WRITE_TAKES, end);
      };
      goOn();
    });
  return {
    open: () =>
      createStore({
        state: text === null ? emptyState(installation) : parseState(text),
        textOnDisk: text ?? "",
        write,
        problem: () => null,
      }),
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

const WRITE_TAKES = 5;
const EARLIER_KEPT = 8;
