import type { Clocks } from "../calendar/clocks.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { checkReport, confirmedOutputs, type Report, takeReport } from "./device-reports.ts";
import type { Outputs } from "./output.ts";
import {
  type ConfirmedOutput,
  dropWaiting,
  type OutputsPart,
  passingOf,
  say,
  withKept,
  withPassing,
  withPassingOf,
} from "./outputs-part.ts";
import { isUnconfirmed, lastSent, recordAcknowledgement } from "./outputs-state.ts";

/** What happens to outputs from outside. Events of a connection or a message that is over change nothing. */
export type OutputsEvent =
  | { kind: "connection opened"; connection: number; version: 4 | 5 }
  | { kind: "connection lost"; connection: number }
  /** All reports have arrived that the broker held before this connection. */
  | { kind: "reports read"; connection: number }
  | ({ kind: "report" } & Report)
  /** The broker has acknowledged the message of this number. */
  | { kind: "acknowledged"; number: number }
  /** The broker has refused the message of this number; `message` says why. */
  | { kind: "refused"; number: number; message: string }
  /** The save that began when `changes` was this number is answered: it has succeeded or failed. */
  | { kind: "saved"; changes: number }
  /** What runs with this configuration ends: what the broker has is answered still, and nothing new is sent. */
  | { kind: "ending" };

interface TakeContext {
  outputs: Outputs;
}

export function takeOutputs(
  part: OutputsPart,
  event: OutputsEvent,
  at: Clocks,
  { outputs }: TakeContext,
): OutputsPart {
  switch (event.kind) {
    case "connection opened":
      return openConnection(part, event, at, outputs);
    case "connection lost":
      return part.passing.connection?.number === event.connection ? loseConnection(part) : part;
    case "reports read":
      return noteReportsRead(part, event.connection);
    case "report":
      return takeReport(part, event, outputs);
    case "acknowledged":
      return takeAcknowledgement(part, event.number, at, outputs);
    case "refused":
      return takeRefusal(part, event, at, outputs);
    case "saved":
      return noteSaved(part, event.changes);
    case "ending":
      return part.passing.isEnding ? part : withPassing(endAll(part, "waiting"), { isEnding: true });
  }
}

function openConnection(
  before: OutputsPart,
  { connection: number, version }: OutputsEvent & { kind: "connection opened" },
  at: Clocks,
  outputs: Outputs,
): OutputsPart {
  if (before.passing.connection && before.passing.connection.number >= number) return before;
  let part = withPassing(loseConnection(before), {
    connection: { number, version, areReportsRead: false },
    retainedReports: new Map(),
  });
  for (const topic of part.passing.byTopic.keys()) part = withPassingOf(part, topic, { refusal: null });
  for (const output of confirmedOutputs(outputs)) part = startRepetition(part, output, at);
  return part;
}

/** What the broker has not acknowledged may have arrived or not: it stays in `kept` as it is, and is due again. */
function loseConnection(part: OutputsPart): OutputsPart {
  return withPassing(endAll(part, "all"), { connection: null });
}

/** Ends repetitions, and what was chosen and not given to the broker; `all`: also what was given to it. */
function endAll(before: OutputsPart, which: "waiting" | "all"): OutputsPart {
  let part = before;
  for (const [topic, { underWay }] of before.passing.byTopic) {
    if (underWay?.stage === "waiting for the save") part = dropWaiting(part, underWay);
    else if (which === "all") part = withPassingOf(part, topic, { underWay: null });
    part = withPassingOf(part, topic, { repetition: null });
  }
  return part;
}

function noteReportsRead(part: OutputsPart, number: number): OutputsPart {
  const { connection } = part.passing;
  if (connection?.number !== number || connection.areReportsRead) return part;
  return withPassing(part, { connection: { ...connection, areReportsRead: true } });
}

function takeAcknowledgement(before: OutputsPart, number: number, at: Clocks, outputs: Outputs): OutputsPart {
  const given = findGiven(before, number);
  if (!given) return before;
  const { due, send } = given;
  const { topic, payload } = due;
  let part = withPassingOf(before, topic, { underWay: null });
  const output = confirmedOutputs(outputs).find((one) => one.topic === topic);
  if (!send) return output ? repeatLater(part, output, at) : part;
  part = withPassingOf(part, topic, { refusal: null });
  part = say(part, {
    level: "info",
    sentence: `Sent ${quotePayload(payload)} to ${send.device}: ${send.because}`,
  });
  part = say(part, {
    problem: `output ${topic}`,
    isOver: `The broker accepts messages to ${topic} again`,
  });
  part = withKept(part, recordAcknowledgement(part.kept, topic, payload), "now");
  if (!output) return part;
  const report = part.passing.retainedReports.get(output.confirm.topic);
  if (report !== undefined) part = checkReport(part, output, { payload: report, isFromBefore: true });
  return startRepetition(part, output, at);
}

/** It is sent again after a while, on the next connection, or when another payload was due meanwhile. */
function takeRefusal(
  before: OutputsPart,
  { number, message }: { number: number; message: string },
  at: Clocks,
  outputs: Outputs,
): OutputsPart {
  const given = findGiven(before, number);
  if (!given) return before;
  const { topic, payload } = given.due;
  const part = withPassingOf(before, topic, { underWay: null });
  if (!given.send) {
    const output = confirmedOutputs(outputs).find((one) => one.topic === topic);
    // The broker may take the next repetition.
    return output ? repeatLater(part, output, at) : part;
  }
  const refusal = { payload, repeatAt: at.steady + REFUSED_REPEATED_AFTER };
  return say(withPassingOf(part, topic, { refusal }), {
    problem: `output ${topic}`,
    starts: `${message}; ${quotePayload(payload)} was not sent`,
  });
}

function findGiven({ passing }: OutputsPart, number: number) {
  for (const { underWay } of passing.byTopic.values())
    if (underWay?.stage === "given to the broker" && underWay.due.number === number) return underWay;
  return undefined;
}

function noteSaved(before: OutputsPart, changes: number): OutputsPart {
  let part = before;
  for (const [topic, { underWay }] of before.passing.byTopic) {
    if (underWay?.stage !== "waiting for the save" || underWay.isSaved || underWay.change > changes) continue;
    part = withPassingOf(part, topic, { underWay: { ...underWay, isSaved: true } });
  }
  return part;
}

/**
 * Only what its device has not confirmed is repeated. A payload that was confirmed once is not: if somebody switches the device
 * by hand afterwards, vigie does not switch it back.
 */
function startRepetition(part: OutputsPart, { topic, confirm }: ConfirmedOutput, at: Clocks): OutputsPart {
  const sent = lastSent(part.kept, topic);
  if (!sent || !isUnconfirmed(sent) || !part.passing.connection || part.passing.isEnding) return part;
  const repetition = { since: at.steady, times: 1, next: at.steady + confirm.every };
  return withPassingOf(part, topic, { repetition });
}

function repeatLater(part: OutputsPart, { topic, confirm }: ConfirmedOutput, at: Clocks): OutputsPart {
  const { repetition } = passingOf(part, topic);
  if (!repetition) return part;
  return withPassingOf(part, topic, { repetition: { ...repetition, next: at.steady + confirm.every } });
}

const REFUSED_REPEATED_AFTER = 10 * 60_000;
