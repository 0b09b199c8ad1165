import type { Config } from "../config/config.ts";
import type { ViewServer, ViewServerOptions } from "../http/server.ts";

export interface ServedViews {
  /** Listens where this configuration says. */
  open: (config: Config) => Promise<void>;
  /** With another configuration; nothing before `open`. */
  reopen: (config: Config) => Promise<void>;
  /** For a browser on this machine. */
  addresses: () => string[];
  stop: () => Promise<void>;
}

/** The page and the other views over HTTP. Their code is loaded when something is to listen, and not before. */
export function serveViews(options: ViewServerOptions): ServedViews {
  let server: ViewServer | undefined;
  let isOpen = false;
  let isStopped = false;
  let latest: Config | undefined;
  let applying = Promise.resolve();
  const apply = async () => {
    if (!latest || !isOpen || isStopped) return;
    const { http, mqtt } = latest;
    if (http.listen.length === 0 && !server) return;
    const { createViewServer } = await import("../http/server.ts");
    if (isStopped) return;
    server ??= createViewServer(options);
    // A first look beside another one: its page is on another port, as its broker is.
    await server.configure(http, { nextPorts: mqtt.url === "embedded" });
  };
  const applyNext = (config: Config) => {
    latest = config;
    applying = applying.then(apply).catch((error: unknown) => {
      // The page is no reason to stop what switches devices.
      options.log.error(`The page cannot be served: ${String(error)}`, { error });
    });
    return applying;
  };
  return {
    open: (config) => {
      isOpen = true;
      return applyNext(latest ?? config);
    },
    reopen: applyNext,
    addresses: () => server?.addresses() ?? [],
    stop: async () => {
      isStopped = true;
      await server?.stop();
    },
  };
}
