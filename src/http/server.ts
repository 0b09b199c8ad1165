import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpConfig } from "../config/config.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { answerRoute, fileAnswer, findRefusal, nothingInForceAnswer, textAnswer } from "./answers.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { type Listener, nameAddress, openListener } from "./listener.ts";
import type { PageView } from "./page-view.ts";
import { createGuard, type Guard, isThisMachine, peerOf } from "./peers.ts";
import { createRenderings } from "./renderings.ts";
import { FILES, ROUTES, type Route } from "./routes.ts";

export interface ViewServerOptions {
  /** The same object until something changes: each text of it is rendered once. undefined before the first start. */
  view: () => PageView | undefined;
  /** Where no configuration is in force: what is wrong, for the page. There is no view then. */
  nothingInForce?: readonly string[];
  /** As `vigie health` judges it. */
  health: () => { healthy: boolean; words: string };
  /** vigie's clock, by which the page counts; default: the machine's. */
  now?: () => Instant;
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
  stop: () => Promise<void>;
}

/** Milliseconds and numbers. Nobody who connects can take more than this of the program that publishes to MQTT. */
const LIMITS = {
  /** Of all peers at all addresses. */
  connections: 256,
  /** Of whom one peer has these at most, and all together who may not connect those: the others are answered all the same. */
  ofPeer: 192,
  ofStrangers: 16,
  /** Nobody else gets these, for this machine and as many for the proxies: a few peers could take all others. */
  kept: 16,
  /** For the whole request: whoever sends it byte by byte is cut off. */
  request: 10_000,
  /** Without a byte in either direction. */
  silence: 30_000,
  retryAfter: 30_000,
  fresh: 100,
  keep: 60_000,
};

/** Serves the views. They only read, so there is no login: who may connect is all that is decided. */
export function createViewServer(options: ViewServerOptions): ViewServer {
  const { log, problemLog, routes = ROUTES } = options;
  const limits = { ...LIMITS, ...options.limits };
  const find = createRenderings(options.view, limits);
  const listeners = new Map<string, Listener>();
  /** How many connections each peer has; all addresses of this machine, all proxies and all strangers count as one each. */
  const held = new Map<string, number>();
  let config: HttpConfig = { listen: [], allow: [], hosts: [], proxies: [], language: "auto" };
  /** By the name of the address. */
  let guards = new Map<string, Guard>();
  let isStopped = false;

  const guardOf = (name: string) => guards.get(name) ?? createGuard(config);

  const findAnswer = (request: IncomingMessage, path: string): HttpAnswer => {
    const { nothingInForce: problems } = options;
    if (problems && path === "/") return nothingInForceAnswer(request, problems, config.language);
    const route = routes.find((one) => one.path === path);
    if (route) return answerRoute(route, request, find, config.language);
    const file = FILES.get(path);
    if (file) return fileAnswer(file);
    switch (path) {
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

  const answer = (request: IncomingMessage, response: ServerResponse, guard: Guard): void => {
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
      write(response, findAnswer(request, path));
      problemLog.isOver(`show ${path}`, `${path} can be shown again`);
    } catch (error) {
      problemLog.starts(`show ${path}`, `${path} cannot be shown: ${String(error)}`, { error });
      write(response, textAnswer(500, "This cannot be shown; the log of vigie says why"));
    }
  };

  const count = (holder: string) => held.get(holder) ?? 0;

  const holderOf = ({ remoteAddress: peer = "", localAddress = "" }: Socket, guard: Guard): string => {
    if (guard.isProxy(peer)) return PROXIES;
    if (!guard.isAllowed(peer)) return STRANGERS;
    return isThisMachine(peer, localAddress) ? THIS_MACHINE : peerOf(peer);
  };

  const isFree = (holder: string): boolean => {
    if (count(holder) >= (holder === STRANGERS ? limits.ofStrangers : limits.ofPeer)) return false;
    const others = [THIS_MACHINE, PROXIES].filter((one) => one !== holder);
    const kept = others.map((one) => Math.max(0, limits.kept - count(one)));
    return sum([...held.values(), ...kept]) < limits.connections;
  };

  const takePlace = (socket: Socket, guard: Guard): void => {
    const holder = holderOf(socket, guard);
    if (!isFree(holder)) {
      socket.destroy();
      return;
    }
    held.set(holder, count(holder) + 1);
    socket.once("close", () => {
      const left = count(holder) - 1;
      if (left > 0) held.set(holder, left);
      else held.delete(holder);
    });
  };

  const openServer = (name: string): Server => {
    const times = {
      headersTimeout: limits.request,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.request / 2,
      // Longer than an open page waits before it asks again: it keeps its connection.
      keepAliveTimeout: limits.request,
    };
    const server = createServer(times, (request, response) => answer(request, response, guardOf(name)));
    server.on("connection", (socket) => takePlace(socket, guardOf(name)));
    server.timeout = limits.silence;
    return server;
  };

  return {
    configure: async (wanted, { nextPorts }) => {
      config = wanted;
      const addresses = new Map(wanted.listen.map((address) => [nameAddress(address), address]));
      guards = new Map([...addresses].map(([name, address]) => [name, createGuard(wanted, address)]));
      const left = [...listeners].filter(([name]) => !addresses.has(name));
      for (const [name] of left) listeners.delete(name);
      // Before others are opened: 127.0.0.1:8427 is in the way of 0.0.0.0:8427.
      await Promise.all(left.map(([, listener]) => listener.close()));
      if (isStopped) return;
      const { retryAfter } = limits;
      for (const [name, address] of addresses) {
        if (listeners.has(name)) continue;
        const listening = { server: openServer(name), retryAfter, nextPorts, log, problemLog };
        listeners.set(name, openListener(address, listening));
      }
      await Promise.all([...listeners.values()].map(({ tried }) => tried));
    },
    addresses: () => [...listeners.values()].flatMap((listener) => listener.url() ?? []),
    stop: async () => {
      isStopped = true;
      await Promise.all([...listeners.values()].map((listener) => listener.close()));
      listeners.clear();
    },
  };
}

const THIS_MACHINE = "this machine";
const PROXIES = "proxies";
const STRANGERS = "strangers";

function sum(counts: readonly number[]): number {
  return counts.reduce((total, one) => total + one, 0);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function write(response: ServerResponse, answer: HttpAnswer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
