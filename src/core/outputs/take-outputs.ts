import type { Clocks } from "../calendar/clocks.ts";
import { withDue } from "./decide-message.ts";
import {
  doubtDevices,
  forgetPresence,
  judge,
  noteLastReports,
  noteReport,
  type Report,
  takeReport,
} from "./device-reports.ts";
import { isSuspect } from "./flights.ts";
import { mapRecords } from "./message.ts";
import { noteFailed, noteTaken, noteWithdrawn } from "./message-machine.ts";
import {
  describeNotTaken,
  type Failure,
  isOverMqtt,
  nextRetry,
  PAUSE,
  pauseOf,
  problemOf,
  sayNotTaken,
  saySent,
  sayTaken,
} from "./not-taken.ts";
import { type Output, type Outputs, placeOf } from "./output.ts";
import {
  confirmingOutputs,
  dropWaiting,
  type GivenSend,
  hasConfirm,
  messageOf,
  type OutputsPart,
  type PassingOutput,
  passingOf,
  say,
  waitingSends,
  withKept,
  withMessage,
  withPassing,
  withPassingMessage,
  withPassingOf,
} from "./outputs-part.ts";
import { lastSent, recordAcknowledgement, recordOf } from "./outputs-state.ts";

/** What happens to outputs from outside. Events of a connection or a message that is over change nothing. */
export type OutputsEvent =
  | { kind: "connection opened"; connection: number; version: 4 | 5 }
  | { kind: "connection lost"; connection: number }
  /** All reports have arrived that the broker held before this connection. */
  | { kind: "reports read"; connection: number }
  | ({ kind: "report" } & Report)
  /** The broker has acknowledged the message of this number, or its address has answered with a status of success. */
  | { kind: "acknowledged"; number: number }
  /** The broker or the address has refused the message of this number; `message` says why. */
  | { kind: "refused"; number: number; message: string }
  /**
   * The address gave no answer, or one that means "later"; `mayHaveArrived`: the message was written and nothing was answered;
   * `retryAfter`: how many milliseconds it asked vigie to wait, null if it did not say.
   */
  | {
      kind: "unanswered";
      number: number;
      message: string;
      mayHaveArrived: boolean;
      retryAfter: number | null;
      /** There was an answer, which means "later". */
      isBusy?: boolean;
    }
  /** What runs with this configuration ends, and with it the sending of this number. */
  | { kind: "cut off"; number: number; mayHaveArrived: boolean }
  /** The device answered the question of this number; `payload`: the whole answer. */
  | { kind: "answer"; number: number; payload: string }
  /** The device gave no answer to the question of this number, or none that can be used; `message` says why. */
  | { kind: "no answer"; number: number; message: string }
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
      return part.passing.connection?.number === event.connection ? loseConnection(part, at, outputs) : part;
    case "reports read":
      return noteReportsRead(part, event.connection, at, outputs);
    case "report":
      return takeReport(part, event, at, outputs);
    case "acknowledged":
      return takeAcknowledgement(part, event.number, at, outputs);
    case "refused":
    case "unanswered":
      return takeNotTaken(part, event, at, outputs);
    case "cut off":
      return takeCutOff(part, event, at, outputs);
    case "answer":
      return takeAnswer(part, event, at, outputs);
    case "no answer":
      return takeNoAnswer(part, event);
    case "saved":
      return noteSaved(part, event.changes);
    case "ending":
      return part.passing.isEnding
        ? part
        : noteLastReports(withPassing(endWaiting(part), { isEnding: true }), outputs, at);
  }
}

function openConnection(
  before: OutputsPart,
  { connection: number, version }: OutputsEvent & { kind: "connection opened" },
  at: Clocks,
  outputs: Outputs,
): OutputsPart {
  if (before.passing.connection && before.passing.connection.number >= number) return before;
  // Before the first connection there is nothing to lose, and what a start has resumed goes on.
  let part = withPassing(before.passing.connection ? loseConnection(before, at, outputs) : before, {
    connection: {
      number,
      version,
      since: at.steady,
      areReportsRead: false,
      isDoubtful: number > 1 || before.passing.isAfterCrash,
    },
    reports: { ...before.passing.reports, retained: new Map() },
  });
  part = forgetPresence(part, outputs, at);
  for (const { key, message } of overMqtt(outputs)) {
    const { retry } = passingOf(part, key);
    // An access list may have been corrected. What was lost with a connection may end this one, too.
    if (message || isSuspect(passingOf(part, key))) continue;
    part = withPassingOf(part, key, {
      notBefore: null,
      ...(retry && { retry: { ...retry, at: at.steady } }),
    });
  }
  return part;
}

/** What the broker has not acknowledged may have arrived or not. The connection may end because of it, so it is not sent again at once. */
function loseConnection(before: OutputsPart, at: Clocks, outputs: Outputs): OutputsPart {
  let part = overMqtt(outputs).reduce((next, output) => loseUnderWay(next, output, at), before);
  for (const output of confirmingOutputs(outputs)) {
    const { key, confirm } = output;
    if (!isOverMqtt(output) && confirm.from.kind === "http") continue;
    const { turning, awaitedSince, awaitedFor } = passingOf(part, key);
    // What the device does else counts; that it does what it was told again cannot be followed, unless it is asked over HTTP.
    const still = turning?.to === "contrary" || confirm.from.kind === "http" ? turning : null;
    const repeatedFor = awaitedSince === null ? awaitedFor : at.steady - awaitedSince;
    part = withPassingOf(part, key, { awaitedSince: null, awaitedFor: repeatedFor, turning: still });
  }
  return withPassing(part, { connection: null });
}

function loseUnderWay(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  if (messageOf(part, output.key).passing.inFlight) return loseMessage(part, output, at);
  const { underWay } = passingOf(part, output.key);
  if (underWay?.stage === "waiting for the save") return dropWaiting(part, underWay);
  return underWay ? loseSending(part, output, underWay, at) : part;
}

function loseSending(before: OutputsPart, output: Output, given: GivenSend, at: Clocks): OutputsPart {
  const { key } = output;
  // vigie itself ends the connection or the request then.
  if (before.passing.isEnding) return withPassingOf(before, key, { underWay: null });
  const why = `the connection to the broker ended before this was acknowledged. If that happens each time, the broker may end it because vigie may not publish to ${placeOf(output)}: check its access list`;
  return failSending(before, { output, given }, { ...FAILED, mayHaveArrived: true, why }, at);
}

function loseMessage(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  return failMessage(part, output, { ...FAILED, mayHaveArrived: true, isLost: true }, at);
}

function failMessage(
  part: OutputsPart,
  output: Output,
  failure: Failure & { isLost?: boolean },
  at: Clocks,
): OutputsPart {
  const step = noteFailed(messageOf(part, output.key), output, failure, at);
  return withMessage(part, output, step, at);
}

function overMqtt({ list }: Outputs): Output[] {
  return list.filter(isOverMqtt);
}

/** Ends what was chosen and not given out. */
function endWaiting(before: OutputsPart): OutputsPart {
  let part = before;
  for (const waiting of waitingSends(before)) part = dropWaiting(part, waiting);
  const messages = mapRecords(part.kept.messages, (one, key) =>
    messageOf(before, key).passing.inFlight ? one : withDue(one, null),
  );
  return { ...part, kept: { ...part.kept, messages } };
}

function noteReportsRead(part: OutputsPart, number: number, at: Clocks, outputs: Outputs): OutputsPart {
  const { connection } = part.passing;
  if (connection?.number !== number || connection.areReportsRead) return part;
  const read = withPassing(part, { connection: { ...connection, areReportsRead: true } });
  return connection.isDoubtful ? doubtDevices(read, outputs, at) : read;
}

function takeAcknowledgement(before: OutputsPart, number: number, at: Clocks, outputs: Outputs): OutputsPart {
  const ofMessage = findMessage(before, number, outputs);
  if (ofMessage) {
    const { key } = ofMessage;
    return withMessage(before, ofMessage, noteTaken(messageOf(before, key), ofMessage, at), at);
  }
  const found = findGiven(before, number, outputs);
  if (!found) return before;
  const { output, given } = found;
  const { key } = output;
  const { payload } = given.due;
  const taken = {
    underWay: null,
    retry: null,
    sentAt: at.steady,
    questions: 0,
    notBefore: null,
    tellingFailure: null,
  };
  const hadFailed = passingOf(before, key).tellingFailure !== null;
  let part = withPassingOf(before, key, taken);
  if (!given.send) return hadFailed ? say(part, sayTaken(output)) : part;
  part = saySent(output, payload, given.send.because).reduce(say, part);
  part = withKept(part, recordAcknowledgement(part.kept.devices, key, payload), "now");
  if (!hasConfirm(output) || output.confirm.from.kind !== "mqtt") return part;
  const report = part.passing.reports.retained.get(output.confirm.from.topic);
  return report === undefined
    ? part
    : judge(part, output, { payload: report, isFromBefore: true, isReturn: false }, at);
}

type NotTaken = OutputsEvent & { kind: "refused" | "unanswered" };

function takeNotTaken(before: OutputsPart, event: NotTaken, at: Clocks, outputs: Outputs): OutputsPart {
  const failure = failureOf(event);
  const ofMessage = findMessage(before, event.number, outputs);
  if (ofMessage) return failMessage(before, ofMessage, failure, at);
  const found = findGiven(before, event.number, outputs);
  return found ? failSending(before, found, failure, at) : before;
}

function failSending(
  before: OutputsPart,
  { output, given }: { output: Output; given: GivenSend },
  failure: Failure,
  at: Clocks,
): OutputsPart {
  const { key } = output;
  // A broker that ends the connection at a message once more refuses it.
  const isRefused = failure.isRefused || (isOverMqtt(output) && isSuspect(passingOf(before, key)));
  const isPaused = isRefused && !given.send;
  const notBefore = isPaused ? at.steady + PAUSE : earliestAgain(failure, at);
  const part = withPassingOf(before, key, { underWay: null, sentAt: at.steady, notBefore });
  if (!given.send || hasArrived(part, given)) {
    // It is asked soon, as after a telling that was answered.
    const told = failure.mayHaveArrived
      ? withPassingOf(part, key, { questions: 0 })
      : notTold(part, before, key);
    const failed = withPassingOf(told, key, { tellingFailure: failure.why });
    const starts = describeNotTaken(output, given.due.payload, failure);
    return isPaused ? say(failed, { problem: problemOf(output), starts }) : failed;
  }
  // Its choice may have ended meanwhile. If it has begun again, what it sends is another order, which waits for nothing.
  return lastSent(part.kept.devices, key)?.stands ? tryLater(part, output, failure, at) : part;
}

function failureOf(event: NotTaken): Failure {
  const { kind, message: why } = event;
  if (kind === "refused") return { ...FAILED, why, isRefused: true };
  const { mayHaveArrived, retryAfter, isBusy = false } = event;
  return { why, isRefused: false, isBusy, mayHaveArrived, retryAfter };
}

function earliestAgain({ isRefused, retryAfter }: Failure, { steady }: Clocks): number | null {
  if (isRefused) return steady + PAUSE;
  return retryAfter === null ? null : steady + retryAfter;
}

/** Only what may have arrived is a telling: that something switches the device back must not be said of others. */
function notTold(part: OutputsPart, before: OutputsPart, key: string): OutputsPart {
  const { told, sentAt } = passingOf(before, key);
  if (told.at(-1) !== sentAt) return part;
  const kept = recordOf(part.kept.devices, key, {
    told: lastSent(part.kept.devices, key)?.told.slice(0, -1) ?? [],
  });
  return withKept(withPassingOf(part, key, { told: told.slice(0, -1) }), kept, "with the next save");
}

/** A device that is away is tried again, at first often; one that refuses every ten minutes. */
function tryLater(part: OutputsPart, output: Output, failure: Failure, at: Clocks): OutputsPart {
  const { key, confirm } = output;
  const { payload = "" } = lastSent(part.kept.devices, key) ?? {};
  const { retry: last } = passingOf(part, key);
  const { every, for: slowAfter } = confirm ?? USUAL;
  const usual = (triedFor: number) => pauseOf(output, every, triedFor);
  const before = last?.payload === payload ? last : null;
  const retry = { ...nextRetry(before, failure, { usual, slowAfter }, at), payload };
  const tried = withPassingOf(part, key, { retry, questions: 0 });
  return say(tried, sayNotTaken(output, payload, { failure, isSlow: retry.isSlow }));
}

/** The device has reported what is expected meanwhile: it has the payload, and only the answer was lost. */
function hasArrived({ kept }: OutputsPart, { send }: GivenSend): boolean {
  return send !== null && lastSent(kept.devices, send.key)?.acknowledged === true;
}

/** What was not written is sent at the next start as if nothing had happened. */
function takeCutOff(
  before: OutputsPart,
  { number, mayHaveArrived }: OutputsEvent & { kind: "cut off" },
  at: Clocks,
  outputs: Outputs,
): OutputsPart {
  const ofMessage = findMessage(before, number, outputs);
  if (ofMessage)
    return mayHaveArrived
      ? loseMessage(before, ofMessage, at)
      : withMessage(before, ofMessage, noteWithdrawn(messageOf(before, ofMessage.key)), at);
  const found = findGiven(before, number, outputs);
  if (!found) return before;
  const { output, given } = found;
  return mayHaveArrived
    ? loseSending(before, output, given, at)
    : withPassingOf(before, output.key, { underWay: null });
}

function takeAnswer(
  before: OutputsPart,
  { number, payload }: OutputsEvent & { kind: "answer" },
  at: Clocks,
  outputs: Outputs,
): OutputsPart {
  const output = outputs.list.find(({ key }) => passingOf(before, key).question?.number === number);
  if (!output || !hasConfirm(output)) return before;
  const part = withPassingOf(before, output.key, { question: null, failure: null });
  return noteReport(part, output, { payload, isFromBefore: false }, at);
}

function takeNoAnswer(part: OutputsPart, event: OutputsEvent & { kind: "no answer" }): OutputsPart {
  const [key] = [...part.passing.byKey].find(([, { question }]) => question?.number === event.number) ?? [];
  return key === undefined ? part : withPassingOf(part, key, { question: null, failure: event.message });
}

/** The output whose message was given out with this number. */
function findMessage(part: OutputsPart, number: number, { list }: Outputs): Output | undefined {
  return list.find(
    ({ key, message }) => message && messageOf(part, key).passing.inFlight?.due.number === number,
  );
}

function findGiven({ passing }: OutputsPart, number: number, outputs: Outputs) {
  for (const output of outputs.list) {
    const underWay: PassingOutput["underWay"] = passing.byKey.get(output.key)?.underWay ?? null;
    if (underWay?.stage === "given" && underWay.due.number === number) return { output, given: underWay };
  }
  return undefined;
}

function noteSaved(before: OutputsPart, changes: number): OutputsPart {
  let part = before;
  for (const [key, { unsaved }] of before.passing.messages)
    if (unsaved && unsaved.change <= changes) part = withPassingMessage(part, key, { unsaved: null });
  for (const [key, { underWay }] of before.passing.byKey) {
    if (underWay?.stage !== "waiting for the save" || underWay.isSaved || underWay.change > changes) continue;
    part = withPassingOf(part, key, { underWay: { ...underWay, isSaved: true } });
  }
  return part;
}

/** Milliseconds, of an output without `confirm`. */
const USUAL = { every: 30_000, for: 3_600_000 };
const FAILED: Failure = {
  why: "",
  isRefused: false,
  isBusy: false,
  mayHaveArrived: false,
  retryAfter: null,
};
