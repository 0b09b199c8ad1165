import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import mqtt from "mqtt";
import { AVAILABILITY, OWNER } from "../../src/core/topics/topic.ts";
import { renderState } from "../../src/http/state-json.ts";
import { between, randomFrom } from "../../src/simulator/random.ts";
import { MOST_MEMORY, peakMemory } from "../support/memory.ts";
import { readRetained } from "../support/observer.ts";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import type { Cleanup, Vigie } from "../support/vigie.ts";
import { createStranger, type HostileMessage, type Scope, type Stranger } from "./hostile-messages.ts";
import { BASE, type House, OUTSIDE, type Queue, RULES, startHouse, THRESHOLD } from "./house.ts";

export interface AttackPlan {
  /** The same seed: the same messages. */
  seed: string;
  /** Of MQTT. */
  version: 4 | 5;
  queue: Queue;
  /** Milliseconds. */
  length: number;
}

export interface AttackOutcome {
  messages: number;
  bytes: number;
  /** MB at the highest, without the pages of files; null: this system does not tell. */
  memory: number | null;
  /** Bytes. */
  log: number;
  /** Seconds until all was right after each part of the attack. */
  recoveries: number[];
  /** What was not as it has to be. */
  wrong: string[];
}

/** Attacks the built program below its base topic, then everywhere, again and again, and judges it after each part. */
export async function attack(plan: AttackPlan, cleanup: Cleanup): Promise<AttackOutcome> {
  const outcome: AttackOutcome = { messages: 0, bytes: 0, memory: null, log: 0, recoveries: [], wrong: [] };
  try {
    const house = await startHouse(plan.version, plan.queue, cleanup);
    await house.devices.restore();
    const vigie = await house.start();
    const client = await connectStranger(house.broker, plan.version);
    cleanup.add(client.end);
    await attackVigie({ plan, house, vigie, client, outcome });
  } catch (error) {
    outcome.wrong.push(error instanceof Error ? error.message : String(error));
  }
  return outcome;
}

interface Attack {
  plan: AttackPlan;
  house: House;
  vigie: Vigie;
  client: StrangerClient;
  outcome: AttackOutcome;
}

interface StrangerClient {
  /** Resolves when it is acknowledged, or lost with the connection. */
  publish: (message: HostileMessage) => Promise<void>;
  end: () => Promise<void>;
}

/** Connects again when the broker hangs up on it for what it sends. */
async function connectStranger(url: string, version: 4 | 5): Promise<StrangerClient> {
  const connect = async () => {
    const client = await mqtt.connectAsync(url, { protocolVersion: version, reconnectPeriod: 0 });
    client.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => client.once("close", resolve));
    return { client, closed };
  };
  let connecting = connect();
  await connecting;
  return {
    publish: async ({ topic, payload, options }) => {
      const { client, closed } = await connecting;
      // Without the packet: `closed` keeps what each race resolved with, and an hour has gigabytes of payloads.
      const sent = client.publishAsync(topic, payload, options).then(() => undefined);
      await Promise.race([sent, closed]).catch(() => undefined);
      if (!client.connected && client === (await connecting).client) connecting = connect();
    },
    end: async () => (await connecting).client.endAsync(true),
  };
}

async function attackVigie(running: Attack): Promise<void> {
  const { plan, house, vigie, outcome } = running;
  const own = await tryDevices(running);
  const names = new Set(own.keys());
  const owner = own.get(OWNER) ?? "";
  const { version, queue } = plan;
  const random = randomFrom(plan.seed);
  const given = { random, version, base: BASE, own: [...names], owner, rules: RULES, outside: OUTSIDE };
  const stranger = createStranger(given);
  const { claimed } = stranger;
  const rounds = Math.ceil(plan.length / LONGEST_ROUND);
  for (let round = 1; round <= rounds; round += 1) {
    for (const scope of ["below", "everywhere"] as const) {
      const isLast = round === rounds && scope === "everywhere";
      // While there are more of them than vigie keeps, it leaves alone what may be theirs.
      if (isLast) stranger.claimMany();
      await house.devices.restore();
      await send(running, stranger, scope, performance.now() + plan.length / rounds / 2);
      await measure(running);
      const unwanted = scope === "below" ? house.devices.unwanted() : [];
      outcome.wrong.push(...unwanted.map((sent) => `A device was sent ${sent}`));
      // On MQTT 3.1.1 a message that arrives live does not say whether it is retained.
      const areOrphansCleared = version === 5 && !isLast && queue === "unlimited";
      await judge(running, { names, owner, claimed, areOrphansCleared });
    }
  }
  const { code } = await vigie.end();
  if (code !== 0) outcome.wrong.push(`Expected exit code 0, got ${code}: ${ending(vigie)}`);
  const next = { ...running, vigie: await house.start() };
  await judge(next, { names, claimed: new Set(), areOrphansCleared: queue === "unlimited" });
  await next.vigie.end();
}

/** vigie sends nothing before a rule was ON: it is, for each device. Resolves with the topics after that. */
async function tryDevices(running: Attack): Promise<ReadonlyMap<string, string>> {
  const { devices } = running.house;
  await untilRight(running, { values: { [AVAILABILITY]: "online" }, limit: PATIENCE });
  await devices.command("simulation/set", "rouge");
  await devices.emptyBattery();
  await untilRight(running, { values: { ...PRETENDED, "outputs/lamp/payload": "forbidden" } });
  await devices.command("simulation/set", "auto");
  await devices.restore();
  return untilRight(running, { values: READY });
}

/** For so long, with pauses: vigie is neither idle nor ever further behind. */
async function send({ vigie, client, outcome }: Attack, stranger: Stranger, scope: Scope, end: number) {
  let isGone = false;
  void vigie.ended.then(() => {
    isGone = true;
  });
  const random = randomFrom("pauses");
  while (performance.now() < end && !isGone) {
    const messages = stranger.next(scope);
    for (let sent = 0; sent < messages.length; sent += AT_ONCE)
      await Promise.all(messages.slice(sent, sent + AT_ONCE).map(client.publish));
    outcome.messages += messages.length;
    for (const { topic, payload } of messages) outcome.bytes += topic.length + payload.length;
    await sleep(between(0, 2 * MEAN_PAUSE, random));
  }
}

async function measure({ plan, vigie, outcome }: Attack): Promise<void> {
  outcome.log = Buffer.byteLength(vigie.output());
  const most = Math.max(LEAST_LOG, (MOST_LOG_AN_HOUR * plan.length) / HOUR);
  if (outcome.log > most) outcome.wrong.push(`The log has ${outcome.log} bytes, more than ${most}`);
  outcome.memory = await peakMemory(vigie.pid);
  if (outcome.memory !== null && !(outcome.memory < MOST_MEMORY))
    outcome.wrong.push(`vigie took ${outcome.memory.toFixed(1)} MB`);
}

interface Expected {
  /** vigie's own topics. */
  names: ReadonlySet<string>;
  /** What is on `owner`; a vigie that was just started has its own. */
  owner?: string;
  /** Base topics of other vigies. */
  claimed: ReadonlySet<string>;
  areOrphansCleared: boolean;
}

/** Sets right what the commands of the stranger have changed, and tries whether vigie obeys. */
async function judge(running: Attack, { names, owner, claimed, areOrphansCleared }: Expected): Promise<void> {
  const { client, outcome } = running;
  const { devices } = running.house;
  for (const base of claimed)
    await client.publish({
      topic: `${BASE}/${base}/${OWNER}`,
      payload: "",
      options: { qos: 1, retain: true },
    });
  const started = performance.now();
  const setRight = async () => {
    await devices.command("simulation/set", "auto");
    for (const rule of RULES) await devices.command(`rules/${rule}/enabled/set`, "ON");
    await devices.command("rules/week/threshold/set", THRESHOLD);
    await devices.restore();
  };
  const isOrphan = (topic: string) =>
    !(names.has(topic) || [...claimed].some((base) => topic === base || topic.startsWith(`${base}/`)));
  const pretend = (color: string) => async () => {
    await devices.command("simulation/set", color);
    await devices.restore();
  };
  const values = owner === undefined ? READY : { ...READY, [OWNER]: owner };
  // A stranger may have reported in the relay's name, and the relay reports nothing by itself: it is contrary.
  const { "outputs/boiler/state": _state, ...untilTold } = values;
  await untilRight(running, {
    values: untilTold,
    names,
    act: setRight,
    ...(areOrphansCleared ? { isOrphan } : {}),
  });
  outcome.recoveries.push((performance.now() - started) / SECOND);
  await untilRight(running, { values: PRETENDED, names, act: pretend("rouge") });
  if (devices.relay() !== "off") outcome.wrong.push("The relay is on while its rule is ON");
  await untilRight(running, { values, names, act: pretend("auto") });
  if (devices.relay() !== "on") outcome.wrong.push("The relay is off while its rule is OFF");
}

interface Right {
  values: Readonly<Record<string, string>>;
  /** Other topics are no part of the comparison; undefined: there are no others. */
  names?: ReadonlySet<string>;
  isOrphan?: (topic: string) => boolean;
  /** Done first; and again and again if the broker may drop what it sends, as people and devices do. */
  act?: () => Promise<void>;
  limit?: number;
}

/** Resolves when the broker holds what vigie wants, these values among it. */
async function untilRight(
  { plan, house, vigie }: Attack,
  right: Right,
): Promise<ReadonlyMap<string, string>> {
  const { values, names, isOrphan = () => false, act = async () => undefined } = right;
  const { limit = plan.queue === "unlimited" ? RECOVERY : RECOVERY_AFTER_DROPS } = right;
  // Of more topics than its queue takes, the broker would send the first ones only. In an hour there are hundreds of megabytes.
  const filters = right.isOrphan || !names ? ["#"] : [...names].map((name) => `${BASE}/${name}`);
  let isGone = false;
  void vigie.ended.then(() => {
    isGone = true;
  });
  const end = performance.now() + limit;
  let next = performance.now();
  for (;;) {
    if (performance.now() >= next) {
      await act();
      next = plan.queue === "unlimited" ? Number.POSITIVE_INFINITY : performance.now() + BETWEEN_ACTS;
    }
    const all = [...(await readRetained(house.broker, filters))]
      .filter(([topic]) => topic.startsWith(`${BASE}/`))
      .map(([topic, payload]) => [topic.slice(BASE.length + 1), payload] as const);
    const own = new Map(all.filter(([topic]) => names?.has(topic) ?? true));
    const orphans = all.map(([topic]) => topic).filter(isOrphan);
    const wrong = [
      ...Object.entries(values)
        .filter(([topic, value]) => own.get(topic) !== value)
        .map(([topic, value]) => `${topic} is ${show(own.get(topic))}, not ${value}`),
      ...differences(own, await house.wanted().catch(() => ({}))),
      ...orphans.slice(0, MOST_NAMED).map((topic) => `${show(topic)} is not cleared`),
    ];
    if (wrong.length === 0) return own;
    if (isGone) throw new Error(`vigie has ended: ${ending(vigie)}`);
    if (performance.now() > end)
      throw new Error(
        `Not right after ${limit / SECOND} s, ${orphans.length} orphans: ${wrong.join("; ")}. vigie wrote: ${ending(vigie)}`,
      );
    await sleep(BETWEEN_LOOKS);
  }
}

/** The parts of `/api/state` that the broker holds in another way. */
function differences(topics: ReadonlyMap<string, string>, wanted: Record<string, unknown>): string[] {
  const values = new Map([...topics].map(([topic, payload]) => [topic, { payload }]));
  for (const topic of [AVAILABILITY, OWNER]) values.delete(topic);
  const held = JSON.parse(renderState({ version: "", instance: "", topics: values }));
  const parts = new Set([...Object.keys(held), ...Object.keys(wanted)]);
  for (const part of ["snapshot", "version", "instance"]) parts.delete(part);
  return [...parts]
    .filter((part) => !isDeepStrictEqual(held[part], wanted[part]))
    .map(
      (part) => `${part} is ${show(JSON.stringify(held[part]))}, not ${show(JSON.stringify(wanted[part]))}`,
    );
}

function show(text: string | undefined): string {
  return JSON.stringify(text?.slice(0, LONGEST_SHOWN) ?? null);
}

function ending(vigie: Vigie): string {
  return vigie.output().slice(-LONGEST_ENDING);
}

const READY = {
  [AVAILABILITY]: "online",
  "simulation/color": "auto",
  "rules/rouge/enabled": "ON",
  "rules/week/enabled": "ON",
  "rules/week/threshold": THRESHOLD,
  "rules/empty/enabled": "ON",
  "rules/empty/state": "OFF",
  "outputs/boiler/payload": "on",
  "outputs/boiler/state": "confirmed",
  "outputs/lamp/payload": "fine",
};
const PRETENDED = {
  "simulation/color": "rouge",
  "outputs/boiler/payload": "off",
  "outputs/boiler/state": "confirmed",
};
const KB = 1024;
const SECOND = 1_000;
const HOUR = 3_600_000;
const LONGEST_ROUND = 120_000;
/** mosquitto hangs up on a client with more than 20 that are not acknowledged. */
const AT_ONCE = 16;
const MEAN_PAUSE = 20;
const BETWEEN_LOOKS = 250;
const BETWEEN_ACTS = 5_000;
const RECOVERY = onBusyMachine(10_000);
/** vigie reads its own topics ten seconds after so many messages that the broker may have dropped some. */
const RECOVERY_AFTER_DROPS = onBusyMachine(25_000);
const MOST_LOG_AN_HOUR = KB * KB;
/** The lines of a start, and of a minute. */
const LEAST_LOG = 64 * KB;
const MOST_NAMED = 5;
const LONGEST_SHOWN = 200;
const LONGEST_ENDING = 2_000;
