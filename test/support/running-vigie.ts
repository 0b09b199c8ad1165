import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type Clock, systemClock } from "../../src/runtime/clock.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { bleuDays } from "./bleu-days.ts";
import { type FakeTime, MINUTE, SPEED, startFakeTime } from "./fake-time.ts";
import { type Mosquitto, startMosquitto } from "./mosquitto.ts";
import { type Observer, observe } from "./observer.ts";
import { type TopicValues, watchTopicValues } from "./topic-values.ts";
import type { Cleanup, Vigie } from "./vigie.ts";

interface RunningVigieOptions {
  /** `service.base_url`. */
  service: string;
  /** A broker that several vigies share; without it a broker is started. */
  broker?: Mosquitto;
  time?: FakeTime;
  /** A folder whose state file this vigie starts with. */
  state?: string;
  /** More of the configuration. */
  config?: Record<string, unknown>;
  /** More of its environment. */
  env?: Record<string, string>;
  /** See `VigieOptions`. */
  here?: boolean;
  /** Runs when the broker is there, before vigie starts. */
  beforeStart?: (broker: string) => Promise<void>;
}

/** A vigie, its broker, and an observer of its topics. The base topic is the instance: `vigie` by default. */
export interface RunningVigie extends TopicValues {
  folder: string;
  broker: Mosquitto;
  observer: Observer;
  vigie: Vigie;
  config: Record<string, unknown>;
}

export async function startVigieAndBroker(
  cleanup: Cleanup,
  options: RunningVigieOptions,
): Promise<RunningVigie> {
  const folder = await cleanup.createFolder();
  if (options.state !== undefined) await copyState(options.state, folder);
  const broker = options.broker ?? (await startMosquitto());
  if (!options.broker) cleanup.add(broker.remove);
  const base = String(options.config?.["instance"] ?? "vigie");
  const observer = await observe(broker.url, `${base}/#`);
  cleanup.add(observer.disconnect);
  await options.beforeStart?.(broker.url);
  const config = vigieConfig(options.service, broker.url, options.config);
  const vigie = await cleanup.startVigie({
    folder,
    config,
    env: { ...options.time?.env(), ...options.env },
    here: options.here ?? false,
  });
  return {
    folder,
    broker,
    observer,
    vigie,
    config,
    ...watchTopicValues(observer, base, vigie.output),
  };
}

export function vigieConfig(service: string, broker: string, more: Record<string, unknown> = {}) {
  return { service: { base_url: service }, mqtt: { url: broker }, state: "./state", ...more };
}

/** Starts a service whose days are bleu, by the clock of this machine or another one, and returns its address. */
export async function serveBleuDays(cleanup: Cleanup, clock: Clock = systemClock): Promise<string> {
  const simulator = await startSimulator({ port: 0, seed: 1, clock, sendDate: true, moved: bleuDays(clock) });
  cleanup.add(simulator.stop);
  return simulator.url;
}

interface VigieBeforeOptions {
  /** The instant that the test is about. */
  at: string;
  /** Starts a service on the shared clock, and returns its address. */
  service: (time: FakeTime) => Promise<string>;
  state?: string;
  /** Topics that must have these values before the instant, besides `online`. */
  before?: Record<string, string>;
  /** How many minutes before the instant vigie starts; more on a slow machine. */
  lead?: number;
  config?: Record<string, unknown>;
  env?: Record<string, string>;
  beforeStart?: (broker: string) => Promise<void>;
}

/** A vigie that was started shortly before an instant. */
export interface VigieBeforeInstant extends RunningVigie {
  time: FakeTime;
  /** Checks that the instant is past, but not for long, measured by the speed of this machine. */
  expectPunctual: (within?: number) => void;
}

/** Starts a vigie whose topics are right some minutes before an instant; time runs at `SPEED`. */
export async function startVigieBefore(
  cleanup: Cleanup,
  options: VigieBeforeOptions,
): Promise<VigieBeforeInstant> {
  const at = Date.parse(options.at);
  const { lead = 8, service, before, ...rest } = options;
  const start = at - lead * MINUTE;
  const time = startFakeTime(new Date(start).toISOString(), SPEED);
  const running = await startVigieAndBroker(cleanup, { ...rest, service: await service(time), time });
  const tooLate = () => time.clock.now() > at - MINUTE;
  const wanted = Object.entries({ availability: "online", ...before });
  const isThere = () => wanted.every(([name, value]) => running.payloadOf(name) === value);
  await running.observer.until(() => isThere() || tooLate(), `${JSON.stringify(wanted)} is there`);
  const ready = time.clock.now();
  if (tooLate()) {
    if (lead > 100) throw new Error(`Too late for ${options.at}; vigie said:\n${running.vigie.output()}`);
    await running.vigie.end("SIGKILL");
    return startVigieBefore(cleanup, { ...options, lead: 3 * lead });
  }
  const pace = Math.max(8 * MINUTE, 3 * (ready - start));
  const expectPunctual = (within = 0) => {
    const late = time.clock.now() - at;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(within + pace);
  };
  return { ...running, time, expectPunctual };
}

export async function copyState(from: string, to: string): Promise<void> {
  await mkdir(join(to, "state"), { recursive: true });
  await cp(join(from, "state", "state.json"), join(to, "state", "state.json"));
}
