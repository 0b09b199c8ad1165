import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createViewServer } from "../../src/http/server.ts";
import type { View } from "../../src/http/view.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { SILENT_LOG } from "./logs.ts";
import { freePort } from "./ports.ts";

interface PageServerOptions {
  view: View;
  language: "fr" | "en";
  /** The path below which a reverse proxy has the page. */
  prefix?: string;
  /** Default: a free one. */
  port?: number;
}

/** The server of vigie with this view. */
export async function servePage({ language, prefix, ...options }: PageServerOptions) {
  let { view } = options;
  const port = options.port ?? (await freePort());
  const server = createViewServer({
    view: () => view,
    health: () => ({ healthy: true, words: "loop alive" }),
    log: SILENT_LOG,
    problemLog: createProblemLog(SILENT_LOG, { now: () => 0, steady: () => 0 }),
  });
  const listen = [{ host: "127.0.0.1", port }];
  await server.configure({ listen, allow: [], hosts: [], proxies: [], language }, { nextPorts: false });
  const proxy = prefix === undefined ? undefined : await startProxy(prefix, port);
  return {
    url: proxy?.url ?? `http://127.0.0.1:${port}/`,
    show: (next: View) => {
      view = next;
      server.viewChanged();
    },
    stop: async () => {
      proxy?.stop();
      await server.stop();
    },
  };
}

/** Takes its own path off each request, and passes it on. Other paths are not found. */
async function startProxy(prefix: string, port: number) {
  const proxy = createServer((asked, response) => {
    const { method, url = "", headers } = asked;
    if (!url.startsWith(prefix)) {
      response.writeHead(404).end();
      return;
    }
    const passed = request({ port, method, path: url.slice(prefix.length - 1), headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy()).end();
    response.once("close", () => passed.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`,
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
