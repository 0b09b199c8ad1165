import type { Config } from "../config/config.ts";
import type { ServiceKind } from "../core/facts/poll-record.ts";
import { VERSION } from "../runtime/version.ts";
import type { ClientMemory } from "../service/client-memory.ts";
import { createOfficialClient, type OfficialClient } from "../service/official-client.ts";
import type { PoliteOptions } from "../service/polite-client.ts";
import type { MemoryKeeper, OfficialMemory, RequestMemory } from "../service/request-memory.ts";
import { createServiceClient, type ServiceClient } from "../service/service-client.ts";
import { openAddresses } from "../simulator/open-addresses.ts";

interface OpenedSources {
  /** null with `service.base_url: none`. */
  service: ServiceClient | null;
  /** null with `official.source: off`. */
  official: OfficialClient | null;
  serviceKind: ServiceKind;
  stop: () => Promise<void>;
}

interface OpenOptions extends Pick<PoliteOptions<RequestMemory>, "clock" | "random" | "log" | "patience"> {
  memory: MemoryKeeper<ClientMemory>;
  officialMemory: MemoryKeeper<OfficialMemory>;
}

/** The clients of the sources that the configuration names; where one is the simulator, it is started. */
export async function openSources(
  config: Pick<Config, "service" | "official" | "tariff">,
  { memory, officialMemory, ...options }: OpenOptions,
): Promise<OpenedSources> {
  const { service, official, invented, stop } = await openAddresses(config, options.clock);
  const shared = { ...options, version: VERSION };
  const serviceClient =
    service === null
      ? null
      : createServiceClient({ ...shared, base: service, config: config.service, memory });
  const officialClient =
    official === null
      ? null
      : createOfficialClient({ ...shared, base: official, tariff: config.tariff, memory: officialMemory });
  return {
    service: serviceClient,
    official: officialClient,
    serviceKind: invented ? "invented" : service === null ? "none" : "real",
    stop: async () => {
      await Promise.all([serviceClient?.close(), officialClient?.close()]);
      await stop();
    },
  };
}
