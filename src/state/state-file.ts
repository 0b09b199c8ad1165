import { isUtf8 } from "node:buffer";
import { readdir, readFile, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { DamagedState, parseState, type State } from "./state.ts";

/**
 * The state a file holds; undefined where there is none, or none that can be read: such a file is set aside under a new
 * name, so that nothing is lost. Throws NewerState, and then leaves the file as it is.
 */
export async function readStateFile(
  path: string,
  { log, problemLog }: { log: Log; problemLog: ProblemLog },
): Promise<State | undefined> {
  try {
    return parseState(decode(await readFile(path)));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    const reason = error instanceof DamagedState ? "damaged" : isDiskError(error) ? "unreadable" : undefined;
    if (!reason) throw error;
    await setAside(path, reason, error, { log, problemLog });
    return undefined;
  }
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new DamagedState("Expected the state file to be UTF-8, got other bytes");
  return bytes.toString("utf8");
}

async function setAside(
  path: string,
  reason: string,
  error: unknown,
  { log, problemLog }: { log: Log; problemLog: ProblemLog },
): Promise<void> {
  const why = describeDiskError(error);
  try {
    const aside = await freeName(path, reason);
    await rename(path, aside);
    log.warn(`The state file was ${reason} and is now ${aside}; vigie goes on from an empty book`, { why });
  } catch (failure) {
    const sentence =
      `The state file ${path} is ${reason} (${why}) and cannot be set aside: ${describeDiskError(failure)}. ` +
      "vigie goes on from an empty book, and a restart would forget what is new";
    problemLog.starts("state", sentence, { error: failure });
  }
}

/** `state.damaged-2.json` beside `state.damaged-1.json`: no earlier one is overwritten. */
async function freeName(path: string, reason: string): Promise<string> {
  const folder = dirname(path);
  const taken = new Set(await readdir(folder));
  const stem = `${basename(path, ".json")}.${reason}-`;
  let number = 1;
  while (taken.has(`${stem}${number}.json`)) number += 1;
  return join(folder, `${stem}${number}.json`);
}

function isAbsent(error: unknown): boolean {
  return isDiskError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
