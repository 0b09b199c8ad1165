import { Agent, type Dispatcher } from "undici";
import { firstValues } from "../core/contract/http-headers.ts";
import type { Source } from "../core/sources/source.ts";
import { deadline } from "../runtime/wait.ts";
import { explainNetworkError } from "./network-errors.ts";
import { readBody } from "./read-body.ts";
import type { HttpResponse } from "./read-response.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { ServiceUnreachable } from "./service-errors.ts";

/** Sends one GET and resolves with the response as a whole. */
export interface Transport {
  get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<HttpResponse>;
  close(): Promise<void>;
}

interface TransportOptions {
  source: Source;
  /** The source's address: scheme, host, port, and a path before its own if it has one. */
  base: string;
  version: string;
  /** How long one request may take, from its first byte to the last of its answer. */
  timeout?: number;
}

export function createTransport(options: TransportOptions): Transport {
  const { source, base, version, timeout = DEFAULT_TIMEOUT } = options;
  const { origin, host } = new URL(base);
  const prefix = prefixOf(base);
  const agent = openAgent(timeout);
  const get: Transport["get"] = async (path, headers, signal) => {
    signal.throwIfAborted();
    const operation = `GET ${path}`;
    const limit = deadline(timeout, signal, () => {
      const reason = `no whole answer within ${Math.ceil(timeout / 1000)} s`;
      return new ServiceUnreachable(source, operation, host, reason);
    });
    try {
      const response = await agent
        .request({
          origin,
          path: prefix + path,
          method: "GET",
          signal: limit.signal,
          headers: {
            "user-agent": `vigie/${version}`,
            accept: "application/json",
            "accept-encoding": "gzip, deflate, br",
            ...headers,
          },
        })
        .catch((cause: unknown) => {
          throw limit.signal.aborted
            ? limit.signal.reason
            : explainNetworkError(source, operation, host, cause);
        });
      return await readWhole(response, operation, REQUEST_RULES[source.id].largestAnswer, limit.signal);
    } finally {
      limit.clear();
    }
  };
  return { get, close: () => agent.destroy() };
}

/** The whole address of a request. */
export function addressOf(base: string, path: string): string {
  return new URL(base).origin + prefixOf(base) + path;
}

/** The path of the source's own address, without a slash at its end. */
function prefixOf(base: string): string {
  return new URL(base).pathname.replace(/\/+$/, "");
}

const DEFAULT_TIMEOUT = 60_000;

function openAgent(timeout: number): Agent {
  return new Agent({
    // One connection for each request: an hour later it would be stale, and a reused one may be closing just then.
    pipelining: 0,
    // The deadline covers the whole request; undici's own timers are coarse, and a byte now and then resets them.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeout,
    // Node gives an address 250 ms before it tries the next one: too short for a slow line.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 5_000,
  });
}

async function readWhole(
  response: Dispatcher.ResponseData,
  operation: string,
  largest: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const headers = firstValues(response.headers);
  const status = response.statusCode;
  try {
    return { status, headers, body: await readBody(response.body, headers, operation, largest) };
  } catch (error) {
    // A status other than 200 says enough, whatever became of the body.
    if (status !== 200) return { status, headers, body: new Uint8Array() };
    throw signal.aborted ? signal.reason : error;
  }
}
