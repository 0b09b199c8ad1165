import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { freePort } from "../ports.ts";

/** A request as it came. */
export interface Asked {
  method: string;
  /** Path and query as they were written. */
  address: string;
  /** The path, decoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface Answer {
  status: number;
  /** An object goes out as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Says why, where the documentation does not allow the request. */
  refused?: string;
}

/** A server that answers what its documentation allows, and records everything else. */
export interface StrictServer {
  url: string;
  asked: Asked[];
  /** The requests that the documentation does not allow, with the reason. */
  refused: string[];
  /** The next requests are lost on their way: nobody takes them, and there is no answer. */
  loseRequests: (count: number) => void;
  /** The next requests are taken, and their answers are lost. */
  loseAnswers: (count: number) => void;
  /** Without power nobody listens. */
  cutPower: () => Promise<void>;
  returnPower: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function startStrictServer(answer: (asked: Asked) => Answer): Promise<StrictServer> {
  const asked: Asked[] = [];
  const refused: string[] = [];
  let lostRequests = 0;
  let lostAnswers = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => take(readRequest(request, body), response));
  });
  const take = (one: Asked, response: ServerResponse) => {
    asked.push(one);
    if (lostRequests > 0) {
      lostRequests -= 1;
      response.destroy();
      return;
    }
    const said = answer(one);
    if (said.refused !== undefined) refused.push(`${one.method} ${one.address}: ${said.refused}`);
    if (lostAnswers > 0) {
      lostAnswers -= 1;
      response.destroy();
    } else send(response, said);
  };
  // The same port after a power cut: no other program is given it meanwhile.
  const port = await freePort();
  const start = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    refused,
    loseRequests: (count) => {
      lostRequests = count;
    },
    loseAnswers: (count) => {
      lostAnswers = count;
    },
    cutPower: stop,
    returnPower: start,
    stop,
  };
}

/** `{ status: 404, refused: "no such path" }`. */
export function refuse(
  status: number,
  why: string,
  body?: unknown,
  headers?: Record<string, string>,
): Answer {
  return { status, refused: why, ...(body !== undefined && { body }), ...(headers && { headers }) };
}

/** The JSON object in a body; undefined: there is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this is what the client says of its body, whatever stands behind the semicolon. */
export function hasType({ headers }: Asked, type: string): boolean {
  return headers["content-type"]?.split(";")[0]?.trim() === type;
}

/** Whether these user and password came as Basic. */
export function hasLogin({ headers }: Asked, login: string): boolean {
  return headers.authorization === `Basic ${Buffer.from(login).toString("base64")}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function readRequest({ method = "", url = "", headers }: IncomingMessage, body: string): Asked {
  const { pathname, searchParams } = new URL(url, "http://device");
  return { method, address: url, path: decodeURIComponent(pathname), query: searchParams, headers, body };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const isText = typeof body === "string";
  const type = isText ? "text/plain" : "application/json";
  response.writeHead(status, { ...(body !== undefined && { "content-type": type }), ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
