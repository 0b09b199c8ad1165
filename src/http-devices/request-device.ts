import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, rootCertificates } from "node:tls";
import { Agent, type buildConnector, type Dispatcher } from "undici";
import { firstValues } from "../core/contract/http-headers.ts";
import { codeOf } from "../runtime/error-code.ts";
import { explainFailure, isForGood } from "./explain-failure.ts";
import { createNameLookup } from "./look-up-names.ts";

/** One request as it goes out. It holds secrets: nothing of it but its place may be shown. */
export interface DeviceRequest {
  method: "GET" | "POST" | "PUT";
  /** Whole and percent-encoded, without user and password. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** undefined: there is none. */
  body?: string;
  /** A certificate that is trusted beside those of the system, in PEM. */
  ca?: string;
  /** The body of the answer is wanted, not only its status. */
  readsBody: boolean;
}

export interface DeviceResponse {
  status: number;
  /** By name, in small letters. */
  headers: ReadonlyMap<string, string>;
  /** Empty where it is not wanted. */
  body: Uint8Array;
}

/** Sends one request; rejects with `RequestFailed`, also when the signal aborts. Tests in virtual time replace it. */
export type RequestDevice = (request: DeviceRequest, signal: AbortSignal) => Promise<DeviceResponse>;

/** There was no answer. The message holds nothing of the request, and no words of other programs: they may repeat an address. */
export class RequestFailed extends Error {
  /** Something of the request may have arrived. */
  readonly wasWritten: boolean;
  /** The same request fails again. */
  readonly isForGood: boolean;
  /** Of the system; empty: there is none. */
  readonly code: string;

  constructor(message: string, how: { wasWritten: boolean; isForGood?: boolean; code?: string }) {
    super(message);
    this.wasWritten = how.wasWritten;
    this.isForGood = how.isForGood ?? false;
    this.code = how.code ?? "";
  }
}

export const requestDevice: RequestDevice = async (request, signal) => {
  const link = { isConnected: false };
  const agent = openAgent(request, signal, link);
  try {
    const response = await agent.request({ ...splitUrl(request.url), ...optionsOf(request), signal });
    return await readResponse(response, request);
  } catch (cause) {
    if (cause instanceof RequestFailed) throw cause;
    throw new RequestFailed(explainFailure(cause), {
      wasWritten: link.isConnected,
      isForGood: isForGood(cause),
      code: codeOf(cause),
    });
  } finally {
    await agent.destroy();
  }
};

/** As it is: parsed once more, a payload of two dots would be taken for the folder above. */
function splitUrl(url: string): { origin: string; path: string } {
  const [, origin = "", path = ""] = /^([^:]+:\/\/[^/]+)(.*)$/s.exec(url) ?? [];
  return { origin, path };
}

function optionsOf({ method, headers, body }: DeviceRequest) {
  return { method, headers, ...(body !== undefined && { body }) };
}

/** Of one request: each has a connection of its own, since one that is reused may be closing just then. */
function openAgent(request: DeviceRequest, signal: AbortSignal, link: { isConnected: boolean }): Agent {
  const connect: buildConnector.connector = (to, callback) => {
    const socket = openSocket(to, request.ca);
    // undici ends a request that is under way, but not the attempt to connect.
    const abort = () => socket.destroy(signal.reason);
    const settle = () => {
      signal.removeEventListener("abort", abort);
      socket.removeListener("error", fail);
    };
    const fail = (error: Error) => {
      settle();
      // What comes after this error is of no interest, but would end the process.
      socket.on("error", () => undefined);
      callback(error, null);
    };
    socket.once("error", fail);
    socket.once(to.protocol === "https:" ? "secureConnect" : "connect", () => {
      settle();
      link.isConnected = true;
      callback(null, socket);
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  };
  // The signal limits how long it takes; undici's own timers are coarse, and a byte now and then resets them.
  return new Agent({ connect, pipelining: 0, headersTimeout: 0, bodyTimeout: 0 });
}

/** One for all requests: what it has found is of use for the next one. */
const lookUpName = createNameLookup();

function openSocket(
  { protocol, hostname: host, port, servername }: buildConnector.Options,
  ca?: string,
): Socket {
  // Node gives an address 250 ms before it tries the next one: too short for a slow line.
  const families = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_500, lookup: lookUpName };
  if (protocol !== "https:")
    return connectTcp({ ...families, host, port: Number(port || 80) }).setNoDelay(true);
  return connectTls({
    ...families,
    host,
    port: Number(port || 443),
    ALPNProtocols: ["http/1.1"],
    // Also if the environment asks for less.
    rejectUnauthorized: true,
    ...(servername && { servername }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  }).setNoDelay(true);
}

async function readResponse(
  { statusCode: status, headers: received, body }: Dispatcher.ResponseData,
  { readsBody }: DeviceRequest,
): Promise<DeviceResponse> {
  const headers = firstValues(received);
  if (readsBody && isSuccess(status)) return { status, headers, body: await readBody(body, headers) };
  body.on("error", () => undefined).destroy();
  return { status, headers, body: new Uint8Array() };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

async function readBody(
  body: AsyncIterable<Uint8Array>,
  headers: ReadonlyMap<string, string>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const announced = Number(headers.get("content-length") ?? 0);
  for await (const chunk of body) {
    size += chunk.length;
    if (Math.max(size, announced) > LARGEST_ANSWER)
      throw new RequestFailed(`its answer is longer than ${LARGEST_ANSWER / 1024} KB`, { wasWritten: true });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const LARGEST_ANSWER = 64 * 1024;
