import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import { simulatorApp } from "./app.ts";
import { type FaultName, type Faults, faultSwitch } from "./faults.ts";

export interface SimulatorOptions {
  /** 0 takes a free one. */
  port: number;
  /** Default: loopback only. */
  host?: string;
  seed: number;
  clock: { now(): Instant };
  /** A clock of its own sends no `Date` header: it would be the system's. */
  sendDate: boolean;
  /** Wall-clock time of the day before at which a colour becomes official; default 10:30. */
  officialAt?: string;
  /** Days given by hand; the others are invented from the seed. */
  days?: ReadonlyMap<IsoDate, Color>;
  faults?: readonly FaultName[];
  /** Milliseconds until the headers of `slow`; default two minutes. */
  slowFor?: number;
  /** Milliseconds from byte to byte of `drip`; default a second. */
  dripEvery?: number;
  /** Seconds of `429-retry-after`; default 30. */
  retryAfter?: number;
}

export interface RunningSimulator {
  url: string;
  port: number;
  faults: Faults;
  stop(): Promise<void>;
}

/** Serves the whole of the forecast service's interface on a port of this machine. */
export async function startSimulator(options: SimulatorOptions): Promise<RunningSimulator> {
  const { host = "127.0.0.1", seed, clock, sendDate, officialAt = "10:30", days = new Map() } = options;
  const { slowFor = 120_000, dripEvery = 1_000, retryAfter = 30 } = options;
  const faults = faultSwitch(options.faults ?? []);
  const stopping = new AbortController();
  const world = { seed, days, official_at: officialAt };
  const transport = { faults, signal: stopping.signal, slowFor, dripEvery, retryAfter };
  const app = simulatorApp({ world, clock, sendDate, ...transport });
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: PATIENT,
  });
  const port = await listen(server, options.port, host);
  const stop = () => {
    stopping.abort();
    return close(server);
  };
  return { url: `http://${host}:${port}`, port, faults, stop };
}

/** Connections end when a side ends them, not by the clock: time may run faster here. */
const PATIENT = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

function listen(server: ServerType, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}
