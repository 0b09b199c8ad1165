import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sleep } from "../../src/runtime/wait.ts";
import type { ServiceRequest } from "../../src/simulator/answer-request.ts";
import type { RunningSimulator, SimulatorOptions } from "../../src/simulator/server.ts";
import { createFaultyService, type FaultyServiceOptions, halfOf, type Outcome } from "./faulty-service.ts";
import type { FaultSwitch, OfficialFaultName } from "./service-faults.ts";

interface FaultyServerOptions extends SimulatorOptions, FaultyServiceOptions {
  /** Milliseconds until the headers of `slow`; default two minutes. */
  slowFor?: number;
  /** Milliseconds from byte to byte of `drip`; default a second. */
  dripEvery?: number;
  /** So many bytes at a time; default one. */
  dripBytes?: number;
}

export interface RunningFaultyService extends Omit<RunningSimulator, "moved"> {
  faults: FaultSwitch;
  /** Those of the official source. */
  officialFaults: FaultSwitch<OfficialFaultName>;
  /** How many requests came to the forecast service. */
  requests(): number;
  /** The paths of the requests that came to the official source. */
  officialRequests: string[];
}

/** Serves the simulator's answers, with faults, on a port of this machine. */
export async function startFaultyService(options: FaultyServerOptions): Promise<RunningFaultyService> {
  const { port, host = "127.0.0.1", sendDate, slowFor = 120_000, dripEvery = 1_000, dripBytes = 1 } = options;
  const service = createFaultyService(options);
  const stopping = new AbortController();
  const server = createServer(NO_TIMEOUTS, async (request, response) => {
    response.sendDate = sendDate;
    const outcome = await service.answer(readRequest(request));
    if (outcome.kind === "closed") request.socket.destroy();
    else
      await deliver(outcome, request, response, { signal: stopping.signal, slowFor, dripEvery, dripBytes });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const stop = () => {
    stopping.abort();
    return new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  const { faults, officialFaults, requests, officialRequests } = service;
  return {
    url: `http://${host}:${taken}`,
    port: taken,
    faults,
    officialFaults,
    requests,
    officialRequests,
    stop,
  };
}

const NO_TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

function readRequest({ method = "", url = "", headers, socket }: IncomingMessage): ServiceRequest {
  const ifNoneMatch = headers["if-none-match"] ?? "";
  return { method, url, ifNoneMatch, client: socket.remoteAddress ?? "" };
}

interface DeliveryOptions {
  signal: AbortSignal;
  slowFor: number;
  dripEvery: number;
  dripBytes: number;
}

async function deliver(
  { reply, slow, delivery }: Outcome & { kind: "reply" },
  { socket }: IncomingMessage,
  response: ServerResponse,
  { signal, slowFor, dripEvery, dripBytes }: DeliveryOptions,
): Promise<void> {
  if (slow && !(await waited(slowFor, response, signal))) return;
  const { status, headers, body } = reply;
  response.writeHead(status, status === 304 ? headers : { ...headers, "content-length": body.length });
  switch (delivery) {
    case "whole":
      response.end(body);
      return;
    case "cut":
      await write(response, halfOf(body));
      socket.destroy();
      return;
    case "reset":
      await write(response, halfOf(body));
      if (await waited(RESET_AFTER, response, signal)) socket.resetAndDestroy();
      return;
    case "drip":
      for (let from = 0; from < body.length; from += dripBytes) {
        response.write(body.subarray(from, from + dripBytes));
        if (!(await waited(dripEvery, response, signal))) return;
      }
      response.end();
  }
}

/** Milliseconds: a reset that comes together with the bytes before it is taken for an ordinary end. */
const RESET_AFTER = 50;

function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}

/** Waits; false where the service stops or the client leaves before. */
async function waited(milliseconds: number, response: ServerResponse, stop: AbortSignal): Promise<boolean> {
  const left = new AbortController();
  const leave = () => left.abort();
  response.once("close", leave);
  const result = await sleep(milliseconds, AbortSignal.any([stop, left.signal])).then(
    () => true,
    () => false,
  );
  response.off("close", leave);
  return result;
}
