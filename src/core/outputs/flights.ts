import type { Clocks } from "../calendar/clocks.ts";
import type { DueSend, Flight } from "./due-send.ts";
import type { PassingMessage } from "./message-machine.ts";
import type { Output } from "./output.ts";
import { messageOf, type OutputsPart, type PassingOutput, passingOf } from "./outputs-part.ts";

/** What has to be sent now, and is not acknowledged. The sinks send each number once. */
export function dueSends(part: OutputsPart): DueSend[] {
  return flightsOf(part).map(({ due }) => due);
}

interface OpenFlight extends Flight {
  /** Its last try was lost with its connection, or the broker did not let it be told again. */
  isSuspect: boolean;
}

function flightsOf({ passing }: OutputsPart): OpenFlight[] {
  const toDevices = [...passing.byKey.values()].flatMap((one) =>
    one.underWay?.stage === "given" ? [{ ...one.underWay, isSuspect: isSuspect(one) }] : [],
  );
  const ofMessages = [...passing.messages.values()].flatMap((one) =>
    one.inFlight ? [{ ...one.inFlight, isSuspect: isMessageSuspect(one) }] : [],
  );
  return [...toDevices, ...ofMessages];
}

/** Over MQTT: the last try was lost with its connection, or the broker did not let it be told again. */
export function isSuspect({ retry, tellingFailure }: PassingOutput): boolean {
  return retry?.mayHaveArrived === true || tellingFailure !== null;
}

function isMessageSuspect({ retry }: PassingMessage): boolean {
  return retry?.mayHaveArrived === true;
}

/** Whether something can be sent to it now. */
export function isReachable(part: OutputsPart, { to }: Output): boolean {
  return to.kind === "http" || part.passing.connection !== null;
}

/**
 * A broker may end the connection at a message that it forbids, and all that is in flight is lost then. So what was lost with a
 * connection goes out alone: one topic must not keep others from their devices. A broker that has not ended the connection after some
 * seconds has dropped the message or its answer, and nothing waits for that.
 */
export function isItsTurn(part: OutputsPart, { key, to, message }: Output, { steady }: Clocks): boolean {
  if (to.kind === "http") return true;
  const inFlight = flightsOf(part).filter((one) => (aloneUntil(one) ?? 0) > steady);
  const isAlone = message ? isMessageSuspect(messageOf(part, key).passing) : isSuspect(passingOf(part, key));
  return isAlone ? inFlight.length === 0 : !inFlight.some((one) => one.isSuspect);
}

/** Until when what is in flight to the broker may end the connection; null: it goes over HTTP. */
export function aloneUntil({ due, since }: Flight): number | null {
  return due.by.kind === "mqtt" ? since + ALONE : null;
}

/** null: it has passed, and something else is waited for: the broker, or a turn. */
export function later(instant: number | null, { steady }: Clocks): number | null {
  return instant !== null && instant > steady ? instant : null;
}

/** Milliseconds. */
const ALONE = 10_000;
