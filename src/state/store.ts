import { isUtf8 } from "node:buffer";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describeDiskError, describeDiskRemedy, hasCode } from "../runtime/disk-errors.ts";
import { makeFolder, NotAFile, readOwnFile, removeTemporaryFiles, replaceFile } from "../runtime/files.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { inventId } from "../runtime/random-id.ts";
import { emptyState, recoverState, type State } from "./state.ts";
import { DamagedState, parseState, serialiseState } from "./state-format.ts";

/**
 * Keeps the state in memory and on the disk. A failed write is logged, and tried again with the next save. The file that
 * a write replaces becomes the previous state file, for a start that cannot read the state file.
 */
export interface Store {
  state(): State;
  /** Ends when this state or a later one is on the disk, or could not be written. */
  save(state: State): Promise<void>;
  /** Ends when nothing is left to write; tries once more what failed before. */
  flush(): Promise<void>;
  /** Why the last write failed, and what to do; null where it did not. */
  problem(): string | null;
}

export interface StoreOptions {
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
}

/** Opens the state of this folder; throws NewerState, and leaves the file alone, where a newer vigie wrote it. */
export async function openStore(folder: string, options: StoreOptions): Promise<Store> {
  const path = join(folder, FILE);
  const { reportProblem, ...writer } = reportWrites(folder, options, async (text, before) => {
    await makeFolder(folder);
    const previous = before === "" ? undefined : join(folder, PREVIOUS_FILE);
    await replaceFile(path, text, { durable: true, previous });
  });
  try {
    await makeFolder(folder);
    await removeTemporaryFiles(path);
  } catch (error) {
    reportProblem(error);
  }
  const found = await findState(folder, options);
  return createStore({
    state: found?.state ?? emptyState(inventId(options.random)),
    // Where the state file holds no state, it must not become the previous state file.
    textOnDisk: found?.isLatest ? serialiseState(found.state) : "",
    ...writer,
  });
}

/** Says what keeps the state from being written, and its end. `replace` rejects with what the disk reports. */
export function reportWrites(
  folder: string,
  { problemLog }: Pick<StoreOptions, "problemLog">,
  replace: (text: string, before: string) => Promise<void>,
) {
  let problem: string | null = null;
  const reportProblem = (error: unknown) => {
    const remedy = describeDiskRemedy(error, folder);
    const why = describeDiskError(error);
    problem = `${folder}: ${why}${remedy}`;
    const sentence = `The state cannot be saved in ${folder}: ${why}. vigie goes on and tries again, but a restart would lose what is new${remedy}`;
    problemLog.starts(KEY, sentence, { error });
  };
  const write = async (text: string, before: string) => {
    try {
      await replace(text, before);
    } catch (error) {
      reportProblem(error);
      return false;
    }
    problem = null;
    problemLog.isOver(KEY, "The state is saved again");
    return true;
  };
  return { write, problem: () => problem, reportProblem };
}

interface StoreParts extends Pick<Store, "problem"> {
  state: State;
  /** Empty: none. */
  textOnDisk: string;
  /** `before`: what is on the disk. Resolves with whether the text is there; never rejects. */
  write: (text: string, before: string) => Promise<boolean>;
}

/** Of several states that are saved during a write, only the last is written next. Tests put a disk in memory in `write`. */
export function createStore({ state: first, textOnDisk, write, problem }: StoreParts): Store {
  let state = first;
  let written = textOnDisk;
  /** The text of the state last asked for: an unchanged state is not serialised again. */
  let serialised: { of: State; text: string } | null = null;
  let writing: Promise<void> | null = null;
  /** Of the saves that no write has begun for. */
  let waiting: (() => void)[] = [];

  const textOfState = () => {
    if (serialised?.of !== state) serialised = { of: state, text: serialiseState(state) };
    return serialised.text;
  };
  const writeAll = async () => {
    try {
      for (let text = textOfState(); text !== written; text = textOfState()) {
        const saves = waiting;
        waiting = [];
        const isWritten = await write(text, written);
        for (const end of saves) end();
        if (!isWritten) return;
        written = text;
      }
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
    // While others are saved faster than a slow disk writes, there is always something left to write.
    save: (next) => {
      state = next;
      const written = new Promise<void>((resolve) => waiting.push(resolve));
      return Promise.race([written, flush()]);
    },
    flush,
    problem,
  };
}

/** A store that begins with the state of this folder and changes nothing there: what is saved stays in memory. */
export async function openStoreInMemory(folder: string, random: () => number): Promise<Store> {
  const latest = (await tryToRead(join(folder, FILE))).state;
  const previous = latest ? undefined : (await tryToRead(join(folder, PREVIOUS_FILE))).state;
  let state = latest ?? (previous && recoverState(previous)) ?? emptyState(inventId(random));
  return {
    state: () => state,
    save: async (next) => {
      state = next;
    },
    flush: async () => undefined,
    problem: () => null,
  };
}

/** The state of this folder; undefined without a file. Throws DamagedState, NewerState or what the disk reports. */
export function readState(folder: string): Promise<State | undefined> {
  return readStateFile(join(folder, FILE));
}

async function readStateFile(path: string): Promise<State | undefined> {
  try {
    const bytes = await readOwnFile(path);
    if (!isUtf8(bytes)) throw new DamagedState("Expected the state file to be UTF-8, got other bytes");
    return parseState(bytes.toString("utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    if (error instanceof NotAFile) throw new DamagedState(error.message, { cause: error });
    throw error;
  }
}

interface FoundState {
  state: State;
  /** Whether the state file itself holds it. */
  isLatest: boolean;
}

/** The state to start with. A file that cannot be read is renamed, so that nothing is lost. */
export async function findState(folder: string, options: StoreOptions): Promise<FoundState | undefined> {
  const latest = await tryToRead(join(folder, FILE));
  if (latest.state) return { state: latest.state, isLatest: true };
  const previous = await tryToRead(join(folder, PREVIOUS_FILE));
  const outcome = previous.state
    ? `vigie starts with the state saved before it, ${join(folder, PREVIOUS_FILE)}`
    : "vigie starts with an empty state";
  if (latest.error !== undefined) await setAside(folder, FILE, latest.error, outcome, options);
  else if (previous.state) options.log.warn(`The state file ${join(folder, FILE)} is missing; ${outcome}`);
  if (previous.error !== undefined) await setAside(folder, PREVIOUS_FILE, previous.error, outcome, options);
  return previous.state && { state: recoverState(previous.state), isLatest: false };
}

/** The state, or why the file cannot be read; neither where there is no file. Throws NewerState. */
async function tryToRead(path: string): Promise<{ state?: State | undefined; error?: Error }> {
  try {
    return { state: await readStateFile(path) };
  } catch (error) {
    if (error instanceof DamagedState || isDiskError(error)) return { error };
    throw error;
  }
}

async function setAside(
  folder: string,
  file: string,
  error: Error,
  outcome: string,
  { log, problemLog }: StoreOptions,
): Promise<void> {
  const which = file === FILE ? "state file" : "previous state file";
  const reason = error instanceof DamagedState ? "damaged" : "unreadable";
  const why = describeDiskError(error);
  try {
    const name = await chooseUnusedName(folder, reason);
    await rename(join(folder, file), join(folder, name));
    log.warn(`The ${which} was ${reason} and is now ${join(folder, name)}; ${outcome}`, { why });
  } catch (failure) {
    const sentence = `The ${which} in ${folder} is ${reason} (${why}) and cannot be renamed: ${describeDiskError(failure)}. ${outcome}, and a restart would lose what is new`;
    problemLog.starts(KEY, sentence, { error: failure });
  }
}

/** `state.damaged-2.json` beside `state.damaged-1.json`: no earlier file is overwritten. */
async function chooseUnusedName(folder: string, reason: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  let number = 1;
  while (taken.has(`state.${reason}-${number}.json`)) number += 1;
  return `state.${reason}-${number}.json`;
}

function isDiskError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

const FILE = "state.json";
const PREVIOUS_FILE = "state.previous.json";
const KEY = "state";
