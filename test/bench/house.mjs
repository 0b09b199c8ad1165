import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createCycle } from "../../.build/app/cycle.js";
import { openRulebook } from "../../.build/app/rulebook.js";
import { openSource } from "../../.build/app/source-memory.js";
import { loadConfig } from "../../.build/config/load-config.js";
import { diffTopics } from "../../.build/core/topics/diff-topics.js";
import { isOfficialSilent } from "../../.build/service/client-memory.js";
import { createServiceClient } from "../../.build/service/service-client.js";
import { openStore } from "../../.build/state/store.js";

/** The configuration as shipped, whatever the surroundings say. */
const file = new URL("../../config/vigie.yaml", import.meta.url).pathname;
export const { config: CONFIG } = await loadConfig({ file, env: {}, cwd: process.cwd() });

/**
 * vigie's loop on a clock of its own: the real cycle, client and store, over real HTTP on loopback. What would be
 * published is counted by the real plan, what is sent again lest it expires included.
 */
export async function openHouse({ service, clock, folder, wait }) {
  const store = await openStore(folder, { log: LOG, problemLog: PROBLEM_LOG, random: Math.random });
  const source = openSource(store, "bench");
  const client = createServiceClient({
    ...{ config: CONFIG.service, base: service, version: "bench", memory: source.client, log: LOG },
    ...{ clock, random: () => 0.5, wait },
  });
  const counts = { requests: 0, writes: 0, topics: new Map() };
  const cycle = createCycle({
    ...cycleWays({ clock, memory: source.recall(), store }),
    want: countChanges(counts.topics),
    keep: source.keep,
    ask: client.ask,
    officialSilent: (now) => isOfficialSilent(source.client.get(), now),
  });
  const countWrites = await watchFile(join(folder, "state.json"));
  const poll = async (owed) => {
    const before = source.client.get().spent;
    await cycle.poll({ ...owed, signal: new AbortController().signal });
    const after = source.client.get().spent;
    counts.requests += after.day === before.day ? after.count - before.count : after.count;
    await store.flush();
    counts.writes += await countWrites();
  };
  return { cycle, source, counts, poll, close: client.close };
}

/** What a cycle needs beside those whom it tells, with the rules as shipped. */
export function cycleWays({ clock, memory, store, rules = CONFIG.rules }) {
  const { tariff, mqtt } = CONFIG;
  return {
    ...{ tariff: CONFIG.tariff, late_after: CONFIG.service.late_after, grace: CONFIG.mqtt.grace },
    ...{ check_clock: "auto", simulated: false, memory, clock, notice: nothing },
    rulebook: openRulebook({ rules, tariff, grace: mqtt.grace, store, log: LOG, turned: nothing }),
    outputs: { hasProblem: () => false, follow: nothing },
  };
}

const nothing = () => undefined;
const LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };
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
