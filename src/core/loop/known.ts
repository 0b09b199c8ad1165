import type { Instant } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { HomeAssistantStatus } from "../discovery/describe-device.ts";
import type { Simulation } from "../facts/facts.ts";
import type { SourceClocks } from "../facts/source-clocks.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { LogLine } from "../log/log-line.ts";
import type { OutputsKept } from "../outputs/outputs-kept.ts";
import { forgetSaid, type OutputsPart } from "../outputs/outputs-part.ts";
import type { HoldMemories } from "../rules/evaluate-rules.ts";
import type { RuleSettings } from "../rules/rule-settings.ts";
import type { RulesState } from "../rules/rules-state.ts";
import type { HeardValues, KeptValues, Readings } from "../rules/value-readings.ts";
import type { SourcePassing } from "../sources/source.ts";
import type { SourceKept } from "../sources/source-kept.ts";
import type { Owner } from "../topics/topic.ts";

/** All that vigie knows: what the state file holds, and what ends with the process or with a configuration. */
export interface Known {
  kept: Kept;
  passing: Passing;
}

/** What the state file holds, of the sources and the rules of one configuration. */
export interface Kept {
  /** What is known of the days, from these sources only: invented days are never used instead of real ones. */
  days: KnownDays;
  /** What was sent to each source, and what was learnt of it. */
  sources: Readonly<Partial<Record<SourceId, SourceKept>>>;
  /** The state of each rule at the last evaluation, and since when it is so. */
  rules: RulesState;
  /** What was set by commands. */
  settings: RuleSettings;
  /** The colour that is pretended. */
  simulation: Simulation | null;
  /** What was sent to devices and people. */
  outputs: OutputsKept;
  /** When the values of other programs were heard. */
  values: KeptValues;
}

export interface Passing {
  /** An error of vigie itself keeps a part of it from working. */
  vigieFailed: boolean;
  clocks: SourceClocks;
  /** By the steady clock: since when nobody has told the time after a start or a jump of the clock; null: a source has. */
  untoldSince: number | null;
  /** By the steady clock: when the sources were asked because of jumps, within a day. */
  askedAfterJumps: readonly number[];
  /** How often this machine's clock was set, or the machine suspended, by a minute or more. */
  jumps: number;
  sources: Readonly<Partial<Record<SourceId, SourcePassing>>>;
  /** At the start days were known from before. */
  hadDays: boolean;
  values: ValuesPart;
  /** What is remembered of the rules with a hold. */
  holds: HoldMemories;
  outputs: OutputsPart["passing"];
  broker: BrokerState;
  homeAssistant: HomeAssistantStatus;
  saving: SavingPart;
  /** What is to be logged; emptied when it is. */
  said: readonly LogLine[];
}

export interface ValuesPart {
  heard: HeardValues;
  /** Set from the start, and from each new connection, until `heard` has what the broker holds: since when, by the steady clock. */
  awaitedSince: number | null;
  /** What the conditions found at the last look. */
  readings: Readings;
}

export interface BrokerState {
  /** The broker has had all topics, and `online`, since this connection began. */
  connected: boolean;
  /** The broker as messages name it: without a password. */
  url: string;
  /** Since when the broker is away; only if that is longer than a restart of the broker takes. */
  away_since?: Instant;
  /** Another vigie owns the base topic. This one has left the broker, and has to end. */
  other_owner?: Owner;
}

/** What the disk was given (saving.ts). */
export interface SavingPart {
  /** What was given last, or read at the start. */
  given: Kept;
  /** The number of that write; 0 before the first. */
  number: number;
  /** The last write that has ended, on the disk or in vain. */
  ended: number;
  /** Since when the disk has ended no write, by the steady clock; null: it has ended each that it was given. */
  waitsSince: number | null;
  /** It has taken so long that the state counts as not saved. */
  hangs: boolean;
  /** Why the last write failed; null if it did not. */
  problem: string | null;
  /** When it was given, or read; by the steady clock. */
  savedAt: number;
  /** When what the rules remember has to be given at the latest, by the steady clock; infinite: with the next write. */
  rulesDueAt: number;
  /** How many changes of the outputs that had to be saved were given. */
  outputChanges: number;
  /** How many times the state was given only because of requests that were sent. */
  counted: number;
}

/** With these parts of `passing` replaced. */
export function withPassing(known: Known, changed: Partial<Passing>): Known {
  return { ...known, passing: { ...known.passing, ...changed } };
}

export function say(known: Known, lines: readonly LogLine[]): Known {
  return lines.length === 0 ? known : withPassing(known, { said: [...known.passing.said, ...lines] });
}

export function outputsOf({ kept, passing }: Known): OutputsPart {
  return { kept: kept.outputs, passing: passing.outputs };
}

/** What the outputs say is said with all else. */
export function withOutputs(before: Known, part: OutputsPart): Known {
  const known = say(before, part.passing.said);
  const { kept: outputs, passing } = forgetSaid(part);
  const { kept } = known;
  if (outputs === kept.outputs && passing === known.passing.outputs) return known;
  const changed = outputs === kept.outputs ? kept : { ...kept, outputs };
  return withPassing({ ...known, kept: changed }, { outputs: passing });
}
