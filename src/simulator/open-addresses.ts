import type { ServiceConfig } from "../config/config.ts";
import type { Clock } from "../runtime/clock.ts";

/** The address of the service. */
export interface Address {
  base: string;
  /** The days are invented: the log, the topics and the page say so. */
  invented: boolean;
  /** Ends the simulator where one was started. */
  stop(): Promise<void>;
}

/** The address that `service.base_url` means; for `simulator` a simulator is started, on loopback, on a free port. */
export async function openAddress(
  { base_url }: Pick<ServiceConfig, "base_url">,
  clock: Clock,
): Promise<Address> {
  if (base_url !== "simulator") return { base: base_url, invented: false, stop: async () => undefined };
  const { startSimulator } = await import("./server.ts");
  // Its clock is this machine's own: a `Date` header would prove nothing.
  const running = await startSimulator({ port: 0, seed: SEED, clock, sendDate: false });
  return { base: running.url, invented: true, stop: running.stop };
}

/** Always the same seed: every command invents the same days. */
const SEED = 1;
