import type { Config, MqttConfig } from "../config/config.ts";
import type { EmbeddedBroker } from "../mqtt/embedded-broker.ts";
import type { Identity, Owner } from "../mqtt/owner.ts";
import { createPublisher, type Publisher } from "../mqtt/publisher.ts";
import type { OnCommand } from "../mqtt/watch-base.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Part, renewPart, stopParts } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { VERSION } from "../runtime/version.ts";
import type { MemoryKeeper } from "../service/client-memory.ts";
import { createServiceClient, type ServiceClient } from "../service/service-client.ts";
import { type Address, openAddress } from "../simulator/address.ts";

/** What runs beside the loop, each with the settings that it was started with. */
export interface Parts {
  address?: Part<Address>;
  client?: Part<ServiceClient>;
  broker?: Part<EmbeddedBroker | null>;
  publisher?: Part<Publisher>;
}

export interface Running {
  client: ServiceClient;
  publisher: Publisher;
  /** The broker's address, be it the embedded one's. */
  broker: MqttConfig;
}

export interface Supplies {
  log: Log;
  problemLog: ProblemLog;
  clock: Clock;
  random: () => number;
  identity: Identity;
  takeOver: boolean;
  memory: MemoryKeeper;
  onCommand: OnCommand;
  onOtherOwner: (owner: Owner) => void;
}

/** Starts what is missing and what has other settings now; what is the same runs on. */
export async function renewParts(parts: Parts, config: Config, supplies: Supplies): Promise<Running> {
  const { service, mqtt, instance } = config;
  parts.address = await renewPart(parts.address, service.base_url, () => openSource(config, supplies));
  const { base } = parts.address.it;
  parts.client = await renewPart(parts.client, [service, base], () => openClient(config, base, supplies));
  const settings = JSON.stringify([mqtt, instance]);
  if (parts.publisher && parts.publisher.settings !== settings) await dropPublisher(parts);
  const embedded = mqtt.url === "embedded";
  parts.broker = await renewPart(parts.broker, embedded, () => openBroker(embedded, supplies));
  const url = parts.broker.it?.url ?? mqtt.url;
  const broker = { ...mqtt, url };
  parts.publisher ??= { ...openPublisher({ ...config, mqtt: broker }, supplies), settings };
  return { client: parts.client.it, publisher: parts.publisher.it, broker };
}

/** In reverse: the broker hears the goodbye before it goes. */
export function stopAllParts({ broker, address, client, publisher }: Parts, log: Log): Promise<void> {
  return stopParts([broker, address, client, publisher], log);
}

async function dropPublisher(parts: Parts): Promise<void> {
  const { publisher } = parts;
  delete parts.publisher;
  await publisher?.stop();
}

async function openSource(config: Config, { clock, log }: Supplies) {
  const it = await openAddress(config.service, clock);
  if (it.simulated) {
    log.warn(
      "The days are INVENTED: service.base_url is `simulator`. Nothing of this is your electricity tariff",
    );
  }
  return { it, stop: it.stop };
}

async function openClient(config: Config, base: string, { memory, log, clock, random }: Supplies) {
  const it = createServiceClient({
    config: config.service,
    base,
    version: VERSION,
    clock,
    random,
    memory,
    log,
  });
  return { it, stop: it.close };
}

async function openBroker(wanted: boolean, { log }: Supplies) {
  if (!wanted) return { it: null, stop: async () => undefined };
  const { startEmbeddedBroker } = await import("../mqtt/embedded-broker.ts");
  const it = await startEmbeddedBroker({ port: MQTT_PORT, log });
  return { it, stop: it.stop };
}

function openPublisher({ mqtt, instance }: Config, supplies: Supplies) {
  const it = createPublisher({ ...supplies, broker: mqtt, instance });
  return { it, stop: it.stop };
}

const MQTT_PORT = 1883;
