import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { sleep } from "../../src/runtime/wait.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { readBody } from "../../src/service/read-body.ts";
import type { HttpResponse } from "../../src/service/read-response.ts";
import { REQUEST_RULES } from "../../src/service/request-rules.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import type { ServiceRequest } from "../../src/simulator/answer-request.ts";
import {
  createFaultyService,
  type FaultyService,
  type FaultyServiceOptions,
  halfOf,
} from "../support/faulty-service.ts";
import { FAULTS, type FaultName, type FaultSwitch } from "../support/service-faults.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A faulty service without a socket between: its faults come out as they would on one. */
interface FaultyTransport extends Pick<FaultyService, "world" | "faults" | "requests"> {
  transport: Transport;
  /** How often each fault, alone in force, changed an answer. */
  met: () => Record<FaultName, number>;
}

export function createFaultyTransport(
  days: Pick<FaultyServiceOptions, "seed" | "days">,
  { clock, hold }: VirtualTime,
): FaultyTransport {
  const service = createFaultyService({ ...days, clock });
  const right = createFaultyService({ ...days, clock });
  const { faults } = service;
  const met = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<FaultName, number>;
  const carry = async (request: ServiceRequest): Promise<HttpResponse> => {
    const asked = `GET ${request.url}`;
    const outcome = await service.answer(request);
    if (outcome.kind === "closed")
      throw new ServiceUnreachable(FORECAST_SERVICE, asked, ORIGIN, "the connection was closed");
    const { reply, delivery } = outcome;
    const headers = new Map([
      ...Object.entries(reply.headers),
      ["date", new Date(clock.now()).toUTCString()],
    ]);
    // A reset comes a moment after the bytes before it.
    if (delivery === "reset") await new Promise((resolve) => setImmediate(resolve));
    const body = delivery === "whole" ? wholeBody(reply.body) : brokenBody(halfOf(reply.body));
    return {
      status: reply.status,
      headers,
      body: await readBody(body, headers, asked, REQUEST_RULES.service.largestAnswer),
    };
  };
  const get: Transport["get"] = async (path, headers, ending) => {
    ending.throwIfAborted();
    const [fault, ...others] = faults.get();
    const alone = others.length === 0 ? fault : undefined;
    if (isTooSlow(faults)) {
      if (alone) met[alone] += 1;
      await sleep(TIMEOUT, ending);
      throw new ServiceUnreachable(FORECAST_SERVICE, `GET ${path}`, ORIGIN, "no whole answer within 60 s");
    }
    const release = hold();
    try {
      const ifNoneMatch = headers["if-none-match"] ?? "";
      const request = { method: "GET", url: path, ifNoneMatch, client: "127.0.0.1" };
      const arriving = carry(request);
      // Awaited below, when the right answer is there, too.
      arriving.catch(() => undefined);
      if (alone && (await isOther(arriving, await right.answer(request)))) met[alone] += 1;
      return await arriving;
    } finally {
      release();
    }
  };
  return {
    transport: { get, close: async () => undefined },
    world: service.world,
    faults,
    requests: service.requests,
    met: () => met,
  };
}

async function isOther(
  arriving: Promise<HttpResponse>,
  right: Awaited<ReturnType<FaultyService["answer"]>>,
): Promise<boolean> {
  try {
    const { status, body } = await arriving;
    return right.kind === "closed" || status !== right.reply.status || !right.reply.body.equals(body);
  } catch {
    return true;
  }
}

const ORIGIN = "http://127.0.0.1";
const TIMEOUT = 60_000;

/** A byte a second, or the first after two minutes: more than a request may take, unless a fault cuts it short. */
function isTooSlow({ has }: FaultSwitch): boolean {
  return has("slow") || has("drip");
}

async function* wholeBody(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function* brokenBody(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
  throw new Error("other side closed");
}
