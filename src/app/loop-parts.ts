import type { Config } from "../config/config.ts";
import { officialAddress } from "../config/official-options.ts";
import type { ClockCheck } from "../core/facts/source-clocks.ts";
import type { SourceId } from "../core/facts/source-record.ts";
import { saidAtStart } from "../core/loop/changes.ts";
import type { Kept, Known } from "../core/loop/known.ts";
import type { LoopConfig } from "../core/loop/loop-config.ts";
import { startKnown } from "../core/loop/start.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import type { Source } from "../core/sources/source.ts";
import { clientMemoryOf, NEW_SOURCE } from "../core/sources/source-kept.ts";
import { type ClockWithTimers, readClocks } from "../runtime/clock.ts";
import type { MemoryKeeper } from "../service/memory-keeper.ts";
import { createSourceSink, type SourceClient } from "../service/source-sink.ts";
import { type KeptSources, readKept, withKept } from "../state/kept.ts";
import type { Store } from "../state/store.ts";
import type { Beginning, Sink } from "./loop-state.ts";
import { readPollLines } from "./read-poll-lines.ts";
import type { Post } from "./run-loop.ts";

/** The configuration, as far as it decides what vigie knows and does; not how it is reached. */
type DecidingConfig = Pick<Config, "tariff" | "rules" | "outputs" | "service" | "official" | "mqtt">;

interface PartsOptions {
  config: DecidingConfig;
  store: Store;
  clock: ClockWithTimers;
  kept: Kept;
  sources: { service: SourceClient | null; official: SourceClient | null; isInvented: boolean };
  /** The broker as messages name it. */
  broker: string;
  /** 0 to 1: this installation's phase. */
  offset: number;
  isDemo: boolean;
  /** Before a reload: the configuration, and what was known with it. */
  before: { config: DecidingConfig; known: Known } | null;
  /** The vigie before was killed, or its machine lost power. */
  isAfterCrash?: boolean;
  post: Post;
}

/** What the loop begins with, and the sinks that each loop has: its sources, and the disk. */
export interface LoopParts extends Pick<Beginning, "config" | "known" | "said"> {
  sinks: readonly Sink[];
  /** Several times a minute. */
  wake: Sink["show"];
  /** Ends the requests that are under way. */
  stop: () => Promise<void>;
}

export function createLoopParts(options: PartsOptions): LoopParts {
  const { config, store, clock, kept, sources, broker, before, post } = options;
  const clients: { source: Source; client: SourceClient }[] = [
    ...(sources.service ? [{ source: FORECAST_SERVICE, client: sources.service }] : []),
    ...(sources.official ? [{ source: RTE, client: sources.official }] : []),
  ];
  const loopConfig: LoopConfig = {
    tariff: config.tariff,
    rules: config.rules,
    outputs: config.outputs,
    sources: clients.map(({ source }) => source),
    isInvented: sources.isInvented,
    pollLines: readPollLines(config.service.poll, { ...config.tariff, offset: options.offset }),
    grace: config.mqtt.grace,
    late_after: config.service.late_after,
    check_clock: clockCheck(config),
    isDemo: options.isDemo,
  };
  const sinksOfSources = clients.map(({ source, client }) => {
    const { id, speaker } = source;
    const sink = createSourceSink({
      ask: client.ask,
      post: (event) => post({ kind: "source", source: id, event }),
    });
    return { id, name: `requests to ${speaker}`, sink };
  });
  const disk = createDiskSink(store, keptSources(config), post);
  const at = readClocks(clock);
  return {
    config: loopConfig,
    known: startKnown(kept, {
      at,
      config: loopConfig,
      broker,
      before: before && { known: before.known, same: sameSources(before.config, config) },
      isAfterCrash: options.isAfterCrash ?? false,
    }),
    said: saidAtStart(kept),
    sinks: [
      disk,
      ...sinksOfSources.map(
        ({ id, name, sink }): Sink => ({ name, show: ({ requests }) => sink.show(requests[id] ?? null) }),
      ),
    ],
    wake: disk.wake,
    stop: async () => {
      await Promise.all(sinksOfSources.map(({ sink }) => sink.stop()));
    },
  };
}

function clockCheck(config: Pick<DecidingConfig, "service" | "official">): ClockCheck {
  const { service, official } = keptSources(config);
  const { check_clock } = config.service;
  if (check_clock === "off" || official === null || service === "none") return check_clock;
  return hostOf(service) === hostOf(official) ? check_clock : "two hosts";
}

/** The simulator's address is a word. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : address;
}

/** The sources of this configuration, as the state file names them. */
export function keptSources({
  service,
  official,
}: Pick<DecidingConfig, "service" | "official">): KeptSources {
  return { service: service.base_url, official: officialAddress(official.source) };
}

export function readKeptOf(store: Store, config: Pick<DecidingConfig, "service" | "official">): Kept {
  return readKept(store.state(), keptSources(config));
}

/** What the clients of the sources count and learn: they go on from what is kept, and post it. */
export function postMemories(kept: Kept, post: Post): Record<SourceId, MemoryKeeper> {
  const keeper = (source: SourceId): MemoryKeeper => {
    let memory = clientMemoryOf(kept.sources[source] ?? NEW_SOURCE);
    return {
      get: () => memory,
      set: (next) => {
        memory = next;
        post({ kind: "source", source, event: { kind: "memory", memory } });
      },
    };
  };
  return { service: keeper("service"), official: keeper("official") };
}

/** Gives the disk what it has to be given, and posts when it is written, or could not be. */
function createDiskSink(store: Store, sources: KeptSources, post: Post): Sink & { wake: Sink["show"] } {
  let newest = 0;
  const write = async ({ number, given, outputChanges }: Known["passing"]["saving"]) => {
    await store.save(withKept(store.state(), given, sources));
    post({ kind: "saved", number, outputChanges, problem: store.problem() });
  };
  return {
    name: "the disk",
    show: ({ saving }) => {
      if (saving.number === newest) return;
      newest = saving.number;
      void write(saving);
    },
    // Not only the loop saves: a state that could not be saved may be on the disk by now, or the other way round.
    wake: ({ saving }) => {
      const problem = store.problem();
      if (problem !== saving.problem) post({ kind: "saved", number: 0, outputChanges: 0, problem });
    },
  };
}

function sameSources(one: DecidingConfig, other: DecidingConfig): SourceId[] {
  return [
    ...(one.service.base_url === other.service.base_url ? (["service"] as const) : []),
    ...(one.official.source === other.official.source ? (["official"] as const) : []),
  ];
}
