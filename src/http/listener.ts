import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import type { ListenAddress } from "../config/http-options.ts";
import { describeDuration } from "../core/log/duration.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

interface ListenerOptions {
  server: Server;
  /** Milliseconds after which an address that cannot be had is tried again. */
  retryAfter: number;
  /** Whether one of the next ports does as well. */
  nextPorts: boolean;
  log: Log;
  problemLog: ProblemLog;
}

export interface Listener {
  /** After the first attempt. */
  tried: Promise<void>;
  /** For a browser on this machine; null while this does not listen. */
  url: () => string | null;
  close: () => Promise<void>;
}

/** Listens, and tries again where that fails: another program may use the port, or the network is not there yet. */
export function openListener(wanted: ListenAddress, options: ListenerOptions): Listener {
  const { server, retryAfter, nextPorts, log, problemLog } = options;
  const name = nameAddress(wanted);
  let port = wanted.port;
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  let isClosed = false;
  const place = () => ({ ...(wanted.host !== null && { host: wanted.host }), port });
  const attempt = () =>
    new Promise<void>((resolve) => {
      const listening = () => {
        server.off("error", failed);
        if (isClosed) {
          server.close();
          return resolve();
        }
        const elsewhere = isEverywhere(wanted) ? " and at every other address of this machine" : "";
        const sentence = `The page is at ${urlOf(server, wanted)}${elsewhere}`;
        if (hasFailed) problemLog.isOver(name, sentence);
        else log.info(sentence);
        resolve();
      };
      const failed = (error: NodeJS.ErrnoException) => {
        server.off("listening", listening);
        if (isClosed) return resolve();
        if (nextPorts && error.code === "EADDRINUSE" && port < wanted.port + NEXT_PORTS) {
          port += 1;
          resolve(attempt());
          return;
        }
        hasFailed = true;
        port = wanted.port;
        problemLog.starts(
          name,
          `The page cannot be served at ${name}: ${describe(error)}. It is tried again every ${describeDuration(retryAfter)}; another address is set with http.listen`,
        );
        timer = setTimeout(() => void attempt(), retryAfter);
        resolve();
      };
      server.once("listening", listening).once("error", failed).listen(place());
    });
  // Once it listens, a connection may still fail to be accepted: there are too many open files.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (server.listening) problemLog.starts(name, `No connection is accepted at ${name}: ${error.message}`);
  });
  server.on("connection", () => problemLog.isOver(name, `Connections are accepted again at ${name}`));
  return {
    tried: attempt(),
    url: () => (server.listening ? urlOf(server, wanted) : null),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      if (!server.listening) {
        problemLog.isOver(name, `vigie does not try any more to serve the page at ${name}`);
        return;
      }
      problemLog.isOver(name, `The page is not served at ${name} any more`);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

export function nameAddress({ host, port }: ListenAddress): string {
  if (host === null) return `port ${port}`;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function urlOf(server: Server, wanted: ListenAddress): string {
  const { port } = server.address() as AddressInfo;
  const host = isEverywhere(wanted) ? "127.0.0.1" : wanted.host;
  return `http://${nameAddress({ host, port })}/`;
}

function isEverywhere({ host }: ListenAddress): boolean {
  return host === null || host === "0.0.0.0" || host === "::";
}

function describe({ code = "", message }: NodeJS.ErrnoException): string {
  return WORDS[code] ?? message;
}

const WORDS: Record<string, string> = {
  EADDRINUSE: "the port is in use there",
  EADDRNOTAVAIL: "this machine does not have that address, or not yet",
  EACCES: "this user may not listen on that port (below 1024 a right is needed)",
  ENOTFOUND: "no machine of that name is known",
};

const NEXT_PORTS = 20;
