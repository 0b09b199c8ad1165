import type { Config } from "../config/config.ts";
import type { SourceId } from "../core/facts/source-record.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import type { Source } from "../core/sources/source.ts";
import { VERSION } from "../runtime/version.ts";
import type { Transport } from "../service/http-transport.ts";
import type { MemoryKeeper } from "../service/memory-keeper.ts";
import { createOfficialClient, type OfficialClient } from "../service/official-client.ts";
import type { PoliteOptions } from "../service/polite-client.ts";
import { createServiceClient, type ServiceClient } from "../service/service-client.ts";
import { type MovedDaysKeeper, openAddresses } from "../simulator/open-addresses.ts";

export interface OpenedSources {
  /** null with `service.base_url: none`. */
  service: ServiceClient | null;
  /** null with `official.source: off`. */
  official: OfficialClient | null;
  /** The built-in simulator is one of them, or both. */
  isInvented: boolean;
  stop: () => Promise<void>;
}

interface OpenOptions extends Pick<PoliteOptions, "clock" | "random" | "log" | "patience"> {
  memories: Record<SourceId, MemoryKeeper>;
  movedDays: MovedDaysKeeper;
  openTransport?: OpenTransport | undefined;
}

/** How requests reach a source. Default: HTTP. */
export type OpenTransport = (source: Source, base: string) => Transport;

/** The clients of the sources that the configuration names; if one is the simulator, it is started. */
export async function openSources(
  config: Pick<Config, "service" | "official" | "tariff">,
  { memories, movedDays, openTransport, ...options }: OpenOptions,
): Promise<OpenedSources> {
  const {
    service,
    official,
    invented: isInvented,
    stop,
  } = await openAddresses(config, options.clock, movedDays);
  const shared = { ...options, version: VERSION };
  const transportTo = (source: Source, base: string) =>
    openTransport && { transport: openTransport(source, base) };
  const serviceClient =
    service === null
      ? null
      : createServiceClient({
          ...shared,
          ...transportTo(FORECAST_SERVICE, service),
          base: service,
          config: config.service,
          memory: memories.service,
        });
  const officialClient =
    official === null
      ? null
      : createOfficialClient({
          ...shared,
          ...transportTo(RTE, official),
          base: official,
          tariff: config.tariff,
          memory: memories.official,
        });
  return {
    service: serviceClient,
    official: officialClient,
    isInvented,
    stop: async () => {
      await Promise.all([serviceClient?.close(), officialClient?.close()]);
      await stop();
    },
  };
}
