import { isUtf8 } from "node:buffer";
import { readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { describeDiskError, describeDiskRemedy, hasCode } from "../runtime/disk-errors.ts";
import { makeFolder, removeTemporaryFiles, replaceFile } from "../runtime/files.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { inventId } from "../runtime/random-id.ts";
import { DamagedState, emptyState, parseState, type State, serialiseState } from "./state.ts";

/** Keeps the state in memory and on the disk. A failed write is logged, and tried again with the next save. */
export interface Store {
  state(): State;
  /** Ends when this state or a later one is on the disk, or could not be written. */
  save(state: State): Promise<void>;
  /** Ends when nothing is left to write; tries once more what failed before. */
  flush(): Promise<void>;
}

export interface StoreOptions {
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
}

/** Opens the state of this folder; throws NewerState, and leaves the file alone, where a newer vigie wrote it. */
export async function openStore(folder: string, options: StoreOptions): Promise<Store> {
  const path = join(folder, FILE);
  const reportProblem = (error: unknown) => {
    const remedy = describeDiskRemedy(error, folder);
    const sentence = `The state cannot be saved in ${folder}: ${describeDiskError(error)}. vigie goes on and tries again, but a restart would lose what is new${remedy}`;
    options.problemLog.starts(KEY, sentence, { error });
  };
  try {
    await makeFolder(folder);
    await removeTemporaryFiles(path);
  } catch (error) {
    reportProblem(error);
  }
  const found = await readOrSetAside(folder, options);
  let state = found ?? emptyState(inventId(options.random));
  let textOnDisk = found ? serialiseState(found) : "";
  /** The text of the state last asked for: an unchanged state is not serialised again. */
  let serialised: { of: State; text: string } | null = null;
  let writing: Promise<void> | null = null;

  const textOfState = () => {
    if (serialised?.of !== state) serialised = { of: state, text: serialiseState(state) };
    return serialised.text;
  };
  /** Of several states that were saved during a write, only the last is written next. */
  const write = async () => {
    try {
      for (let text = textOfState(); text !== textOnDisk; text = textOfState()) {
        await makeFolder(folder);
        await replaceFile(path, text, { durable: true });
        textOnDisk = text;
        options.problemLog.isOver(KEY, "The state is saved again");
      }
    } catch (error) {
      reportProblem(error);
    } finally {
      writing = null;
    }
  };
  const flush = () => {
    if (!writing && textOfState() !== textOnDisk) writing = write();
    return writing ?? Promise.resolve();
  };
  return {
    state: () => state,
    save: (next) => {
      state = next;
      return flush();
    },
    flush,
  };
}

/** The state of this folder; undefined without a file. Throws DamagedState, NewerState or what the disk reports. */
export async function readState(folder: string): Promise<State | undefined> {
  try {
    const bytes = await readFile(join(folder, FILE));
    if (!isUtf8(bytes)) throw new DamagedState("Expected the state file to be UTF-8, got other bytes");
    return parseState(bytes.toString("utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** A file that cannot be read is renamed, so that nothing is lost, and vigie starts with an empty state. */
async function readOrSetAside(folder: string, { log, problemLog }: StoreOptions): Promise<State | undefined> {
  try {
    return await readState(folder);
  } catch (error) {
    const reason = error instanceof DamagedState ? "damaged" : isDiskError(error) ? "unreadable" : undefined;
    if (!reason) throw error;
    const why = describeDiskError(error);
    try {
      const name = await chooseUnusedName(folder, reason);
      await rename(join(folder, FILE), join(folder, name));
      log.warn(
        `The state file was ${reason} and is now ${join(folder, name)}; vigie starts with an empty state`,
        { why },
      );
    } catch (failure) {
      const sentence = `The state file in ${folder} is ${reason} (${why}) and cannot be renamed: ${describeDiskError(failure)}. vigie starts with an empty state, and a restart would lose what is new`;
      problemLog.starts(KEY, sentence, { error: failure });
    }
    return undefined;
  }
}

/** `state.damaged-2.json` beside `state.damaged-1.json`: no earlier file is overwritten. */
async function chooseUnusedName(folder: string, reason: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  let number = 1;
  while (taken.has(`state.${reason}-${number}.json`)) number += 1;
  return `state.${reason}-${number}.json`;
}

function isDiskError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

const FILE = "state.json";
const KEY = "state";
