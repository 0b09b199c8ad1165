import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Instant } from "../core/calendar/tariff.ts";
import { deliveries, sendWhole, waited } from "./delivery.ts";
import type { FaultName, FaultSwitch } from "./faults.ts";
import { outcomes } from "./outcome.ts";
import type { Reply } from "./reply.ts";

/** How faults of the line are carried out. */
export interface Transport {
  faults: FaultSwitch;
  /** Aborts when the simulator stops. */
  signal: AbortSignal;
  /** Milliseconds until the headers of `slow`, and from byte to byte of `drip`. */
  slowFor: number;
  dripEvery: number;
  /** Seconds of `429-retry-after`. */
  retryAfter: number;
}

interface Sending {
  url: string;
  at: Instant;
  /** The number of this request. */
  turn: number;
  line: HttpBindings;
}

/**
 * Sends a reply as the faults in force want it. Faults that exclude each other take turns, request by request: first
 * what is answered (`down`, a status, another body), then how it arrives (`reset`, `truncated`, `drip`); `slow` comes
 * before any of them but `down`.
 */
export async function send(reply: Reply, sending: Sending, transport: Transport): Promise<Response> {
  const outcome = inTurn(OUTCOMES, sending.turn, transport.faults);
  const delivery = inTurn(DELIVERIES, sending.turn, transport.faults);
  const slow = transport.faults.has("slow");
  if (outcome === undefined && delivery === undefined && !slow)
    return new Response(reply.body || null, reply);
  await sendBadly(reply, { outcome, delivery, slow }, sending, transport);
  return RESPONSE_ALREADY_SENT;
}

/** Whether any fault of the line is in force: then nothing is said of caching. */
export function isDisturbed({ faults }: Transport): boolean {
  return [...OUTCOMES, ...DELIVERIES, "slow" as const].some((fault) => faults.has(fault));
}

interface Turn<T> {
  fault: T;
  round: number;
}

interface Disturbance {
  outcome: Turn<(typeof OUTCOMES)[number]> | undefined;
  delivery: Turn<(typeof DELIVERIES)[number]> | undefined;
  slow: boolean;
}

const OUTCOMES = ["down" as const, ...namesIn(outcomes)];
const DELIVERIES = namesIn(deliveries);

function namesIn<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}

function inTurn<T extends FaultName>(
  group: readonly T[],
  turn: number,
  faults: FaultSwitch,
): Turn<T> | undefined {
  const active = group.filter((fault) => faults.has(fault));
  const fault = active[turn % active.length];
  return fault && { fault, round: Math.floor(turn / active.length) };
}

async function sendBadly(
  reply: Reply,
  { outcome, delivery, slow }: Disturbance,
  { url, at, line: { incoming, outgoing } }: Sending,
  { signal, slowFor, dripEvery, retryAfter }: Transport,
): Promise<void> {
  if (outcome?.fault === "down") {
    incoming.socket.destroy();
    return;
  }
  if (slow && !(await waited(slowFor, outgoing, signal))) return;
  const said = outcome
    ? await outcomes[outcome.fault](reply, { url, at, round: outcome.round, retryAfter })
    : reply;
  if (delivery === undefined) return sendWhole(said, outgoing);
  const { socket } = incoming;
  await deliveries[delivery.fault](said, { socket, outgoing, signal, dripEvery, round: delivery.round });
}
