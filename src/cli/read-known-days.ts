import type { Config } from "../config/config.ts";
import { officialAddress } from "../config/official-options.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import { knownDaysOf, type State } from "../state/state.ts";
import { DamagedState, NewerState } from "../state/state-format.ts";
import { readState } from "../state/store.ts";
import { CommandFailed } from "./exit-code.ts";

/** The state file, and the days that it knows from the sources of this configuration; undefined without a state file. */
export async function readKnownDays(
  config: Config,
): Promise<{ state: State | undefined; knownDays: KnownDays }> {
  const state = await readStateOf(config.state);
  const official = officialAddress(config.official.source);
  const knownDays = state ? knownDaysOf(state, config.service.base_url, official) : NO_KNOWN_DAYS;
  return { state, knownDays };
}

async function readStateOf(folder: string): Promise<State | undefined> {
  try {
    return await readState(folder);
  } catch (error) {
    if (error instanceof NewerState) throw error;
    const why = error instanceof DamagedState ? `it is damaged: ${error.message}` : describeDiskError(error);
    throw new CommandFailed(`The state in ${folder} cannot be read: ${why}`, { cause: error });
  }
}
