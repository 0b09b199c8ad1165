import type { Clocks } from "../calendar/clocks.ts";
import { isEqual } from "../days/is-equal.ts";
import { endWithDay } from "../facts/simulation.ts";
import { NO_SOURCE_CLOCKS, type SourceClocks } from "../facts/source-clocks.ts";
import type { SourceId } from "../facts/source-record.ts";
import type { LogLine } from "../log/log-line.ts";
import { startOutputs } from "../outputs/start-outputs.ts";
import { NO_HOLDS } from "../rules/evaluate-rules.ts";
import { topicsOfRules } from "../rules/rule.ts";
import { settleSettings } from "../rules/rule-settings.ts";
import { startSource } from "../sources/poll.ts";
import type { BrokerState, Kept, Known, ValuesPart } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";
import { startSaving } from "./saving.ts";

interface StartContext {
  at: Clocks;
  config: LoopConfig;
  /** The broker as messages name it. */
  broker: string;
  /** Before a reload: what was known then, and the sources that stay the same. */
  before: { known: Known; same: readonly SourceId[] } | null;
  /** The vigie before was killed, or its machine lost power. */
  isAfterCrash?: boolean;
}

/** What is known at a start or after a reload, with what the state file holds. */
export function startKnown(kept: Kept, context: StartContext): Known {
  const { at, config, broker, before, isAfterCrash } = context;
  const settled = settleSettings(kept.settings, config.rules);
  const settings = isEqual(settled.settings, kept.settings) ? kept.settings : settled.settings;
  const sources = config.sources.flatMap(({ id }) => {
    const ofSource = kept.sources[id];
    const passing = before?.known.passing.sources[id];
    const known = before?.same.includes(id) ? passing : passing && { counts: passing.counts };
    return ofSource ? [[id, startSource(ofSource, known).passing] as const] : [];
  });
  const simulation = kept.simulation && endWithDay(kept.simulation, config.tariff);
  const outputs = startOutputs(kept.outputs, at, {
    outputs: config.outputs,
    isAfterCrash,
    before: before?.known.passing.outputs ?? null,
  });
  return {
    kept: { ...kept, settings, simulation, outputs: outputs.kept },
    passing: {
      vigieFailed: false,
      clocks: clocksOfSame(before),
      untoldSince: untoldAtStart(context),
      askedAfterJumps: before?.known.passing.askedAfterJumps ?? [],
      jumps: 0,
      sources: Object.fromEntries(sources),
      hadDays: Object.keys(kept.days.days).length > 0,
      values: startValues(before?.known.passing.values ?? null, at, config),
      // A rule that was edited holds nothing.
      holds: before?.known.passing.holds ?? NO_HOLDS,
      outputs: outputs.passing,
      broker: startBroker(broker),
      homeAssistant: null,
      saving: startSaving(kept, before?.known.passing.saving ?? null, at.steady),
      said: [...settled.lines.map((sentence): LogLine => ({ level: "warn", sentence }))],
    },
  };
}

/** A reload is no start of the machine: the clock is as right as it was. */
function untoldAtStart({ at, config, before }: StartContext): number | null {
  if (config.check_clock === "off") return null;
  return before ? before.known.passing.untoldSince : at.steady;
}

function startValues(before: ValuesPart | null, { steady }: Clocks, { rules }: LoopConfig): ValuesPart {
  const topics = new Set(topicsOfRules(rules));
  const heard = new Map([...(before?.heard ?? [])].filter(([topic]) => topics.has(topic)));
  const awaitedSince = topics.size === 0 ? null : (before?.awaitedSince ?? steady);
  return { heard, awaitedSince, readings: new Map() };
}

function startBroker(url: string): BrokerState {
  return { connected: false, url };
}

function clocksOfSame(before: StartContext["before"]): SourceClocks {
  if (!before) return NO_SOURCE_CLOCKS;
  const { latest, furthest, doubted, agreed, sent } = before.known.passing.clocks;
  const ofSame = <Said>(
    bySource: Readonly<Partial<Record<SourceId, Said>>>,
  ): Partial<Record<SourceId, Said>> =>
    Object.fromEntries(before.same.map((id) => [id, bySource[id]]).filter(([, said]) => said));
  return {
    latest: ofSame(latest),
    furthest: ofSame(furthest),
    doubted: ofSame(doubted),
    agreed: ofSame(agreed),
    sent: ofSame(sent),
  };
}
