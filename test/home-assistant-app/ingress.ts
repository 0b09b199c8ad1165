import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as open,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { APP_ADDRESS, SUPERVISOR_ADDRESS } from "./house.ts";

/*
 * The two programs between a browser and an app, in one: Home Assistant at /api/hassio_ingress/<token>/, and its Supervisor, which
 * connects to the app from its own address. What they add, drop and change is theirs, as read in their sources.
 */
export interface Ingress {
  /** Home Assistant with the app's panel open. */
  panel: (host: string) => string;
  /** The headers of each request, as the app saw them. */
  passed: IncomingHttpHeaders[];
  stop: () => Promise<void>;
}

const TOKEN = "q3Zr_ingress-token";
const PATH = `/api/hassio_ingress/${TOKEN}`;
const SESSION = "ingress_session=0123456789abcdef";

/** Of the request: the way between two programs is not that between two others. */
const DROPPED = [
  ...["content-length", "content-encoding", "transfer-encoding", "accept-encoding"],
  ...["sec-websocket-extensions", "sec-websocket-protocol", "sec-websocket-version", "sec-websocket-key"],
  ...["x-supervisor-token", "x-hassio-key", "x-remote-user-id", "x-remote-user-name", "connection"],
];
const DROPPED_OF_ANSWER = [
  "transfer-encoding",
  "content-length",
  "content-type",
  "content-encoding",
  "connection",
];

export async function startIngress(): Promise<Ingress> {
  const passed: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    if (url === "/vigie") return void sendPanel(response);
    if (!url.startsWith(`${PATH}/`)) return void response.writeHead(404).end();
    if (!headers.cookie?.includes(SESSION)) return void response.writeHead(401).end("401: Unauthorized");
    void passOn(request, response, passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    panel: (host) => `http://${host}:${port}/vigie`,
    passed,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Home Assistant's own page, which frames that of the app. */
function sendPanel(response: ServerResponse): void {
  const frame = `<iframe title="vigie" src="${PATH}/" style="border:0;width:100%;height:95vh"></iframe>`;
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Set-Cookie": `${SESSION}; Path=/api/hassio_ingress/; SameSite=Strict`,
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
  });
  response.end(`<!DOCTYPE html><title>Home Assistant</title><link rel="icon" href="data:,">${frame}`);
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  passed: IncomingHttpHeaders[],
): Promise<void> {
  const { headers, method = "GET", url = "" } = request;
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.includes(name));
  const peer = request.socket.remoteAddress ?? "";
  const sent: OutgoingHttpHeaders = {
    ...Object.fromEntries(kept),
    "X-Hass-Source": "core.ingress",
    "X-Ingress-Path": PATH,
    "X-Forwarded-For": `${peer}, 172.30.32.1`,
    "X-Forwarded-Host": headers.host,
    "X-Forwarded-Proto": "http",
    ...{ "X-Remote-User-Id": "4f9d", "X-Remote-User-Name": "anna", "X-Remote-User-Display-Name": "Anna" },
  };
  passed.push(sent as IncomingHttpHeaders);
  const to = { host: APP_ADDRESS, port: 8099, localAddress: SUPERVISOR_ADDRESS };
  const asked = open({ ...to, method, path: url.slice(PATH.length), headers: sent });
  asked.on("error", () => void response.writeHead(502).end("502: Bad Gateway"));
  asked.end();
  const [answer] = (await once(asked, "response").catch(() => [])) as [IncomingMessage?];
  if (!answer) return;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const given = Object.entries(answer.headers).filter(([name]) => !DROPPED_OF_ANSWER.includes(name));
  const out: OutgoingHttpHeaders = Object.fromEntries(given);
  // Without its charset: a page has to say that itself.
  const [type] = (answer.headers["content-type"] ?? "").split(";");
  if (type) out["Content-Type"] = type;
  const status = answer.statusCode ?? 502;
  if (status === 304 || method === "HEAD") return void response.writeHead(status, out).end();
  const isLong = body.length > 128 && /text|json|javascript|xml/.test(type ?? "");
  const isZipped = isLong && /gzip/.test(String(headers["accept-encoding"]));
  const text = isZipped ? gzipSync(body) : body;
  if (isZipped) out["Content-Encoding"] = "gzip";
  response.writeHead(status, { ...out, "Content-Length": text.length }).end(text);
}
