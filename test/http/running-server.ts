import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { HttpConfig } from "../../src/config/config.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { createViewServer, type ViewServer, type ViewServerOptions } from "../../src/http/server.ts";
import { logTo } from "../support/logs.ts";
import { PATIENCE } from "../support/patience.ts";
import { freePort } from "../support/ports.ts";
import { viewWith } from "./view-with.ts";

interface RunningServer {
  server: ViewServer;
  port: number;
  config: HttpConfig;
  /** What was logged. */
  lines: string[];
  /** What is shown from now on. */
  show: (view: PageView | undefined) => void;
  configure: (more: Partial<HttpConfig>, nextPorts?: boolean) => Promise<void>;
}

type Options = Partial<Pick<ViewServerOptions, "limits" | "routes" | "health" | "now" | "nothingInForce">> & {
  config?: Partial<HttpConfig>;
  nextPorts?: boolean;
  /** In place of a free one. */
  port?: number;
};

/** A server on a port of its own at 127.0.0.1, until the test has finished. */
export async function startServer(options: Options = {}): Promise<RunningServer> {
  const port = options.port ?? (await freePort());
  const lines: string[] = [];
  let view: PageView | undefined = viewWith(new Map([["now/color", { payload: "rouge" }]]));
  const log = logTo(lines);
  const server = createViewServer({
    view: () => view,
    health: () => ({ healthy: true, words: "vigie runs" }),
    log,
    problemLog: createProblemLog(log, { now: () => 0, steady: () => 0 }),
    ...options,
    limits: { fresh: 0, ...options.limits },
  });
  onTestFinished(server.stop);
  const listen = [{ host: "127.0.0.1", port }];
  const config: HttpConfig = {
    listen,
    allow: [],
    hosts: [],
    proxies: [],
    language: "auto",
    ...options.config,
  };
  await server.configure(config, { nextPorts: options.nextPorts ?? false });
  return {
    server,
    port,
    config,
    lines,
    show: (next) => {
      view = next;
    },
    configure: (more, nextPorts = false) => server.configure({ ...config, ...more }, { nextPorts }),
  };
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request on a connection of its own; the path is sent as it is. */
export function ask(port: number, path: string, options: RequestOptions = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, agent: false, ...options }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part) => {
        body += part;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    asked.on("error", reject).end();
  });
}

export interface RawConnection {
  socket: Socket;
  text: () => string;
  /** Waits until what was received fits. */
  hears: (words: RegExp) => Promise<string>;
  closed: Promise<void>;
}

/** Bytes as a test sends them; from another address of this machine, the server takes them for another machine's. */
export function connectRaw(port: number, first = "", from?: string): RawConnection {
  const socket = connect({ port, host: "127.0.0.1", ...(from !== undefined && { localAddress: from }) });
  let text = "";
  const checks = new Set<() => void>();
  socket.setEncoding("utf8").on("data", (part) => {
    text += part;
    for (const check of checks) check();
  });
  // That a connection is cut off is what many tests wait for.
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (first !== "") socket.write(first);
  const hears = (words: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error(`Expected ${words}, got ${text}`));
      const limit = setTimeout(fail, PATIENCE);
      const check = () => {
        if (!words.test(text)) return;
        clearTimeout(limit);
        checks.delete(check);
        resolve(text);
      };
      checks.add(check);
      check();
      void closed.then(fail);
    });
  return { socket, text: () => text, hears, closed };
}
