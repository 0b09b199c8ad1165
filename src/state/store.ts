import { dirname, join } from "node:path";
import { describeDiskError, describeDiskMend } from "../runtime/disk-errors.ts";
import type { Log } from "../runtime/log.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { inventId } from "../runtime/random-id.ts";
import { removeLeftovers, replaceFile } from "../runtime/replace-file.ts";
import type { Trouble } from "../runtime/trouble.ts";
import { thisUser } from "../runtime/user.ts";
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
  trouble: Trouble;
  random: () => number;
}

/** Reads the state of this folder; throws NewerState where a newer vigie wrote it. */
export async function openStore(folder: string, { log, trouble, random }: StoreOptions): Promise<Store> {
  const path = join(folder, "state.json");
  await prepareFolder(path, trouble);
  const found = await readStateFile(path, { log, trouble });
  const kept: Kept = {
    state: found ?? emptyState(inventId(random)),
    written: found ? serialiseState(found) : "",
    writing: null,
  };
  const flush = () => {
    if (!kept.writing && textOf(kept) !== kept.written) kept.writing = write(kept, path, trouble);
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

async function prepareFolder(path: string, trouble: Trouble): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await removeLeftovers(path);
  } catch (error) {
    sayTrouble(path, error, trouble);
  }
}

/** One write at a time; what was saved meanwhile is written next, and only the latest of it. */
async function write(kept: Kept, path: string, trouble: Trouble): Promise<void> {
  try {
    for (let text = textOf(kept); text !== kept.written; text = textOf(kept)) {
      await makeFolder(dirname(path));
      await replaceFile(path, text, { durable: true });
      kept.written = text;
      trouble.ends(KEY, "The state is saved again");
    }
  } catch (error) {
    sayTrouble(path, error, trouble);
  } finally {
    kept.writing = null;
  }
}

function textOf(kept: Kept): string {
  if (kept.text?.of !== kept.state) kept.text = { of: kept.state, is: serialiseState(kept.state) };
  return kept.text.is;
}

function sayTrouble(path: string, error: unknown, trouble: Trouble): void {
  const folder = dirname(path);
  const mend = describeDiskMend(error, folder, thisUser());
  const sentence = `The state cannot be saved in ${folder}: ${describeDiskError(error)}. vigie goes on and tries again, but a restart would forget what is new${mend}`;
  trouble.begins(KEY, sentence, { error });
}

const KEY = "state";
