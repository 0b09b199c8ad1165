import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createLoopParts, postMemories, readKeptOf } from "../../.build/app/loop-parts.js";
import { createLoop } from "../../.build/app/run-loop.js";
import { loadConfig } from "../../.build/config/load-config.js";
import { RTE } from "../../.build/core/sources/rte-source.js";
import { FORECAST_SERVICE } from "../../.build/core/sources/service-source.js";
import { diffTopics } from "../../.build/core/topics/diff-topics.js";
import { createOfficialClient } from "../../.build/service/official-client.js";
import { createServiceClient } from "../../.build/service/service-client.js";
import { openStore } from "../../.build/state/store.js";

const OFFSET = 0.4;

/** The configuration as shipped, whatever the environment says. */
const file = new URL("../../config/vigie.yaml", import.meta.url).pathname;
export const { config: CONFIG } = await loadConfig({ file, env: {}, cwd: process.cwd() });

/**
 * vigie's loop on a clock of the bench: the real loop, clients and store, over real HTTP on loopback. It counts the
 * requests to each source, the writes of the state file and the messages that would be published. `official`: the address
 * of an official source; by itself there is none.
 */
export async function openMeasuredLoop({
  service,
  official = null,
  clock,
  folder,
  rules = CONFIG.rules,
  outputs = CONFIG.outputs,
}) {
  const store = await openStore(folder, { log: LOG, problemLog: PROBLEM_LOG, random: Math.random });
  const config = {
    ...CONFIG,
    rules,
    outputs,
    service: { ...CONFIG.service, base_url: service },
    official: { source: official ?? "off" },
  };
  // The bench says when time has passed. The waits of the clients are over at once.
  const loop = createLoop({
    clock: { ...clock, after: () => nothing },
    longestSleep: 15_000,
    ownErrors: ENDING,
    wake: nothing,
  });
  const { post } = loop;
  const kept = readKeptOf(store, config);
  const memories = postMemories(kept, post);
  const shared = { version: "bench", log: LOG, clock, random: () => 0.5 };
  const client = createServiceClient({
    ...shared,
    config: CONFIG.service,
    base: service,
    memory: memories.service,
  });
  const officialClient =
    official &&
    createOfficialClient({ ...shared, tariff: CONFIG.tariff, base: official, memory: memories.official });
  const parts = createLoopParts({
    config,
    store,
    clock,
    loop,
    kept,
    sources: { service: client, official: officialClient, isInvented: false },
    broker: "",
    offset: OFFSET,
    isDemo: false,
    before: null,
    post,
  });
  const counts = { requests: 0, officialRequests: 0, writes: 0, topics: new Map() };
  /** The poll that the bench asks for, due or not. */
  let owed = null;
  const plan = (due, part, context) => {
    const wanted = owed ? [owed] : due;
    owed = null;
    return FORECAST_SERVICE.plan(wanted, part, context);
  };
  const sources = parts.config.sources.map((source) =>
    source.id === "service" ? { ...source, plan } : source,
  );
  const countTopics = countChanges(counts.topics);
  let idle = nothing;
  loop.begin({
    ...parts,
    config: { ...parts.config, sources },
    sinks: [
      ...parts.sinks,
      { name: "topics", show: ({ topics }) => countTopics(topics) },
      {
        name: "the end of the polls",
        show: ({ requests }) => {
          if (!isPolling(requests)) idle();
        },
      },
    ],
    say: ({ lines }) => endOnFailure(lines),
  });
  /** Lets the loop see what time it is; resolves at the end of the polls that this begins. */
  const letPoll = async () => {
    post({ kind: "time" });
    if (!isPolling(loop.view().requests)) return;
    await new Promise((resolve) => {
      idle = resolve;
    });
  };
  const countWrites = await watchFile(join(folder, "state.json"));
  const noteWrites = async () => {
    await store.flush();
    counts.writes += await countWrites();
  };
  /** The requests that are sent meanwhile. */
  const countRequests = async (run) => {
    const spentOf = () => [memories.service, memories.official].map(({ get }) => get().spent);
    const before = spentOf();
    await run();
    const [service, rte] = spentOf().map(({ day, count }, index) =>
      day === before[index].day ? count - before[index].count : count,
    );
    counts.requests += service;
    counts.officialRequests += rte;
    await noteWrites();
  };
  /** A poll of the service, due or not. */
  const poll = () => {
    owed = { asks: "forecasts", isEssential: true, isRecheck: false };
    return countRequests(letPoll);
  };
  const close = async () => {
    loop.pause();
    await Promise.all([parts.stop(), client.close(), officialClient?.close()]);
  };
  const pollIfDue = () => countRequests(letPoll);
  return { loop, config: parts.config, counts, poll, pollIfDue, noteWrites, close };
}

function isPolling(requests) {
  return Object.values(requests).some((request) => request !== null);
}

function endOnFailure(lines) {
  const failure = lines.find(({ problem, starts }) => starts && SOURCES.includes(problem));
  if (failure) end(new Error(failure.starts));
}

const nothing = () => undefined;
const SOURCES = [FORECAST_SERVICE.name, RTE.name];
/** Also if whoever has posted an event catches what is thrown. */
const end = (error) =>
  queueMicrotask(() => {
    throw error;
  });
const endOnError = (_part, run) => {
  try {
    run();
    return true;
  } catch (error) {
    end(error);
    return false;
  }
};
/** An error of vigie itself ends the bench. */
const ENDING = { protect: endOnError, forget: nothing, isFailing: () => false };
export const LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const PROBLEM_LOG = { starts: nothing, isOver: nothing };

function countChanges(topics) {
  let sent = new Map();
  return (wanted) => {
    if (wanted === sent) return;
    for (const { topic } of diffTopics(sent, wanted)) topics.set(topic, (topics.get(topic) ?? 0) + 1);
    sent = wanted;
  };
}

/** 1 where the file was replaced since the last look, else 0. */
async function watchFile(path) {
  const look = async () => (await stat(path, { bigint: true }).catch(nothing))?.mtimeNs;
  let last = await look();
  return async () => {
    const now = await look();
    const isNew = now !== last;
    last = now;
    return isNew ? 1 : 0;
  };
}
