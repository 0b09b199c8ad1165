import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import { createService, type ServiceRequest } from "./answer-request.ts";
import { moveDays } from "./moved-days.ts";
import { announceAt, type MovedDays, OFFICIAL_AT } from "./official-colors.ts";

export interface SimulatorOptions {
  /** 0 takes a free one. */
  port: number;
  /** Default: loopback only. */
  host?: string;
  seed: number;
  clock: { now(): Instant };
  /** A simulator whose clock is not the system's sends no `Date` header: it would be the system's time. */
  sendDate: boolean;
  /** Wall time of the day before at which a colour becomes official; default 10:30. */
  officialAt?: string;
  /** Days given by hand; the others are invented from the seed. */
  days?: ReadonlyMap<IsoDate, Color>;
  moved?: MovedDays;
  /** Move days for a vigie that starts now; `isFirst`: nobody was told a day so far. */
  move?: { isFirst: boolean };
}

export interface RunningSimulator {
  url: string;
  port: number;
  moved: MovedDays;
  stop(): Promise<void>;
}

/** Serves the interfaces of the forecast service and of the official source on a port of this machine. */
export async function startSimulator(options: SimulatorOptions): Promise<RunningSimulator> {
  const { host = "127.0.0.1", seed, clock, sendDate, officialAt = OFFICIAL_AT } = options;
  const { days = new Map(), move, moved: movedBefore = {} } = options;
  const moved = move ? moveDays({ at: clock.now(), seed, moved: movedBefore, ...move }) : movedBefore;
  const service = createService({ seed, days, moved, announcements: announceAt(officialAt) }, clock);
  const server = createServer(NO_TIMEOUTS, (request, response) => {
    const { status, headers, body } = service(readRequest(request));
    response.sendDate = sendDate;
    response.statusCode = status;
    response.setHeaders(new Map(Object.entries(headers)));
    response.end(body);
  });
  const port = await listen(server, options.port, host);
  return { url: `http://${host}:${port}`, port, moved, stop: () => close(server) };
}

/** A connection ends when one side ends it, not after a time: the clock here may run faster than real time. */
const NO_TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

function readRequest({ method = "", url = "", headers, socket }: IncomingMessage): ServiceRequest {
  const ifNoneMatch = headers["if-none-match"] ?? "";
  return { method, url, ifNoneMatch, client: socket.remoteAddress ?? "" };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
