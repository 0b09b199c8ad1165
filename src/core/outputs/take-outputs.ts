import type { Clocks } from "../calendar/clocks.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { MESSAGE_TRIES } from "./choose-outputs.ts";
import {
  doubtDevices,
  forgetPresence,
  judge,
  noteReport,
  type Report,
  takeReport,
} from "./device-reports.ts";
import { describeOutput, describeTaken, type Output, type Outputs } from "./output.ts";
import {
  dropWaiting,
  type GivenSend,
  hasConfirm,
  type OutputsPart,
  type PassingOutput,
  passingOf,
  type Retry,
  say,
  waitingSends,
  withKept,
  withPassing,
  withPassingOf,
} from "./outputs-part.ts";
import { lastSent, recordAcknowledgement, recordDelivery, recordOf } from "./outputs-state.ts";
import { PAUSE } from "./tell-devices.ts";

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
      return takeCutOff(part, event, outputs);
    case "answer":
      return takeAnswer(part, event, at, outputs);
    case "no answer":
      return takeNoAnswer(part, event);
    case "saved":
      return noteSaved(part, event.changes);
    case "ending":
      return part.passing.isEnding ? part : withPassing(endWaiting(part), { isEnding: true });
  }
}

function openConnection(
  before: OutputsPart,
  { connection: number, version }: OutputsEvent & { kind: "connection opened" },
  at: Clocks,
  outputs: Outputs,
): OutputsPart {
  if (before.passing.connection && before.passing.connection.number >= number) return before;
  let part = withPassing(loseConnection(before, at, outputs), {
    connection: {
      number,
      version,
      areReportsRead: false,
      isDoubtful: number > 1 || before.passing.isAfterCrash,
    },
    reports: { ...before.passing.reports, retained: new Map() },
  });
  part = forgetPresence(part, outputs, at);
  for (const { key, message } of overMqtt(outputs))
    if (!message) part = withPassingOf(part, key, { retry: null });
  return part;
}

/** What the broker has not acknowledged may have arrived or not: it stays in `kept` as it is, and is due again. */
function loseConnection(before: OutputsPart, at: Clocks, outputs: Outputs): OutputsPart {
  let part = before;
  for (const output of overMqtt(outputs)) {
    const { key, message } = output;
    const { underWay } = passingOf(part, key);
    if (underWay?.stage === "waiting for the save") part = dropWaiting(part, underWay);
    part = withPassingOf(part, key, { underWay: null });
    // A message may have arrived, and a connection may come and go: it is not sent again at once.
    if (message && underWay?.stage === "given") {
      part = noteArrival(part, output, "now");
      part = withPassingOf(part, key, {
        retry: nextTry(part, output, underWay.due.payload, { kind: "unanswered" }, at),
      });
    }
  }
  for (const { key, confirm } of outputs.list) {
    if (confirm?.from.kind !== "mqtt") continue;
    const { turning, awaitedSince, awaitedFor } = passingOf(part, key);
    // What the device does else counts; that it does what it was told again cannot be followed.
    const still = turning?.to === "contrary" ? turning : null;
    const repeatedFor = awaitedSince === null ? awaitedFor : at.steady - awaitedSince;
    // On each connection it has the time for some tries.
    const most = Math.max(0, confirm.for - 3 * confirm.every);
    part = withPassingOf(part, key, {
      awaitedSince: null,
      awaitedFor: Math.min(repeatedFor, most),
      turning: still,
    });
  }
  return withPassing(part, { connection: null });
}

function overMqtt({ list }: Outputs): Output[] {
  return list.filter(({ to }) => to.kind === "mqtt");
}

/** Ends what was chosen and not given out. */
function endWaiting(before: OutputsPart): OutputsPart {
  let part = before;
  for (const waiting of waitingSends(before)) part = dropWaiting(part, waiting);
  return part;
}

function noteReportsRead(part: OutputsPart, number: number, at: Clocks, outputs: Outputs): OutputsPart {
  const { connection } = part.passing;
  if (connection?.number !== number || connection.areReportsRead) return part;
  const read = withPassing(part, { connection: { ...connection, areReportsRead: true } });
  return connection.isDoubtful ? doubtDevices(read, outputs, at) : read;
}

function takeAcknowledgement(before: OutputsPart, number: number, at: Clocks, outputs: Outputs): OutputsPart {
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
  const isOver = { problem: `output ${key}`, isOver: describeTaken(output) };
  if (!given.send) return hadFailed ? say(part, isOver) : part;
  part = say(part, {
    level: "info",
    sentence: `Sent ${quotePayload(payload)} to ${describeOutput(output)}: ${given.send.because}`,
  });
  part = say(part, isOver);
  part = withKept(part, recordAcknowledgement(part.kept, key, payload), "now");
  if (output.message)
    return withKept(noteArrival(part, output, "now"), recordDelivery(part.kept, key, at.now), "now");
  if (!hasConfirm(output) || output.confirm.from.kind !== "mqtt") return part;
  const report = part.passing.reports.retained.get(output.confirm.from.topic);
  return report === undefined
    ? part
    : judge(part, output, { payload: report, isFromBefore: true, isReturn: false }, at);
}

type NotTaken = OutputsEvent & { kind: "refused" | "unanswered" };

function takeNotTaken(before: OutputsPart, event: NotTaken, at: Clocks, outputs: Outputs): OutputsPart {
  const found = findGiven(before, event.number, outputs);
  if (!found) return before;
  const { output, given } = found;
  const { key } = output;
  const isPaused = event.kind === "refused" && !given.send;
  const wait = event.kind === "unanswered" ? event.retryAfter : isPaused ? PAUSE : null;
  const notBefore = wait === null ? null : at.steady + wait;
  const part = withPassingOf(before, key, { underWay: null, sentAt: at.steady, notBefore });
  if (given.send && !hasArrived(part, given)) return tryLater(part, output, event, at);
  const told = event.kind === "unanswered" && event.mayHaveArrived ? part : notTold(part, before, key);
  const failed = withPassingOf(told, key, { tellingFailure: event.message });
  return isPaused
    ? say(failed, { problem: `output ${key}`, starts: nameRefusal(output, event.message) })
    : failed;
}

/** Only what may have arrived is a telling: that something switches the device back must not be said of others. */
function notTold(part: OutputsPart, before: OutputsPart, key: string): OutputsPart {
  const { told, sentAt } = passingOf(before, key);
  if (told.at(-1) !== sentAt) return part;
  const kept = recordOf(part.kept, key, { told: lastSent(part.kept, key)?.told.slice(0, -1) ?? [] });
  return withKept(withPassingOf(part, key, { told: told.slice(0, -1) }), kept, "with the next save");
}

/** A device or a service that is away is tried again, at first often; one that refuses every ten minutes. */
function tryLater(before: OutputsPart, output: Output, event: NotTaken, at: Clocks): OutputsPart {
  const { key } = output;
  const isRefused = event.kind === "refused";
  const part = !isRefused && event.mayHaveArrived ? noteArrival(before, output, "now") : before;
  const { payload = "", tries = 0 } = lastSent(part.kept, key) ?? {};
  const isGivenUp = !isRefused && output.message && tries >= MESSAGE_TRIES;
  const retry = isGivenUp ? null : nextTry(part, output, payload, event, at);
  const then = retry?.isProblem ? "It is sent again every ten minutes" : "It is sent again";
  const notTaken = `${describeOutput(output)} did not take ${quotePayload(payload)}: ${event.message}`;
  const tried = retry ? `${notTaken}. ${then}` : describeGivenUp(output, payload);
  const starts = isRefused
    ? `${nameRefusal(output, event.message)}; ${quotePayload(payload)} was not sent`
    : tried;
  return say(withPassingOf(part, key, { retry, questions: 0 }), { problem: `output ${key}`, starts });
}

/** Several devices may be at one address. What a broker refuses has its topic. */
function nameRefusal({ name, to }: Output, message: string): string {
  return to.kind === "http" ? `${name.en}: ${message}` : message;
}

function describeGivenUp(output: Output, payload: string): string {
  return `${describeOutput(output)} has not said whether it took ${quotePayload(payload)}. It was sent ${MESSAGE_TRIES} times, and may have arrived`;
}

function nextTry(
  part: OutputsPart,
  { key, message, confirm }: Output,
  payload: string,
  event: Pick<NotTaken, "kind"> & { retryAfter?: number | null; isBusy?: boolean; mayHaveArrived?: boolean },
  at: Clocks,
): Retry {
  const { retry: last } = passingOf(part, key);
  const isRefused = event.kind === "refused";
  const since = last?.payload === payload && !isRefused ? last.since : at.steady;
  const { every, for: length } = confirm ?? USUAL;
  // Nobody is troubled by a message that finds no way to its service.
  const isPatient = message && event.isBusy !== true;
  const isProblem = isRefused || (!isPatient && at.steady - since >= length);
  const wait = Math.max(isProblem ? PAUSE : every, event.retryAfter ?? 0);
  const { mayHaveArrived = false } = event;
  return { payload, since, at: at.steady + wait, isProblem, mayHaveArrived };
}

/** The device has reported what is expected meanwhile: it has the payload, and only the answer was lost. */
function hasArrived({ kept }: OutputsPart, { send }: GivenSend): boolean {
  return send !== null && lastSent(kept, send.key)?.acknowledged === true;
}

/** What was not written is sent at the next start as if nothing had happened. */
function takeCutOff(
  before: OutputsPart,
  { number, mayHaveArrived }: OutputsEvent & { kind: "cut off" },
  outputs: Outputs,
): OutputsPart {
  const found = findGiven(before, number, outputs);
  if (!found) return before;
  const { output } = found;
  const part = withPassingOf(before, output.key, { underWay: null });
  if (!mayHaveArrived) return part;
  const arrived = noteArrival(part, output, "with the next save");
  const { tries = 0, payload = "" } = lastSent(arrived.kept, output.key) ?? {};
  const isGivenUp = output.message && tries >= MESSAGE_TRIES;
  return isGivenUp
    ? say(arrived, { problem: `output ${output.key}`, starts: describeGivenUp(output, payload) })
    : arrived;
}

/** Of a message only the tries count that may have arrived: a person reads each. */
function noteArrival(
  part: OutputsPart,
  { key, message }: Output,
  saved: "now" | "with the next save",
): OutputsPart {
  const { tries = 0 } = lastSent(part.kept, key) ?? {};
  return message ? withKept(part, recordOf(part.kept, key, { tries: tries + 1 }), saved) : part;
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

function findGiven({ passing }: OutputsPart, number: number, outputs: Outputs) {
  for (const output of outputs.list) {
    const underWay: PassingOutput["underWay"] = passing.byKey.get(output.key)?.underWay ?? null;
    if (underWay?.stage === "given" && underWay.due.number === number) return { output, given: underWay };
  }
  return undefined;
}

function noteSaved(before: OutputsPart, changes: number): OutputsPart {
  let part = before;
  for (const [key, { underWay }] of before.passing.byKey) {
    if (underWay?.stage !== "waiting for the save" || underWay.isSaved || underWay.change > changes) continue;
    part = withPassingOf(part, key, { underWay: { ...underWay, isSaved: true } });
  }
  return part;
}

/** Milliseconds, of an output without `confirm`. */
const USUAL = { every: 30_000, for: 3_600_000 };
