import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpConfig } from "../config/config.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { answerRoute, fileAnswer, findRefusal, textAnswer } from "./answers.ts";
import { createEventStreams } from "./event-streams.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { type Listener, nameAddress, openListener } from "./listener.ts";
import { createGuard, plainAddress } from "./peers.ts";
import { createRenderings } from "./renderings.ts";
import { FILES, ROUTES, type Route } from "./routes.ts";
import type { View, ViewChange } from "./view.ts";

export interface ViewServerOptions {
  /** undefined before the first start. */
  view: () => View | undefined;
  /** As `vigie health` judges it. */
  health: () => { healthy: boolean; words: string };
  /** vigie's clock, by which the page counts; default: the machine's. */
  now?: () => Instant;
  /** Thousands of requests come within seconds, or no more. */
  onBusy?: (isBusy: boolean) => void;
  log: Log;
  problemLog: ProblemLog;
  /** Some are shorter in tests. */
  limits?: Partial<typeof LIMITS>;
  routes?: readonly Route[];
}

export interface ViewServer {
  /**
   * Listens where the configuration says, and no more where it does not. An address that stays is not closed. Resolves when
   * each address was tried once. `nextPorts`: a port near one that is in use does as well.
   */
  configure: (config: HttpConfig, options: { nextPorts: boolean }) => Promise<void>;
  /** For a browser on this machine. */
  addresses: () => string[];
  viewChanged: (what?: ViewChange) => void;
  stop: () => Promise<void>;
}

/** Milliseconds and bytes. Nobody who connects can take more than this of the program that publishes to MQTT. */
export const LIMITS = {
  /** Of each address. */
  connections: 256,
  /** Of whom one peer has these at most, and all together who may not connect those: the others are answered all the same. */
  ofPeer: 192,
  ofStrangers: 16,
  streams: 50,
  unread: 64 * 1024,
  heartbeat: 20_000,
  /** For the whole request: whoever sends it byte by byte is cut off. */
  request: 10_000,
  /** Without a byte in either direction. */
  silence: 30_000,
  retryAfter: 30_000,
  /** How long texts are kept after the last request. */
  keep: 60_000,
  /** As many requests within this time are many. */
  busy: 2_000,
  busyWithin: 10_000,
};

/** Serves the views. They only read, so there is no login: who may connect is all that is decided. */
export function createViewServer(options: ViewServerOptions): ViewServer {
  const { log, problemLog, routes = ROUTES } = options;
  const limits = { ...LIMITS, ...options.limits };
  const renderings = createRenderings(options.view, limits.keep);
  const streams = createEventStreams({
    newest: () => renderings.view()?.id,
    most: limits.streams,
    heartbeat: limits.heartbeat,
    unreadLimit: limits.unread,
  });
  const countRequest = watchBusyness(limits, options.onBusy ?? (() => undefined));
  const listeners = new Map<string, Listener>();
  /** How many connections each peer has; all strangers count as one. */
  const held = new Map<string, number>();
  let config: HttpConfig = { listen: [], allow: [], hosts: [], proxies: [], language: "auto" };
  let guard = createGuard(config);
  let isStopped = false;

  /** null: the stream of events is open. */
  const findAnswer = (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): HttpAnswer | null => {
    const route = routes.find((one) => one.path === path);
    if (route) return answerRoute(route, request, renderings, config.language);
    const file = FILES.get(path);
    if (file) return fileAnswer(file);
    switch (path) {
      case "/events": {
        if (streams.open(request, response)) return null;
        const words = `There are ${limits.streams} open pages already. Close one, or reload this one later`;
        return textAnswer(503, words, { "Retry-After": "60" });
      }
      case "/health": {
        const { healthy, words } = options.health();
        return textAnswer(healthy ? 200 : 503, words);
      }
      case "/alive":
        return textAnswer(200, "alive");
      default:
        return textAnswer(404, "There is nothing here");
    }
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    countRequest();
    if (options.now) response.setHeader("Date", new Date(options.now()).toUTCString());
    const refusal = findRefusal(request, guard);
    // Nobody reads a body: the connection ends with this answer, whatever follows on it.
    if (refusal || hasBody(request)) response.setHeader("Connection", "close");
    if (refusal) {
      write(response, refusal);
      return;
    }
    const [path = ""] = (request.url ?? "").split("?");
    try {
      write(response, findAnswer(request, response, path));
      problemLog.isOver(`show ${path}`, `${path} can be shown again`);
    } catch (error) {
      problemLog.starts(`show ${path}`, `${path} cannot be shown: ${String(error)}`, { error });
      write(response, textAnswer(500, "This cannot be shown; the log of vigie says why"));
    }
  };

  const takePlace = (socket: Socket): void => {
    const peer = socket.remoteAddress ?? "";
    if (guard.isProxy(peer)) return;
    const [holder, most] = guard.isAllowed(peer)
      ? [plainAddress(peer), limits.ofPeer]
      : [STRANGERS, limits.ofStrangers];
    const before = held.get(holder) ?? 0;
    if (before >= most) {
      socket.destroy();
      return;
    }
    held.set(holder, before + 1);
    socket.once("close", () => {
      const left = (held.get(holder) ?? 0) - 1;
      if (left > 0) held.set(holder, left);
      else held.delete(holder);
    });
  };

  const openServer = (): Server => {
    const times = {
      headersTimeout: limits.request,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.request / 2,
      keepAliveTimeout: limits.request / 2,
    };
    const server = createServer(times, answer).on("connection", takePlace);
    server.maxConnections = limits.connections;
    server.timeout = limits.silence;
    return server;
  };

  return {
    configure: async (wanted, { nextPorts }) => {
      const isSameGuard = guardOf(wanted) === guardOf(config);
      config = wanted;
      guard = createGuard(wanted);
      // They come back at once, and are then judged anew.
      if (!isSameGuard) streams.close();
      const addresses = new Map(wanted.listen.map((address) => [nameAddress(address), address]));
      const left = [...listeners].filter(([name]) => !addresses.has(name));
      for (const [name] of left) listeners.delete(name);
      // Before others are opened: 127.0.0.1:8427 is in the way of 0.0.0.0:8427.
      await Promise.all(left.map(([, listener]) => listener.close()));
      if (isStopped) return;
      const { retryAfter } = limits;
      for (const [name, address] of addresses) {
        if (listeners.has(name)) continue;
        const listening = { server: openServer(), retryAfter, nextPorts, log, problemLog };
        listeners.set(name, openListener(address, listening));
      }
      await Promise.all([...listeners.values()].map(({ tried }) => tried));
    },
    addresses: () => [...listeners.values()].flatMap((listener) => listener.url() ?? []),
    viewChanged: (what) => {
      renderings.drop();
      // Values may come each second: open pages learn of them with the next heartbeat.
      if (what !== "values only") streams.announce();
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([...listeners.values()].map((listener) => listener.close()));
      listeners.clear();
      renderings.drop();
    },
  };
}

const STRANGERS = "strangers";

/** Returns what is to be called at each request. */
function watchBusyness(
  { busy, busyWithin }: Pick<typeof LIMITS, "busy" | "busyWithin">,
  onBusy: (isBusy: boolean) => void,
): () => void {
  let count = 0;
  let isBusy = false;
  const look = () => {
    if (isBusy && count < busy) {
      isBusy = false;
      onBusy(false);
    }
    count = 0;
    if (isBusy) setTimeout(look, busyWithin).unref();
  };
  return () => {
    if (count === 0 && !isBusy) setTimeout(look, busyWithin).unref();
    count += 1;
    if (count === busy && !isBusy) {
      isBusy = true;
      onBusy(true);
    }
  };
}

function guardOf({ allow, hosts, proxies }: HttpConfig): string {
  return JSON.stringify([allow, hosts, proxies]);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function write(response: ServerResponse, answer: HttpAnswer | null): void {
  if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
}
