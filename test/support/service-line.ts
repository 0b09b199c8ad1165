import { EventEmitter } from "node:events";
import type { HttpBindings } from "@hono/node-server";
import { sleep } from "../../src/runtime/wait.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { LARGEST_BODY, readBody } from "../../src/service/read-body.ts";
import type { Arrival } from "../../src/service/read-response.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import { simulatorApp } from "../../src/simulator/app.ts";
import { FAULTS, type FaultName, type FaultSwitch, faultSwitch } from "../../src/simulator/faults.ts";
import type { World } from "../../src/simulator/world.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The simulator without a socket between: its faults of the line come out as they would on one. */
export interface ServiceLine {
  transport: Transport;
  faults: FaultSwitch;
  requests: () => number;
  /** How often each fault, alone in force, made an answer another one than it would have been. */
  met: () => Record<FaultName, number>;
}

export function openServiceLine(world: Omit<World, "revised">, time: VirtualTime): ServiceLine {
  const { clock, hold } = time;
  const faults = faultSwitch([]);
  const signal = new AbortController().signal;
  const ways = { faults, signal, slowFor: 0, dripEvery: 0, retryAfter: 30 };
  const app = simulatorApp({ world, clock, sendDate: false, ...ways });
  const right = simulatorApp({ world, clock, sendDate: false, ...ways, faults: faultSwitch([]) });
  const met = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<FaultName, number>;
  let requests = 0;
  const carry = async (path: string, headers: Record<string, string>): Promise<Arrival> => {
    requests += 1;
    const line = openLine();
    const response = await app.fetch(new Request(ORIGIN + path, { headers }), line.bindings);
    const came = response.headers.get("x-hono-already-sent") ? await line.sent : await whole(response);
    if (came === null) throw new ServiceUnreachable(`GET ${path}`, ORIGIN, "the connection was closed");
    const sentHeaders = new Map([...came.headers, ["date", new Date(clock.now()).toUTCString()]] as const);
    const body = await readBody(came.body, sentHeaders, `GET ${path}`, LARGEST_BODY);
    return { status: came.status, headers: sentHeaders, body };
  };
  const flawless = async (path: string, headers: Record<string, string>) => {
    const response = await right.fetch(new Request(ORIGIN + path, { headers }), openLine().bindings);
    return { status: response.status, body: await response.text() };
  };
  const get: Transport["get"] = async (path, headers, ending) => {
    ending.throwIfAborted();
    const [fault, ...others] = faults.get();
    const alone = others.length === 0 ? fault : undefined;
    if (isTooSlow(faults)) {
      if (alone) met[alone] += 1;
      await sleep(TIMEOUT, ending);
      throw new ServiceUnreachable(`GET ${path}`, ORIGIN, "no whole answer within 60 s");
    }
    const release = hold();
    try {
      const arriving = carry(path, headers);
      // Heard below, when the right answer is there, too.
      arriving.catch(() => undefined);
      if (alone && (await isOther(arriving, await flawless(path, headers)))) met[alone] += 1;
      return await arriving;
    } finally {
      release();
    }
  };
  return {
    transport: { get, close: async () => undefined },
    faults,
    requests: () => requests,
    met: () => met,
  };
}

async function isOther(
  arriving: Promise<Arrival>,
  right: { status: number; body: string },
): Promise<boolean> {
  try {
    const { status, body } = await arriving;
    return status !== right.status || new TextDecoder().decode(body) !== right.body;
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

interface Came {
  status: number;
  headers: Map<string, string>;
  body: AsyncIterable<Uint8Array>;
}

async function whole(response: Response): Promise<Came> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: new Map(response.headers), body: pieces([bytes], true) };
}

/** What the simulator does with a connection, heard where it does it. */
function openLine(): { bindings: HttpBindings; sent: Promise<Came | null> } {
  let tell: (came: Came | null) => void = () => undefined;
  const sent = new Promise<Came | null>((resolve) => {
    tell = resolve;
  });
  const chunks: Uint8Array[] = [];
  let head: Pick<Came, "status" | "headers"> | undefined;
  const close = () => tell(head ? { ...head, body: pieces(chunks, false) } : null);
  const outgoing = Object.assign(new EventEmitter(), {
    sendDate: false,
    writeHead: (status: number, headers: Record<string, unknown>) => {
      head = {
        status,
        headers: new Map(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      };
    },
    write: (chunk: Uint8Array, written?: () => void) => {
      chunks.push(chunk);
      written?.();
      // No more comes: the other side resets the connection in a moment.
      setImmediate(() => outgoing.emit("close"));
    },
    end: (body: string | Uint8Array = "") => {
      chunks.push(Buffer.from(body));
      if (head) tell({ ...head, body: pieces(chunks, true) });
    },
  });
  outgoing.once("close", close);
  const socket = { remoteAddress: "127.0.0.1", destroy: close, resetAndDestroy: close };
  const bindings = { incoming: { socket }, outgoing } as unknown as HttpBindings;
  return { bindings, sent };
}

async function* pieces(chunks: readonly Uint8Array[], isWhole: boolean): AsyncIterable<Uint8Array> {
  yield* chunks;
  if (!isWhole) throw new Error("other side closed");
}
