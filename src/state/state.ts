import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import { type KnownDays, NO_KNOWN_DAYS, type RteWord } from "../core/days/known-days.ts";
import { rteWordsOf, withoutRteWords, withRteWords } from "../core/days/official-words.ts";
import { forgetAcknowledgements, readOutputs } from "../core/outputs/outputs-kept.ts";

/** All that survives a restart, as the state file holds it. The names of its keys are part of the file's format. */
export interface State {
  version: typeof VERSION;
  /** A random id of this state folder; never changes. */
  installation: string;
  /** A random id of the last start that wrote to the broker. */
  incarnation: string | null;
  /** The installation that this one had to leave a base topic to, and when and on which machine that was last said. */
  yielded_to?: { installation: string; said_at: Instant; said_on: string };
  /** Where retained messages of this vigie may be on the broker; the last entry is where it publishes now. */
  published: { base_topic: string; instance: string; prefix: string }[];
  /** The known days of each service (`simulator` or an address), never mixed; the one used last is the last key. */
  books: Record<string, KnownDays>;
  /** What was learnt of each service, and how it answers; `readSource` checks it. */
  clients: Record<string, object>;
  /** The words of each official source (`simulator` or an address), never mixed; the one used last is the last key. */
  official_words: Record<string, Record<IsoDate, RteWord>>;
  /** What was sent to each of them, and how it answers; `readSource` checks it. */
  official_clients: Record<string, object>;
  /** The invented days that were moved for a first look. */
  moved_days?: Record<IsoDate, Color>;
  /** What rules, their settings, devices, messages, the simulation and the listener for values remember; each of them reads and checks its own part. */
  rules?: unknown;
  settings?: unknown;
  outputs?: unknown;
  messages?: unknown;
  simulation?: unknown;
  values?: unknown;
  /** The last vigie ended in order. Absent: it runs, or was killed, or its machine lost power. */
  ended_in_order?: true;
}

export function emptyState(installation: string): State {
  return {
    version: VERSION,
    installation,
    incarnation: null,
    published: [],
    books: {},
    clients: {},
    official_words: {},
    official_clients: {},
  };
}

/**
 * What counts of a state when the one saved after it is lost. Known days stay true, but:
 * - Another payload may have been sent since. Were `on` of 22:00 trusted although the lost state said `off` of 06:00, the
 *   next `on` would never be sent. So each payload in force is sent once more.
 * - A simulation may have been ended since. So none goes on.
 */
export function recoverState({ simulation, outputs, messages, ended_in_order, ...rest }: State): State {
  const kept = forgetAcknowledgements(readOutputs({ outputs, messages }).kept);
  return { ...rest, outputs: kept.devices, messages: kept.messages };
}

/** What is known from this service and this official source (null: none); what others said is not used. */
export function knownDaysOf(state: State, source: string, official: string | null): KnownDays {
  const known = ownValue(state.books, source) ?? NO_KNOWN_DAYS;
  const words = official === null ? undefined : ownValue(state.official_words, official);
  return words ? withRteWords(known, words) : known;
}

/** The state with this as what is known of the service now in use; only the services used last are kept. */
export function withSource(
  state: State,
  source: string,
  { knownDays, client }: { knownDays: KnownDays; client: object },
): State {
  return {
    ...state,
    books: moveToEnd(state.books, source, withoutRteWords(knownDays)),
    clients: moveToEnd(state.clients, source, client),
  };
}

/** The state with the words of RTE among these days as those of the official source now in use. */
export function withOfficial(
  state: State,
  official: string,
  { knownDays, client }: { knownDays: KnownDays; client: object },
): State {
  return {
    ...state,
    official_words: moveToEnd(state.official_words, official, rteWordsOf(knownDays)),
    official_clients: moveToEnd(state.official_clients, official, client),
  };
}

function ownValue<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function moveToEnd<T>(record: Record<string, T>, key: string, value: T): Record<string, T> {
  const others = Object.entries(record).filter(([other]) => other !== key);
  return Object.fromEntries([...others.slice(1 - SOURCES_KEPT), [key, value]]);
}

/** Of the format of the state file. */
export const VERSION = 3;
const SOURCES_KEPT = 3;
