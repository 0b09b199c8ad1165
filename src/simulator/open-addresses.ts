import type { Config } from "../config/config.ts";
import { officialAddress } from "../config/official-options.ts";
import type { Clock } from "../runtime/clock.ts";
import type { MovedDays } from "./official-colors.ts";

/** The addresses of both sources; null where one is not asked. */
export interface Addresses {
  service: string | null;
  official: string | null;
  /** The days are invented: the log, the topics and the page say so. */
  invented: boolean;
  /** Ends the simulator where one was started. */
  stop(): Promise<void>;
}

/** The invented days that were moved. */
export interface MovedDaysKeeper {
  /** Called only if days are invented. */
  get: () => MovedDays | Promise<MovedDays>;
  /** At the start of a vigie days are moved; undefined: they stay as they are. */
  atStart?: {
    /** Nobody was told a day so far. */
    isFirst: () => boolean;
    set: (moved: MovedDays) => void;
  };
}

/** The addresses that the options mean; for `simulator` one simulator is started, on loopback, on a free port. */
export async function openAddresses(
  config: Pick<Config, "service" | "official">,
  clock: Clock,
  movedDays: MovedDaysKeeper,
): Promise<Addresses> {
  const { base_url } = config.service;
  const service = base_url === "none" ? null : base_url;
  const official = officialAddress(config.official.source);
  const invented = [service, official].includes("simulator");
  if (!invented) return { service, official, invented, stop: async () => undefined };
  const { startSimulator } = await import("./server.ts");
  const { get, atStart } = movedDays;
  const running = await startSimulator({
    port: 0,
    seed: SEED,
    moved: await get(),
    ...(atStart && { move: { isFirst: atStart.isFirst() } }),
    clock,
    // Its clock is this machine's own: a `Date` header would prove nothing.
    sendDate: false,
  });
  atStart?.set(running.moved);
  const reach = (address: string | null) => (address === "simulator" ? running.url : address);
  return { service: reach(service), official: reach(official), invented, stop: running.stop };
}

/** Always the same seed: every command invents the same days, but for those that were moved. */
const SEED = 1;
