import { dirname, join } from "node:path";
import { describeDiskError, describeDiskRemedy } from "../runtime/disk-errors.ts";
import { makeFolder, removeTemporaryFiles, replaceFile } from "../runtime/files.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { inventId } from "../runtime/random-id.ts";
import { emptyState, type State, serialiseState } from "./state.ts";
import { readStateFile } from "./state-file.ts";

/** Where the state lives. What cannot be written is kept in memory, said, and tried again at the next save. */
export interface Store {
  state(): State;
  /** Ends when this state or a later one is on the disk, or could not be written. */
  save(state: State): Promise<void>;
  /** Ends when nothing is left to write; what failed before is tried once more. */
  flush(): Promise<void>;
}

export interface StoreOptions {
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
}

/** Reads the state of this folder; throws NewerState where a newer vigie wrote it. */
export async function openStore(folder: string, { log, problemLog, random }: StoreOptions): Promise<Store> {
  const path = join(folder, "state.json");
  await prepareFolder(path, problemLog);
  const found = await readStateFile(path, { log, problemLog });
  const kept: Kept = {
    state: found ?? emptyState(inventId(random)),
    written: found ? serialiseState(found) : "",
    writing: null,
  };
  const flush = () => {
    if (!kept.writing && textOf(kept) !== kept.written) kept.writing = write(kept, path, problemLog);
    return kept.writing ?? Promise.resolve();
  };
  const save = (state: State) => {
    kept.state = state;
    return flush();
  };
  return { state: () => kept.state, save, flush };
}

interface Kept {
  state: State;
  /** What the disk holds. */
  written: string;
  writing: Promise<void> | null;
  /** The text of a state, so that an unchanged one costs nothing. */
  text?: { of: State; is: string };
}

async function prepareFolder(path: string, problemLog: ProblemLog): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await removeTemporaryFiles(path);
  } catch (error) {
    reportProblem(path, error, problemLog);
  }
}

/** One write at a time; what was saved meanwhile is written next, and only the latest of it. */
async function write(kept: Kept, path: string, problemLog: ProblemLog): Promise<void> {
  try {
    for (let text = textOf(kept); text !== kept.written; text = textOf(kept)) {
      await makeFolder(dirname(path));
      await replaceFile(path, text, { durable: true });
      kept.written = text;
      problemLog.isOver(KEY, "The state is saved again");
    }
  } catch (error) {
    reportProblem(path, error, problemLog);
  } finally {
    kept.writing = null;
  }
}

function textOf(kept: Kept): string {
  if (kept.text?.of !== kept.state) kept.text = { of: kept.state, is: serialiseState(kept.state) };
  return kept.text.is;
}

function reportProblem(path: string, error: unknown, problemLog: ProblemLog): void {
  const folder = dirname(path);
  const remedy = describeDiskRemedy(error, folder);
  const sentence = `The state cannot be saved in ${folder}: ${describeDiskError(error)}. vigie goes on and tries again, but a restart would lose what is new${remedy}`;
  problemLog.starts(KEY, sentence, { error });
}

const KEY = "state";
