import { z } from "zod";
import type { Instant } from "../core/calendar/tariff.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import type { Simulation } from "../core/facts/facts.ts";
import { readSimulation } from "../core/facts/simulation.ts";
import { type OutputsState, readOutputsState } from "../core/outputs/outputs-state.ts";
import type { Saving } from "../core/rules/evaluate-rules.ts";
import { mqttConditionsIn, type Rule } from "../core/rules/rule.ts";
import {
  endMeanwhile,
  type RuleSettings,
  readRuleSettings,
  settleSettings,
} from "../core/rules/rule-settings.ts";
import { type RulesState, readRulesState } from "../core/rules/rules-state.ts";
import type { KeptValues } from "../core/rules/value-readings.ts";
import type { Log } from "../runtime/log.ts";
import { type ClientMemory, clientMemorySchema, EMPTY_MEMORY } from "../service/client-memory.ts";
import type { LastAnswered } from "../service/plan-requests.ts";
import {
  type MemoryKeeper,
  NO_OFFICIAL_MEMORY,
  type OfficialMemory,
  officialMemorySchema,
  type RequestMemory,
} from "../service/request-memory.ts";
import { knownDaysOf, type State, withOfficial, withSource } from "../state/state.ts";
import type { Store } from "../state/store.ts";

/**
 * What the loop remembers. SD cards wear out, so not each change is saved at once; `flush` saves the rest. Where the disk
 * fails, the store logs it and the loop goes on from memory.
 *
 * | change               | in force | saved                                                            |
 * |----------------------|----------|------------------------------------------------------------------|
 * | `keepAnswer`         | at once  | if a day, a season or `lastAnswered` changed; else every 2 hours |
 * | `client.set`         | at once  | if something was learnt; the count of requests by tens           |
 * | `officialClient.set` | at once  | if a pause or a failure began or ended; the count of requests by |
 * |                      |          | tens                                                             |
 * | `keepRulesState`     | at once  | if a verdict or a forecast changed; if values alone changed a    |
 * |                      |          | verdict, within 5 minutes; else with the next write              |
 * | values heard         | at once  | with the next write; where a rule has a `max_age`, at the latest |
 * |                      |          | three hours after the last write                                 |
 * | `keepOutputs`        | at once  | always                                                           |
 * | `changeSettings`     | after it | always; a write that fails does not stop the change              |
 * | `endSettings`        | at once  | if a time is over                                                |
 * | `changeSimulation`   | after it | always; a write that fails does not stop the change              |
 */
export interface LoopMemory {
  /** What is known of the days, from these sources only: invented days are never used instead of real ones. */
  days: () => KnownDays;
  /** On which dates season and history were last answered. */
  lastAnswered: () => LastAnswered;
  keepAnswer: (days: KnownDays, lastAnswered: LastAnswered) => void;
  /** What the service client has learnt of this service. */
  client: MemoryKeeper<ClientMemory>;
  /** How much was sent to this official source, and since when it does not answer. */
  officialClient: MemoryKeeper<OfficialMemory>;
  /** The state of each rule at the last evaluation, and since when it is so. */
  rulesState: () => RulesState;
  keepRulesState: (rulesState: RulesState, saving: Saving) => void;
  /** When `keepRulesState` has to be called again, so that it saves; infinite where nothing waits for that. */
  savingDue: () => Instant;
  /** What was set by commands; in force once the write has ended. */
  settings: () => RuleSettings;
  /** Builds on changes that are still being saved; resolves when the write has ended and the change is in force. */
  changeSettings: (change: (settings: RuleSettings) => RuleSettings) => Promise<void>;
  /** Ends what was set for a time that is over, and returns the ids of those rules. */
  endSettings: (at: Instant) => readonly string[];
  /** The colour that is pretended. */
  simulation: () => Simulation | null;
  /** Resolves when the write has ended and the change is in force. */
  changeSimulation: (simulation: Simulation | null) => Promise<void>;
  /** What was sent to devices. */
  outputs: () => OutputsState;
  /** Resolves when it is saved. */
  keepOutputs: (outputs: OutputsState) => Promise<void>;
  /** Writes what was not worth a write so far. */
  flush: () => Promise<void>;
}

interface LoopMemoryOptions {
  /** `service.base_url`. */
  source: string;
  /** The address of the official source, or `simulator`; null where none is asked. */
  official: string | null;
  rules: readonly Rule[];
  log: Pick<Log, "warn">;
  /** What was heard, for the state file. */
  values: () => KeptValues;
}

export function openLoopMemory(store: Store, options: LoopMemoryOptions): LoopMemory {
  const { source, official, rules, log, values } = options;
  const state = store.state();
  let { days, lastAnswered, client } = readSources(state, source, official);
  let savedDays = days;
  let officialClient = readOfficialClient(state, official);
  let rulesState = readRulesState(state.rules);
  const { settings: kept, lines } = settleSettings(readRuleSettings(state.settings), rules);
  let settings = kept;
  let simulation = readSimulation(state.simulation);
  let outputs = readOutputsState(state.outputs);
  const count = trackCount(client);
  const officialCount = trackCount(officialClient);

  /** Some of it is newer than the state file's. */
  let isRulesStateNewer = false;
  /** When values first changed a verdict that is not saved yet. */
  let turnUnsavedSince: Instant | null = null;
  /** The evaluation before the last write. */
  let savedAt: Instant | null = null;
  const hasAges = rules.some(({ when }) => mqttConditionsIn(when).some(({ max_age }) => max_age !== null));

  const save = (part: Partial<State>) => {
    const state = { ...store.state(), ...part };
    if (isRulesStateNewer) state.rules = rulesState;
    isRulesStateNewer = false;
    turnUnsavedSince = null;
    savedAt = rulesState.at;
    const heard = values();
    if (Object.keys(heard).length > 0) state.values = heard;
    else delete state.values;
    return store.save(state);
  };
  const savingDue = (): Instant =>
    Math.min(
      turnUnsavedSince === null ? NEVER : turnUnsavedSince + TURNS_OF_VALUES_SAVED_WITHIN,
      savedAt === null || !hasAges ? NEVER : savedAt + AGES_SAVED_WITHIN,
    );
  // State file key `asked`: the dates of the last answers.
  const saveSources = () => {
    count.saved(client);
    savedDays = days;
    const part = { knownDays: days, client: { ...client, asked: lastAnswered } };
    const state = withSource(store.state(), source, part);
    if (official === null) return save(state);
    officialCount.saved(officialClient);
    return save(withOfficial(state, official, { knownDays: days, client: officialClient }));
  };
  // A threshold that was edited in the configuration counts more than one that was moved by a command before.
  for (const line of lines) log.warn(line);
  if (JSON.stringify(settings) !== JSON.stringify(readRuleSettings(state.settings))) void save({ settings });
  return {
    days: () => days,
    lastAnswered: () => lastAnswered,
    keepAnswer: (newDays, newLastAnswered) => {
      const isWorthWrite = newLastAnswered !== lastAnswered || isWorthWriting(newDays, savedDays);
      days = newDays;
      lastAnswered = newLastAnswered;
      if (isWorthWrite) void saveSources();
    },
    client: {
      get: () => client,
      set: (learnt) => {
        const before = client;
        client = learnt;
        const isLearnt =
          before.percent !== learnt.percent ||
          before.history_parameters !== learnt.history_parameters ||
          before.pause !== learnt.pause;
        if (isLearnt || (before.spent !== learnt.spent && count.isWorthWriting(learnt))) void saveSources();
      },
    },
    officialClient: {
      get: () => officialClient,
      set: (learnt) => {
        const before = officialClient;
        officialClient = learnt;
        const isCounted = before.spent !== learnt.spent && officialCount.isWorthWriting(learnt);
        const isLearnt = before.pause !== learnt.pause || before.failing_since !== learnt.failing_since;
        if (isLearnt || isCounted) void saveSources();
      },
    },
    rulesState: () => rulesState,
    keepRulesState: (evaluated, saving) => {
      rulesState = evaluated;
      isRulesStateNewer = true;
      const { at } = evaluated;
      savedAt ??= at;
      if (saving === "soon") turnUnsavedSince ??= at;
      // After the clock was set back, the last write may lie in the future.
      const isDue = at !== null && (at >= savingDue() || at < (savedAt ?? at));
      if (saving === "now" || isDue) void save({});
    },
    savingDue,
    settings: () => settings,
    changeSettings: async (change) => {
      const changed = change(readRuleSettings(store.state().settings));
      await save({ settings: changed });
      settings = changed;
    },
    endSettings: (at) => {
      const { settings: left, ended } = endMeanwhile(settings, at);
      settings = left;
      if (ended.length > 0)
        void save({ settings: endMeanwhile(readRuleSettings(store.state().settings), at).settings });
      return ended;
    },
    simulation: () => simulation,
    changeSimulation: async (changed) => {
      await save({ simulation: changed });
      simulation = changed;
    },
    outputs: () => outputs,
    keepOutputs: (sent) => {
      outputs = sent;
      return save({ outputs: sent });
    },
    flush: saveSources,
  };
}

/**
 * The first requests after a start are saved one by one, then every tenth. So a vigie that is killed and started again
 * and again keeps to the day's budget, and the state file is not written with each request.
 */
function trackCount(atStart: RequestMemory) {
  let saved = atStart.spent;
  let changes = 0;
  return {
    isWorthWriting: ({ spent }: RequestMemory) => {
      changes += 1;
      // A new day begins at 0, also where the state file has the day before.
      const unsaved = spent.day === saved.day ? spent.count - saved.count : spent.count;
      return changes <= COUNTS_SAVED || unsaved >= COUNTS_SAVED;
    },
    saved: ({ spent }: RequestMemory) => {
      saved = spent;
    },
  };
}

/** Most answers bring the same days with another `updated_at`. After a crash the first answer brings that, too. */
function isWorthWriting(days: KnownDays, saved: KnownDays): boolean {
  const isNew = days.days !== saved.days || days.seasons !== saved.seasons;
  return isNew || (days.updated_at ?? 0) - (saved.updated_at ?? 0) >= UPDATE_SAVED_EVERY;
}

function readSources(state: State, source: string, official: string | null) {
  const kept = sourceSchema.safeParse(state.clients[source]);
  const { asked, ...client } = kept.success ? kept.data : { ...EMPTY_MEMORY, asked: NEVER_ANSWERED };
  return { days: knownDaysOf(state, source, official), lastAnswered: asked, client };
}

function readOfficialClient(state: State, official: string | null): OfficialMemory {
  const kept = official === null ? undefined : state.official_clients[official];
  return officialMemorySchema.safeParse(kept).data ?? NO_OFFICIAL_MEMORY;
}

const UPDATE_SAVED_EVERY = 2 * 3_600_000;
/**
 * After a power cut a value counts from when the state file says that it was heard. While a service answers, its answers are
 * saved more often than that.
 */
const AGES_SAVED_WITHIN = 3 * 3_600_000;
const NEVER = Number.POSITIVE_INFINITY;
const COUNTS_SAVED = 10;
const TURNS_OF_VALUES_SAVED_WITHIN = 5 * 60_000;
const NEVER_ANSWERED: LastAnswered = { season: null, history: null };
const sourceSchema = clientMemorySchema.extend({
  asked: z.object({ season: z.iso.date().nullable(), history: z.iso.date().nullable() }),
});
