import { hostname } from "node:os";
import { type Lock, takeLock } from "../runtime/lock.ts";
import type { Log } from "../runtime/log.ts";
import { VERSION } from "../runtime/version.ts";
import { sleep } from "../runtime/wait.ts";

/** `vigie once` ends soon: wait for it, since some supervisors would not start this process again. */
export async function takeFolder(folder: string, log: Log, signal: AbortSignal): Promise<Lock> {
  const words = `vigie ${VERSION} on ${hostname()}, process ${process.pid}`;
  for (let waited = 0; ; waited += BETWEEN_LOOKS) {
    const lock = await takeLock(folder, words);
    if (!("heldBy" in lock && lock.heldBy.startsWith(ONCE)) || waited >= LONGEST_ONCE) return lock;
    if (waited === 0)
      log.info(`The state folder ${folder} is in use by ${lock.heldBy}: vigie waits until that has ended`);
    await sleep(BETWEEN_LOOKS, signal);
  }
}

/** The name of `once` in the lock of the state folder. */
export const ONCE = "vigie once";

export function folderTaken(folder: string, by: string): string {
  return `The state folder ${folder} is in use by ${by}. Each vigie needs a state folder of its own: stop the other one, or set another folder for this one (option state)`;
}

const BETWEEN_LOOKS = 1_000;
const LONGEST_ONCE = 300_000;
