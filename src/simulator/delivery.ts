import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { sleep } from "../runtime/wait.ts";
import type { FaultName } from "./faults.ts";
import { bodyBytes, type Reply } from "./reply.ts";

interface Line {
  socket: Socket;
  outgoing: ServerResponse;
  /** Aborts when the simulator stops. */
  signal: AbortSignal;
  /** Milliseconds from one byte to the next. */
  dripEvery: number;
  /** How often this delivery had its turn, for what alternates. */
  round: number;
}

/** Ways in which an answer does not arrive whole. */
export const deliveries = {
  reset: async (reply, line) => {
    await sendHalf(reply, line);
    if (await waited(RESET_AFTER, line.outgoing, line.signal)) line.socket.resetAndDestroy();
  },
  truncated: async (reply, line) => {
    if (line.round % 2 === 1) return sendWhole({ ...reply, body: halfOf(reply) }, line.outgoing);
    await sendHalf(reply, line);
    line.socket.destroy();
  },
  drip: (reply, line) => drip(bodyBytes(reply), reply, line),
} satisfies Partial<Record<FaultName, (reply: Reply, line: Line) => Promise<void>>>;

/** Milliseconds: a reset that comes together with the bytes before it is taken for an ordinary end. */
const RESET_AFTER = 50;

export function sendWhole(reply: Reply, outgoing: ServerResponse): void {
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": bodyBytes(reply).length });
  outgoing.end(reply.body);
}

/** Waits; false where the simulator stops or the client leaves before. */
export async function waited(
  milliseconds: number,
  outgoing: ServerResponse,
  stop: AbortSignal,
): Promise<boolean> {
  const left = new AbortController();
  const leave = () => left.abort();
  outgoing.once("close", leave);
  const result = await sleep(milliseconds, AbortSignal.any([stop, left.signal])).then(
    () => true,
    () => false,
  );
  outgoing.off("close", leave);
  return result;
}

/** All headers, and half of the body that they promise. */
function sendHalf(reply: Reply, { outgoing }: Line): Promise<void> {
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": bodyBytes(reply).length });
  return new Promise((resolve) => {
    outgoing.write(halfOf(reply), () => resolve());
  });
}

async function drip(body: Uint8Array, reply: Reply, { outgoing, signal, dripEvery }: Line): Promise<void> {
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": body.length });
  for (const byte of body) {
    outgoing.write(Uint8Array.of(byte));
    if (!(await waited(dripEvery, outgoing, signal))) return;
  }
  outgoing.end();
}

function halfOf(reply: Reply): Uint8Array<ArrayBuffer> {
  const body = bodyBytes(reply);
  return body.slice(0, Math.floor(body.length / 2));
}
