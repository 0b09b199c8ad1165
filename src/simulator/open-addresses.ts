import type { Config } from "../config/config.ts";
import { officialAddress } from "../config/official-options.ts";
import type { Clock } from "../runtime/clock.ts";

/** The addresses of both sources; null where one is not asked. */
export interface Addresses {
  service: string | null;
  official: string | null;
  /** The days are invented: the log, the topics and the page say so. */
  invented: boolean;
  /** Ends the simulator where one was started. */
  stop(): Promise<void>;
}

/** The addresses that the options mean; for `simulator` one simulator is started, on loopback, on a free port. */
export async function openAddresses(
  config: Pick<Config, "service" | "official">,
  clock: Clock,
): Promise<Addresses> {
  const { base_url } = config.service;
  const service = base_url === "none" ? null : base_url;
  const official = officialAddress(config.official.source);
  const invented = [service, official].includes("simulator");
  if (!invented) return { service, official, invented, stop: async () => undefined };
  const { startSimulator } = await import("./server.ts");
  // Its clock is this machine's own: a `Date` header would prove nothing.
  const running = await startSimulator({ port: 0, seed: SEED, clock, sendDate: false });
  const reach = (address: string | null) => (address === "simulator" ? running.url : address);
  return { service: reach(service), official: reach(official), invented, stop: running.stop };
}

/** Always the same seed: every command invents the same days. */
const SEED = 1;
