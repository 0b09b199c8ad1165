import type { Instant } from "../calendar/tariff.ts";
import type { Output } from "./output.ts";

/** A payload that has to go out now, once: the number stands for it when it was answered. */
export interface DueSend {
  number: number;
  /** The id of the output. */
  output: string;
  payload: string;
  by: ByMqtt | ByHttp;
}

interface ByMqtt {
  kind: "mqtt";
  /** The number of the connection over which it goes. */
  connection: number;
  topic: string;
  qos: 0 | 1 | 2;
  retain: boolean;
}

interface ByHttp {
  kind: "http";
  /** What `{id}` stands for: the same for all tries of one message. */
  id: string;
}

/** What was given out, and is not answered. */
export interface Flight {
  due: DueSend;
  /** When it was given out, by the steady clock. */
  since: number;
}

/** A device that has to be asked for its state now, once: the number stands for the question when it was answered. */
export interface DueQuestion {
  number: number;
  /** The id of the output. */
  output: string;
}

/** `begun`: when it was chosen. null: the broker is away. */
export function wayTo(
  { id, to }: Output,
  { begun, connection }: { begun: Instant; connection: number | null },
): DueSend["by"] | null {
  if (to.kind === "http") return { kind: "http", id: `${id}-${begun}` };
  const { topic, qos, retain } = to;
  return connection === null ? null : { kind: "mqtt", connection, topic, qos, retain };
}
