import { Agent, type Dispatcher } from "undici";
import { deadline } from "../runtime/wait.ts";
import { explainFailure } from "./explain-network-error.ts";
import { LARGEST_BODY, readBody } from "./read-body.ts";
import type { Arrival } from "./read-response.ts";
import { ServiceUnreachable } from "./service-errors.ts";

/** Carries one GET and brings back what came, whole or not at all. */
export interface Transport {
  get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Arrival>;
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Where the service is: scheme, host, port, and a path before its own if it has one. */
  base: string;
  version: string;
  /** How long one request may take, from its first byte to the last of its answer. */
  timeout?: number;
}

export function createTransport({ base, version, timeout = ATTEMPT_TIMEOUT }: TransportOptions): Transport {
  const { origin, host, pathname } = new URL(base);
  const prefix = pathname.replace(/\/+$/, "");
  const agent = openAgent(timeout);
  const get: Transport["get"] = async (path, headers, signal) => {
    signal.throwIfAborted();
    const asked = `GET ${path}`;
    const limit = deadline(timeout, signal, () => {
      return new ServiceUnreachable(asked, host, `no whole answer within ${Math.ceil(timeout / 1000)} s`);
    });
    try {
      const response = await agent
        .request({
          origin,
          path: prefix + path,
          method: "GET",
          signal: limit.signal,
          headers: { ...ownHeaders(version), ...headers },
        })
        .catch((cause: unknown) => {
          throw limit.signal.aborted ? limit.signal.reason : explainFailure(asked, host, cause);
        });
      return await receive(response, asked, limit.signal);
    } finally {
      limit.clear();
    }
  };
  return { get, close: () => agent.destroy() };
}

const ATTEMPT_TIMEOUT = 60_000;

function openAgent(timeout: number): Agent {
  return new Agent({
    // One connection a request: an hour later it would be stale, and a reused one may be closing just then.
    pipelining: 0,
    // The deadline counts the whole request; undici's own timers are coarse, and a drip resets them.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeout,
    // Node gives an address 250 ms before it turns to the next: too short for a slow line.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 5_000,
  });
}

function ownHeaders(version: string): Record<string, string> {
  return {
    "user-agent": `vigie/${version}`,
    accept: "application/json",
    "accept-encoding": "gzip, deflate, br",
  };
}

async function receive(
  response: Dispatcher.ResponseData,
  asked: string,
  signal: AbortSignal,
): Promise<Arrival> {
  const headers = flatHeaders(response.headers);
  const status = response.statusCode;
  try {
    return { status, headers, body: await readBody(response.body, headers, asked, LARGEST_BODY) };
  } catch (error) {
    // Of anything but a success the status says enough, whatever became of the body.
    if (status !== 200) return { status, headers, body: new Uint8Array() };
    throw signal.aborted ? signal.reason : error;
  }
}

function flatHeaders(headers: Dispatcher.ResponseData["headers"]): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) flat.set(name.toLowerCase(), first);
  }
  return flat;
}
