import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createLoop } from "../../.build/app/loop.js";
import { openLoopMemory } from "../../.build/app/loop-memory.js";
import { loadConfig } from "../../.build/config/load-config.js";
import { diffTopics } from "../../.build/core/topics/diff-topics.js";
import { createOfficialClient } from "../../.build/service/official-client.js";
import { createServiceClient } from "../../.build/service/service-client.js";
import { openStore } from "../../.build/state/store.js";

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
  heard = new Map(),
}) {
  const store = await openStore(folder, { log: LOG, problemLog: PROBLEM_LOG, random: Math.random });
  const memory = openLoopMemory(store, {
    source: "bench",
    official: official && "bench",
    rules,
    log: LOG,
    values: () => ({}),
  });
  const shared = { version: "bench", log: LOG, clock, random: () => 0.5 };
  const client = createServiceClient({
    ...shared,
    config: CONFIG.service,
    base: service,
    memory: memory.client,
  });
  const officialClient =
    official &&
    createOfficialClient({
      ...shared,
      tariff: CONFIG.tariff,
      base: official,
      memory: memory.officialClient,
    });
  const counts = { requests: 0, officialRequests: 0, writes: 0, topics: new Map() };
  const loop = createLoop({
    ...loopOptions({ clock, memory, rules, heard }),
    publish: countChanges(counts.topics),
    ask: client.ask,
    askOfficial: officialClient?.ask ?? null,
  });
  const countWrites = await watchFile(join(folder, "state.json"));
  const noteWrites = async () => {
    await store.flush();
    counts.writes += await countWrites();
  };
  const countRequests = async (name, { get }, run) => {
    const before = get().spent;
    const outcome = await run();
    const after = get().spent;
    counts[name] += after.day === before.day ? after.count - before.count : after.count;
    await noteWrites();
    return outcome;
  };
  const { signal } = new AbortController();
  const poll = (owed) => countRequests("requests", memory.client, () => loop.poll({ ...owed, signal }));
  const pollOfficial = (owed) =>
    countRequests("officialRequests", memory.officialClient, () => loop.pollOfficial({ ...owed, signal }));
  const close = async () => {
    await Promise.all([client.close(), officialClient?.close()]);
  };
  return { loop, memory, counts, poll, pollOfficial, noteWrites, close };
}

/** What a loop needs beside the service and the broker, with the rules as shipped. */
export function loopOptions({ clock, memory, rules = CONFIG.rules, heard = new Map() }) {
  return {
    config: { ...CONFIG, rules },
    serviceKind: "real",
    askOfficial: null,
    memory,
    clock,
    devices: { statuses: () => [], update: nothing },
    values: { heard: () => heard, isSettled: () => true },
    onDayEvent: nothing,
    onContradiction: nothing,
    onRefusedWord: nothing,
    onVerdictChange: nothing,
    onSwitchedBack: nothing,
    onRefreshed: nothing,
  };
}

const nothing = () => undefined;
export const LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const PROBLEM_LOG = { starts: nothing, isOver: nothing };

function countChanges(topics) {
  let sent = new Map();
  return (wanted) => {
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
