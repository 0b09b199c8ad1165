import { findLeak } from "./leaks.ts";
import type { Machine } from "./machine.ts";
import type { Seen } from "./trace.ts";

/** The disk of vigie's machine, with the state file only. What is not written when the process ends is lost. */
export interface Disk {
  /** The bytes of the state file; null: there is none. */
  read: () => Buffer | null;
  /** vigie replaces the state file. Resolves with whether it is on the disk; never if the process ends first. */
  write: (next: Buffer) => Promise<boolean>;
  /** Its writes hang, or fail; null: it works. */
  setFault: (fault: "hangs" | "fails" | null) => void;
  /** While vigie is stopped: an earlier state file takes the place of the last one; false: there is none. */
  restoreEarlier: () => boolean;
  remove: () => void;
}

interface DiskOptions {
  machine: Machine;
  tell: (seen: Seen) => void;
}

export function createDisk({ machine, tell }: DiskOptions): Disk {
  let file: Buffer | null = null;
  /** What was there some writes ago. */
  const earlier: Buffer[] = [];
  let fault: "hangs" | "fails" | null = null;
  const waiting: (() => void)[] = [];

  const write: Disk["write"] = (next) =>
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
        if (file !== null && earlier.push(file) > EARLIER_KEPT) earlier.shift();
        file = next;
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
    read: () => file,
    write,
    setFault: (next) => {
      fault = next;
      for (const go of waiting.splice(0)) go();
    },
    restoreEarlier: () => {
      const [first] = earlier;
      if (first === undefined) return false;
      file = first;
      tell({ kind: "state file", from: "earlier" });
      return true;
    },
    remove: () => {
      file = null;
      earlier.length = 0;
      tell({ kind: "state file", from: "none" });
    },
  };
}

const WRITE_TAKES = 5;
const EARLIER_KEPT = 8;
