import { type EventOf, isKind, type Trace } from "../trace.ts";
import { readHouse } from "./house.ts";
import type { OutputText } from "./house-outputs.ts";
import { onceForEach } from "./once-for-each.ts";

/** A payload that vigie has sent to a device, or tried to send. */
export interface Sending {
  /** Where it goes to, as `targetOf` has it. */
  target: string;
  how: "mqtt" | "http";
  payload: string;
  steady: number;
  /** The broker has it, as far as vigie can know, or its address has read it. */
  hasArrived: boolean;
  /** When vigie learnt that the broker has it, or that its address has taken it; null: never. */
  takenAt: number | null;
  /** When it was over for vigie: taken or not; null: the process or the connection ended before. */
  overAt: number | null;
  /** What may be tried again at any time, as it was certainly not taken, or nobody knows. */
  failure: "refused" | "not written" | "perhaps written" | null;
  /** Over HTTP. */
  status: number | null;
  retryAfter: number | null;
  /** What its `{id}` was. */
  sendingId: string | undefined;
}

/** The address refuses it, and trying again changes nothing. */
export function isRefusal(status: number | null): boolean {
  return status !== null && status >= 300 && status < 500 && !isLater(status);
}

/** The address asks to try again later. */
export function isLater(status: number | null): boolean {
  return status !== null && [408, 425, 429, 500, 502, 503, 504].includes(status);
}

/** By their target, in the order of time. */
export const readSendings = onceForEach(findSendings);

function findSendings({ events }: Trace): ReadonlyMap<string, readonly Sending[]> {
  const topics = new Set<string>();
  /** By the id of the output over HTTP. */
  const targets = new Map<string, string>();
  const sendings = new Map<string, Sending[]>();
  const overMqtt = new Map<number, Sending>();
  const overHttp = new Map<number, Sending>();
  const add = (
    sending: Pick<Sending, "target" | "how" | "payload" | "steady"> & Partial<Sending>,
  ): Sending => {
    const added: Sending = {
      hasArrived: false,
      takenAt: null,
      overAt: null,
      failure: null,
      status: null,
      retryAfter: null,
      sendingId: undefined,
      ...sending,
    };
    const list = sendings.get(added.target);
    if (list) list.push(added);
    else sendings.set(added.target, [added]);
    return added;
  };
  for (const event of events) {
    const { steady } = event;
    if (isKind(event, "start", "reload"))
      for (const output of readHouse(event.yaml).outputs)
        if (output.to.kind === "mqtt") topics.add(output.to.topic);
        else targets.set(output.id, targetOf(output));
    if (isKind(event, "published") && topics.has(event.topic)) {
      const { id, topic, payload } = event;
      overMqtt.set(id, add({ target: topic, how: "mqtt", payload, steady, hasArrived: true }));
    }
    if (isKind(event, "refused") && topics.has(event.topic)) {
      const { id, topic, payload, isSaid } = event;
      const sending = { target: topic, how: "mqtt", payload, steady } as const;
      if (isSaid) add({ ...sending, overAt: steady, failure: "refused" });
      else overMqtt.set(id, add({ ...sending, hasArrived: true }));
    }
    if (isKind(event, "acknowledged")) {
      const sending = overMqtt.get(event.id);
      if (sending) Object.assign(sending, { takenAt: steady, overAt: steady });
    }
    if (isKind(event, "web request") && event.what === "sending") {
      const { id, output, payload, sendingId } = event;
      const target = targets.get(output) ?? output;
      overHttp.set(id, add({ target, how: "http", payload, steady, sendingId }));
    }
    if (isKind(event, "web arrival", "web answer", "web failure")) {
      const sending = overHttp.get(event.id);
      if (sending) noteWeb(sending, event);
    }
  }
  return sendings;
}

/** The topic to which an output sends. Over HTTP: with another address it is another device. */
export function targetOf({ id, to }: Pick<OutputText, "id" | "to">): string {
  return to.kind === "mqtt" ? to.topic : `${id} at ${to.url}`;
}

function noteWeb(sending: Sending, event: EventOf<"web arrival" | "web answer" | "web failure">): void {
  const { steady } = event;
  if (isKind(event, "web arrival")) {
    sending.hasArrived = true;
    return;
  }
  sending.overAt = steady;
  if (isKind(event, "web failure")) {
    sending.failure = event.wasWritten ? "perhaps written" : "not written";
    return;
  }
  const { status, retryAfter } = event;
  Object.assign(sending, { status, retryAfter });
  if (status < 300) sending.takenAt = steady;
  // A gateway that got no answer does not know, either.
  else sending.failure = status === 502 || status === 504 ? "perhaps written" : "refused";
}
