import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { forgetAcknowledgements, readOutputsState } from "../core/outputs/outputs-state.ts";

/** All that survives a restart, as the state file holds it. The names of its keys are part of the file's format. */
export interface State {
  version: typeof VERSION;
  /** A random id of this state folder; never changes. */
  installation: string;
  /** A random id of the last start that wrote to the broker. */
  incarnation: string | null;
  /** Where retained messages of this vigie may be on the broker; the last entry is where it publishes now. */
  published: { base_topic: string; instance: string; prefix: string }[];
  /** The known days of each source (`simulator` or an address), never mixed; the source used last is the last key. */
  books: Record<string, KnownDays>;
  /** What the service client learnt about each source; the client reads and checks its own part. */
  clients: Record<string, Record<string, unknown>>;
  /** The same of each official source, by its address (or `simulator`). Absent in the state file of an older vigie. */
  official_clients?: Record<string, Record<string, unknown>>;
  /** What rules, their settings, outputs and the simulation remember; each of them reads and checks its own part. */
  rules?: unknown;
  settings?: unknown;
  outputs?: unknown;
  simulation?: unknown;
}

export function emptyState(installation: string): State {
  return { version: VERSION, installation, incarnation: null, published: [], books: {}, clients: {} };
}

/**
 * What counts of a state when the one saved after it is lost. Known days stay true, but:
 * - Another payload may have been sent since. Were `on` of 22:00 trusted although the lost state said `off` of 06:00, the
 *   next `on` would never be sent. So each payload in force is sent once more.
 * - A simulation may have been ended since. So none goes on.
 */
export function recoverState({ simulation, outputs, ...rest }: State): State {
  return { ...rest, outputs: forgetAcknowledgements(readOutputsState(outputs)) };
}

export function knownDaysOf(state: State, source: string): KnownDays {
  return (Object.hasOwn(state.books, source) ? state.books[source] : undefined) ?? NO_KNOWN_DAYS;
}

/** The state with this as what is known of the source now in use; only the sources used last are kept. */
export function withSource(
  state: State,
  source: string,
  { knownDays, client }: { knownDays: KnownDays; client: Record<string, unknown> },
): State {
  return {
    ...state,
    books: moveToEnd(state.books, source, knownDays),
    clients: moveToEnd(state.clients, source, client),
  };
}

/** The state with this as what the client of the official source now in use has learnt. */
export function withOfficialClient(state: State, source: string, client: Record<string, unknown>): State {
  return { ...state, official_clients: moveToEnd(state.official_clients ?? {}, source, client) };
}

function moveToEnd<T>(record: Record<string, T>, key: string, value: T): Record<string, T> {
  const others = Object.entries(record).filter(([other]) => other !== key);
  return Object.fromEntries([...others.slice(1 - SOURCES_KEPT), [key, value]]);
}

/** Of the format of the state file. */
export const VERSION = 2;
const SOURCES_KEPT = 3;
