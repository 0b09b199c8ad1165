import type { ServiceConfig } from "../config/config.ts";
import type { Clock } from "../runtime/clock.ts";

/** Where the service is asked, and how that ends. */
export interface Address {
  base: string;
  /** The days are invented: to be said everywhere. */
  simulated: boolean;
  stop(): Promise<void>;
}

/** The address behind `service.base_url`; for `simulator` one is started, on loopback, on a free port. */
export async function openAddress(
  { base_url }: Pick<ServiceConfig, "base_url">,
  clock: Clock,
): Promise<Address> {
  if (base_url !== "simulator") return { base: base_url, simulated: false, stop: async () => undefined };
  const { startSimulator } = await import("./server.ts");
  // Its clock is this one: it has nothing to say about what time it is.
  const running = await startSimulator({ port: 0, seed: SEED, clock, sendDate: false });
  return { base: running.url, simulated: true, stop: running.stop };
}

/** One seed for all, so that every command invents the same days. */
const SEED = 1;
