import { cp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import mqtt from "mqtt";
import { systemClock } from "../../src/runtime/clock.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { bleuDays } from "../support/bleu-days.ts";
import { startMosquitto } from "../support/mosquitto.ts";
import { startOldBroker } from "../support/old-broker.ts";
import { freePort } from "../support/ports.ts";
import { type Cleanup, MAIN, type Vigie } from "../support/vigie.ts";

export const BASE = "vigie";
export const RULES = ["rouge", "week", "empty"] as const;
/** Of the rule `week`. */
export const THRESHOLD = "60";
const BATTERY = "house/battery";
const RELAY = { set: "boiler/set", state: "boiler/state" };
const LAMP = "lamp/set";
/** Topics outside of the base topic that vigie reads or writes. */
export const OUTSIDE = [BATTERY, RELAY.set, RELAY.state, LAMP, "homeassistant/status"];

const CONFIG = {
  state: "./state",
  rules: [
    { id: "rouge", when: { day: "now", color: "rouge" } },
    {
      id: "week",
      threshold: Number(THRESHOLD),
      when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
    },
    // No command makes it ON: the battery is full.
    { id: "empty", when: { mqtt: { topic: BATTERY, below: 40 } } },
  ],
  outputs: [
    {
      id: "boiler",
      topic: RELAY.set,
      choose: [{ when: "rouge", payload: "off" }],
      else: "on",
      confirm: { topic: RELAY.state, every: "5s" },
    },
    { id: "lamp", topic: LAMP, choose: [{ when: "empty", payload: "forbidden" }], else: "fine" },
  ],
};

/** A vigie with bleu days, its broker, a battery and two devices. */
export interface House {
  broker: string;
  start: () => Promise<Vigie>;
  /** `/api/state`: the topics as vigie wants them. */
  wanted: () => Promise<Record<string, unknown>>;
  devices: Devices;
}

/** How many messages mosquitto keeps ready for a client before it drops the next ones: 1,000 unless it is told otherwise. */
export type Queue = "unlimited" | "1000";

export async function startHouse(version: 4 | 5, queue: Queue, cleanup: Cleanup): Promise<House> {
  const most = queue === "unlimited" ? 0 : 1_000;
  const broker = await startMosquitto({ lines: ["allow_anonymous true", `max_queued_messages ${most}`] });
  cleanup.add(broker.remove);
  const old = version === 4 ? await startOldBroker(broker.port) : null;
  if (old) cleanup.add(old.stop);
  const service = await startSimulator({
    port: 0,
    seed: 1,
    clock: systemClock,
    sendDate: true,
    moved: bleuDays(),
  });
  cleanup.add(service.stop);
  const devices = await startDevices(broker.url);
  cleanup.add(devices.end);
  const page = `127.0.0.1:${await freePort()}`;
  const folder = await cleanup.createFolder();
  // Others may build the program anew meanwhile.
  const program = join(folder, "dist");
  await cp(dirname(MAIN), program, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const config = {
    ...CONFIG,
    // A pretended colour ends with its day.
    tariff: { day_starts_at: hourFarFromNow() },
    service: { base_url: service.url },
    mqtt: { url: old?.url ?? broker.url },
  };
  return {
    broker: broker.url,
    start: () =>
      cleanup.startVigie({
        folder,
        config,
        env: { VIGIE_HTTP_LISTEN: page },
        // As the service and the image start it.
        program: [process.execPath, "--max-semi-space-size=1", join(program, "main.js")],
      }),
    wanted: async () => Object(await (await fetch(`http://${page}/api/state`)).json()),
    devices,
  };
}

/** No run is under way then. */
function hourFarFromNow(): string {
  const inTwelveHours = new Date(systemClock.now() + DAY / 2);
  const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", timeZone: "Europe/Paris" });
  return `${hour.format(inTwelveHours)}:00`;
}

export interface Devices {
  /** The payload that the relay was sent last. */
  relay: () => string;
  /** Payloads that no rule wanted, since `restore`. */
  unwanted: () => readonly string[];
  /** Sends commands below the base topic. */
  command: (topic: string, payload: string) => Promise<void>;
  emptyBattery: () => Promise<void>;
  /** The battery and the relay report what is true again. */
  restore: () => Promise<void>;
  end: () => Promise<void>;
}

async function startDevices(url: string): Promise<Devices> {
  const client = await mqtt.connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
  let relay = "on";
  let unwanted: string[] = [];
  const retained = { qos: 1, retain: true } as const;
  const report = () => client.publishAsync(RELAY.state, relay, retained);
  client.on("message", (topic, message) => {
    const payload = message.toString();
    if (topic === LAMP && payload !== "fine") unwanted.push(`${topic} ${payload.slice(0, 80)}`);
    if (topic !== RELAY.set) return;
    if (payload === "on" || payload === "off") {
      relay = payload;
      report().catch(() => undefined);
    } else unwanted.push(`${topic} ${payload.slice(0, 80)}`);
  });
  await client.subscribeAsync([RELAY.set, LAMP], { qos: 1 });
  return {
    relay: () => relay,
    unwanted: () => unwanted,
    command: async (topic, payload) => {
      await client.publishAsync(`${BASE}/${topic}`, payload, { qos: 1 });
    },
    emptyBattery: async () => {
      await client.publishAsync(BATTERY, "10", retained);
    },
    restore: async () => {
      for (const topic of [RELAY.set, LAMP, "homeassistant/status"])
        await client.publishAsync(topic, "", retained);
      await client.publishAsync(BATTERY, "80", retained);
      await report();
      unwanted = [];
    },
    end: () => client.endAsync(true),
  };
}

const DAY = 86_400_000;
