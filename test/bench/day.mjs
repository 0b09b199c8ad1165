import { stat } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "../../dist/book/store.js";
import { createCycle } from "../../dist/cycle.js";
import { planChanges } from "../../dist/mqtt/plan.js";
import { createServiceClient } from "../../dist/service/client.js";
import { isOfficialSilent } from "../../dist/service/memory.js";
import { owedPoll } from "../../dist/service/slots.js";
import { openSource } from "../../dist/service/source.js";
import { startSimulator } from "../../dist/simulator/server.js";
import { CONFIG } from "./config.mjs";

const nothing = () => undefined;
const LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const MINUTE = 60_000;
const OFFSET = 0.4;

/**
 * Days as vigie lives them, minute by minute on a clock of their own: the real cycle, client and store, over real HTTP
 * on loopback. What would be published is counted from the real plan, what is sent again lest it expires included.
 */
export async function openHouse(from, folder) {
  const time = { now: from };
  const clock = { now: () => time.now, steady: () => time.now - from };
  const store = await openStore(folder, { log: LOG, trouble: { begins: nothing, ends: nothing }, random: Math.random });
  const simulator = await startSimulator({ port: 0, seed: 1, clock, sendDate: false });
  const source = openSource(store, "bench");
  const counts = { requests: 0, writes: 0, topics: new Map() };
  const client = createServiceClient({
    ...{ config: CONFIG.service, base: simulator.url, version: "bench", memory: source.client, log: LOG },
    ...{ clock, random: () => 0.5 },
    wait: async (milliseconds) => {
      time.now += milliseconds;
    },
  });
  let sent = new Map();
  const want = (topics) => {
    for (const { topic } of planChanges(sent, topics))
      counts.topics.set(topic, (counts.topics.get(topic) ?? 0) + 1);
    sent = topics;
  };
  const cycle = createCycle({
    ...{ tariff: CONFIG.tariff, late_after: CONFIG.service.late_after, grace: CONFIG.mqtt.grace },
    ...{ check_clock: "auto", simulated: false, memory: source.recall(), clock, want, notice: nothing },
    keep: source.keep,
    ask: client.ask,
    officialSilent: (now) => isOfficialSilent(source.client.get(), now),
  });
  const written = async () => (await stat(join(folder, "state.json"), { bigint: true }).catch(nothing))?.mtimeNs;
  let last = await written();
  const countWrites = async () => {
    await store.flush();
    const now = await written();
    if (now !== last) counts.writes += 1;
    last = now;
  };
  const poll = async (owed) => {
    const before = source.client.get().spent;
    await cycle.poll({ ...owed, signal: new AbortController().signal });
    const after = source.client.get().spent;
    counts.requests += after.day === before.day ? after.count - before.count : after.count;
    await countWrites();
  };
  cycle.refresh();
  return {
    ...{ cycle, source, counts, poll, time },
    close: async () => {
      await client.close();
      await simulator.stop();
    },
  };
}

/** One day from now; what it took. */
export async function liveDay(house, day) {
  const { cycle, source, counts, poll, time } = house;
  Object.assign(counts, { requests: 0, writes: 0, topics: new Map() });
  const end = time.now + 24 * 60 * MINUTE;
  for (let look = time.now; time.now < end; look += MINUTE) {
    while (cycle.seen().due <= look) {
      time.now = Math.max(time.now, cycle.seen().due);
      cycle.refresh();
    }
    time.now = Math.max(time.now, look);
    const input = { poll: CONFIG.service.poll, tariff: CONFIG.tariff, book: source.recall().book, offset: OFFSET };
    const owed = owedPoll(time.now, day.lastPoll, input);
    if (!owed) continue;
    day.lastPoll = time.now;
    await poll(owed);
  }
  const messages = [...counts.topics.values()].reduce((sum, count) => sum + count, 0);
  return { ...counts, messages };
}

/** A week of summer days, of which the median counts: nothing but the usual happens on them. */
export async function measureDay(folder, report) {
  for (const [season, from, isJudged] of [
    ["quiet", "2026-07-06T22:00:00Z", true],
    ["winter", "2026-01-04T23:00:00Z", false],
  ]) {
    const house = await openHouse(Date.parse(from), join(folder, season));
    const memory = { lastPoll: null };
    // The first day holds the first start, with a year of history.
    await liveDay(house, memory);
    const days = [];
    for (let day = 0; day < 7; day += 1) days.push(await liveDay(house, memory));
    await house.close();
    const day = days.toSorted((one, other) => one.messages - other.messages)[3];
    report.text(`A ${season} day: the median of a week`);
    const show = isJudged ? report.figure : (name, value, _goal, unit) => report.note(name, value, unit);
    show(`requests of a ${season} day`, day.requests, 150, "");
    show(`messages of a ${season} day`, day.messages, 250, "");
    show(`disk writes of a ${season} day`, day.writes, 50, "");
    report.text(topRows(day.topics));
  }
}

function topRows(topics) {
  const rows = [...topics].sort(([, one], [, other]) => other - one);
  return `by topic: ${rows.slice(0, 200).map(([topic, count]) => `${topic} ${count}`).join(", ")}, and ${rows.length - 16} more`;
}
