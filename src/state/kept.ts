import type { Instant } from "../core/calendar/tariff.ts";
import { type KnownDays, newestInstant } from "../core/days/known-days.ts";
import { rteWordsOf, withoutRteWords } from "../core/days/official-words.ts";
import { readSimulation } from "../core/facts/simulation.ts";
import type { LogLine } from "../core/log/log-line.ts";
import type { Kept } from "../core/loop/known.ts";
import { readOutputs } from "../core/outputs/outputs-kept.ts";
import { readRuleSettings } from "../core/rules/rule-settings.ts";
import { readRulesState } from "../core/rules/rules-state.ts";
import { readKeptValues } from "../core/rules/value-readings.ts";
import { NEW_SOURCE, readSource, type SourceKept } from "../core/sources/source-kept.ts";
import { knownDaysOf, type State, withOfficial, withSource } from "./state.ts";

/** The sources of a configuration, as the state file names them. */
export interface KeptSources {
  /** `service.base_url` */
  service: string;
  /** The address of the official source, or `simulator`; null: none is asked. */
  official: string | null;
}

/** What the state file holds for these sources. A part that cannot be read counts as empty. */
export function readKept(state: State, { service, official }: KeptSources): Kept {
  const days = knownDaysOf(state, service, official);
  return {
    days,
    sources: {
      service: withAnswer(readSource(state.clients[service]), () => newestInstant(withoutRteWords(days))),
      ...(official !== null && {
        official: withAnswer(readSource(state.official_clients[official]), () => newestRteWord(days)),
      }),
    },
    rules: readRulesState(state.rules),
    settings: readRuleSettings(state.settings),
    simulation: readSimulation(state.simulation),
    outputs: readOutputs(state).kept,
    values: readKeptValues(state.values),
  };
}

/** An older vigie did not keep when a source has answered, but what it said. */
function withAnswer(source: SourceKept, findNewest: () => Instant | null): SourceKept {
  return source.answered_at === null ? { ...source, answered_at: findNewest() } : source;
}

function newestRteWord(days: KnownDays): Instant | null {
  const said = Object.values(rteWordsOf(days)).map(({ first_said }) => first_said);
  return said.length === 0 ? null : Math.max(...said);
}

/** What is said of outputs in the state file that cannot be read, each by its key. */
export function describeUnreadOutputs(state: State): LogLine[] {
  return readOutputs(state).unread.map((key) => ({
    level: "warn",
    sentence: `The state file does not say in a way that can be read what was sent to ${key}: what is in force for it is sent once more`,
  }));
}

/** The state with what is kept of these sources, and of all else. */
export function withKept(state: State, kept: Kept, { service, official }: KeptSources): State {
  const { days, sources, rules, settings, simulation, outputs, values } = kept;
  const client = sources.service ?? NEW_SOURCE;
  const ofService = withSource(state, service, { knownDays: days, client });
  const ofSources =
    official === null
      ? ofService
      : withOfficial(ofService, official, {
          knownDays: days,
          client: sources.official ?? NEW_SOURCE,
        });
  const { values: _, ...rest } = ofSources;
  const { devices, messages } = outputs;
  const hasValues = Object.keys(values).length > 0;
  const ofOutputs = { outputs: devices, messages };
  return { ...rest, rules, settings, simulation, ...ofOutputs, ...(hasValues && { values }) };
}
