import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { type FakeTime, MINUTE, SPEED, startFakeTime } from "./fake-time.ts";
import { type Holdings, PATIENCE, watchHoldings } from "./holdings.ts";
import { type Mosquitto, startMosquitto } from "./mosquitto.ts";
import { type Observer, observe } from "./observer.ts";
import type { Vigie, Yard } from "./vigie.ts";

export interface HouseOptions {
  /** `service.base_url`. */
  service: string;
  /** One that others use, too; left out, one of its own. */
  broker?: Mosquitto;
  time?: FakeTime;
  /** A folder whose state this house starts from. */
  state?: string;
  /** More of the configuration. */
  config?: Record<string, unknown>;
  /** The broker is there, and vigie not yet. */
  watched?: (broker: string) => Promise<void>;
}

/** A broker, who looks at it, and a vigie; the base topic is `vigie`, unless its instance is another. */
export interface House extends Holdings {
  folder: string;
  broker: Mosquitto;
  observer: Observer;
  vigie: Vigie;
  config: Record<string, unknown>;
}

export async function openHouse(yard: Yard, options: HouseOptions): Promise<House> {
  const folder = await yard.folder();
  if (options.state !== undefined) await copyState(options.state, folder);
  const broker = options.broker ?? (await startMosquitto());
  if (!options.broker) yard.later(broker.remove);
  const base = String(options.config?.["instance"] ?? "vigie");
  const observer = await observe(broker.url, `${base}/#`);
  yard.later(observer.leave);
  await options.watched?.(broker.url);
  const config = houseConfig(options.service, broker.url, options.config);
  const vigie = await yard.start({ folder, config, ...(options.time && { env: options.time.env() }) });
  return {
    folder,
    broker,
    observer,
    vigie,
    config,
    ...watchHoldings(observer, base, vigie.output),
  };
}

export function houseConfig(service: string, broker: string, more: Record<string, unknown> = {}) {
  return { service: { base_url: service }, mqtt: { url: broker }, state: "./state", ...more };
}

/** A service with invented days, by the clock of this machine; its address. */
export async function serveDays(yard: Yard): Promise<string> {
  const simulator = await startSimulator({ port: 0, seed: 1, clock: systemClock, sendDate: true });
  yard.later(simulator.stop);
  return simulator.url;
}

/** Days given by hand, and bleu around them. */
export function plantDays<Color extends string>(from: string, to: string, named: Record<string, Color>) {
  const days = new Map<string, Color | "bleu">();
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY) {
    const date = new Date(at).toISOString().slice(0, 10);
    days.set(date, named[date] ?? "bleu");
  }
  return days;
}

export interface WindowOptions {
  /** The instant it is about. */
  at: string;
  /** The service's address, by the shared clock. */
  service: (time: FakeTime) => Promise<string>;
  state?: string;
  /** What has to be there before it, beside `online`. */
  before?: Record<string, string>;
  /** Minutes before it to start with; more where this machine is slow. */
  lead?: number;
  config?: Record<string, unknown>;
  watched?: (broker: string) => Promise<void>;
}

/** A while around one instant. */
export interface Window extends House {
  time: FakeTime;
  /** The instant has come, not long ago by the pace of this machine. */
  expectPunctual: (within?: number) => void;
}

/** A house that is whole some minutes before an instant, at `SPEED`. */
export async function openWindow(yard: Yard, options: WindowOptions): Promise<Window> {
  const at = Date.parse(options.at);
  const { lead = 8, service, before, ...rest } = options;
  const start = at - lead * MINUTE;
  const time = startFakeTime(new Date(start).toISOString(), SPEED);
  const house = await openHouse(yard, { ...rest, service: await service(time), time });
  const tooLate = () => time.clock.now() > at - MINUTE;
  const wanted = Object.entries({ availability: "online", ...before });
  const isThere = () => wanted.every(([name, value]) => house.holds(name) === value);
  await house.observer.until(() => isThere() || tooLate(), `${JSON.stringify(wanted)} is there`, PATIENCE);
  const whole = time.clock.now();
  if (tooLate()) {
    if (lead > 100) throw new Error(`Too late for ${options.at}; vigie said:\n${house.vigie.output()}`);
    await house.vigie.end("SIGKILL");
    return openWindow(yard, { ...options, lead: 3 * lead });
  }
  const pace = Math.max(8 * MINUTE, 3 * (whole - start));
  const expectPunctual = (within = 0) => {
    const late = time.clock.now() - at;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(within + pace);
  };
  return { ...house, time, expectPunctual };
}

export async function copyState(from: string, to: string): Promise<void> {
  await mkdir(join(to, "state"), { recursive: true });
  await cp(join(from, "state", "state.json"), join(to, "state", "state.json"));
}

const DAY = 86_400_000;
