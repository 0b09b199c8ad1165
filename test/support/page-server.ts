import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PAGE_FILES } from "../../src/http/page/page-files.ts";
import { renderPage } from "../../src/http/page/render-page.ts";
import type { View } from "../../src/http/view.ts";

interface PageServerOptions {
  view: View;
  language: "fr" | "en";
  /** The path below which the page is, as behind a reverse proxy. */
  prefix?: string;
  /** Default: a free one. */
  port?: number;
}

const CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** The page with its files and its stream of events, and nothing else of vigie. */
export async function servePage({ language, prefix = "/", port: wanted = 0, ...options }: PageServerOptions) {
  let { view } = options;
  const streams = new Set<ServerResponse>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    requests.push(pathname);
    response.setHeader("content-security-policy", CSP);
    const name = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : undefined;
    if (name === "") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(renderPage(view, { language }));
    } else if (name !== undefined && Object.hasOwn(PAGE_FILES, name)) {
      const { type, text } = PAGE_FILES[name as keyof typeof PAGE_FILES];
      response.setHeader("content-type", type);
      response.end(text);
    } else if (name === "events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`retry: 100\n\ndata: ${view.id}\n\n`);
      streams.add(response);
      response.once("close", () => streams.delete(response));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    requests,
    streams: () => streams.size,
    show: (next: View) => {
      view = next;
      for (const stream of streams) stream.write(`data: ${view.id}\n\n`);
    },
    /** What is missed meanwhile. */
    showSilently: (next: View) => {
      view = next;
    },
    dropStreams: () => {
      for (const stream of streams) stream.destroy();
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
