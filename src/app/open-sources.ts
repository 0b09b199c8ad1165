import type { ServiceConfig } from "../config/config.ts";
import { VERSION } from "../runtime/version.ts";
import { type ClientOptions, createServiceClient, type ServiceClient } from "../service/service-client.ts";
import { openAddress } from "../simulator/open-address.ts";

interface OpenedService {
  client: ServiceClient;
  /** The days are invented. */
  invented: boolean;
  stop: () => Promise<void>;
}

/** The client of the service that the configuration names; where that is the simulator, it is started. */
export async function openService(
  config: ServiceConfig,
  options: Omit<ClientOptions, "config" | "base" | "version">,
): Promise<OpenedService> {
  const { base, invented, stop } = await openAddress(config, options.clock);
  const client = createServiceClient({ ...options, config, base, version: VERSION });
  return {
    client,
    invented,
    stop: async () => {
      await client.close();
      await stop();
    },
  };
}
