import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Answerer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

interface RudeServer {
  url: string;
  /** What was asked, in order. */
  requests: IncomingMessage[];
  stop: () => Promise<void>;
}

/** A service of the test's own that answers as it pleases; gone when the test ends. */
export async function serve(answer: Answerer): Promise<RudeServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => close(server);
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, stop };
}

export function sendJson(
  response: ServerResponse,
  json: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(json));
}

export function sendStatus(
  response: ServerResponse,
  status: number,
  body = "",
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "text/plain", ...headers });
  response.end(body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
