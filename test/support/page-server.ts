import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { PageView } from "../../src/http/page-view.ts";
import { createViewServer, type ViewServerOptions } from "../../src/http/server.ts";
import { SILENT_LOG } from "./logs.ts";
import { freePort } from "./ports.ts";

interface PageServerOptions {
  view: PageView;
  language: "fr" | "en";
  /** Default: a free one. */
  port?: number;
  limits?: ViewServerOptions["limits"];
  /** What vigie's clock shows; default: the machine's. */
  now?: () => number;
}

/** The server of vigie with this view. */
export async function servePage({ language, ...options }: PageServerOptions) {
  let { view } = options;
  const port = options.port ?? (await freePort());
  const server = createViewServer({
    view: () => view,
    health: () => ({ healthy: true, words: "vigie runs" }),
    ...(options.now && { now: options.now }),
    log: SILENT_LOG,
    // Whoever asks at once after `show` is shown that view.
    limits: { fresh: 0, ...options.limits },
    problemLog: createProblemLog(SILENT_LOG, { now: () => 0, steady: () => 0 }),
  });
  const listen = [{ host: "127.0.0.1", port }];
  await server.configure({ listen, allow: [], hosts: [], proxies: [], language }, { nextPorts: false });
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    show: (next: PageView) => {
      view = next;
    },
    stop: server.stop,
  };
}
