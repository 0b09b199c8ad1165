import type { LogLine } from "../log/log-line.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { type BothVerdicts, payloadHeldBack, type Send } from "./choose-outputs.ts";
import type { Confirmation, Output, Outputs } from "./output.ts";
import { type OutputStatus, outputStatus } from "./output-status.ts";
import { lastSent, type OutputsState, type Sent, withoutSending } from "./outputs-state.ts";

/**
 * What vigie knows of its outputs. `takeOutputs` follows what happens, `settleOutputs` decides; each returns the same object if
 * nothing has changed. There is no queue: payloads are chosen anew each time, by comparison with what the broker has
 * acknowledged. So a payload that was in force only while the broker was away is never sent late.
 */
export interface OutputsPart {
  /** What the state file holds. */
  kept: OutputsState;
  /** What ends with the process, and with a configuration. */
  passing: PassingOutputs;
}

interface PassingOutputs {
  /** The newest; null: none is open. */
  connection: OutputsConnection | null;
  byTopic: ReadonlyMap<string, PassingOutput>;
  /** By the topic of the report. A retained report is the device's state, and holds until one follows that is not retained. */
  retainedReports: ReadonlyMap<string, string>;
  /**
   * How many changes of `kept` had to be saved at once. The caller saves when this number has grown, and posts `saved` with the
   * number that it had when the save began. Other changes of `kept` are written with the next save.
   */
  changes: number;
  /** How many payloads were given to the broker. */
  given: number;
  /** Nothing new is sent. */
  isEnding: boolean;
  /** Not logged yet; `forgetSaid` when it is. */
  said: readonly LogLine[];
}

interface OutputsConnection {
  /** Each connection has a greater number than those before. */
  number: number;
  version: 4 | 5;
  /** All reports have arrived that the broker held before this connection. */
  areReportsRead: boolean;
}

/** What passes at the topic of one output. */
export interface PassingOutput {
  /** One payload at a time for each topic, so that the last one to arrive is the one in force. */
  underWay: WaitingSend | GivenSend | null;
  refusal: Refusal | null;
  repetition: Repetition | null;
  /** What the device has reported last since the payload was sent, if that is not what is expected. */
  otherReport: string | null;
}

/** `kept` says that it is about to be sent. It is given to the broker when that is saved, if it is still wanted then. */
export interface WaitingSend {
  stage: "waiting for the save";
  send: Send;
  /** It is saved when this change is. */
  change: number;
  isSaved: boolean;
  /** By the steady clock: from then on a save counts as failed. A disk that hangs must not keep payloads back. */
  saveLimit: number;
  /** What was there before, and is again if it is not sent in the end. */
  before: Pick<PassingOutput, "repetition" | "otherReport"> & { sent: Sent | undefined };
}

/** The broker has not answered yet. */
interface GivenSend {
  stage: "given to the broker";
  due: DueSend;
  /** null: it repeats a payload that the broker has acknowledged. */
  send: Send | null;
}

/** A message that has to go out now, once: its number stands for it when the broker has answered. */
export interface DueSend extends Pick<Send, "topic" | "payload" | "qos" | "retain"> {
  number: number;
  /** The number of the connection over which it goes. */
  connection: number;
}

/** The broker refused this payload on this connection. It may take it later: its access list may be corrected. */
interface Refusal {
  payload: string;
  /** By the steady clock; null: it may be sent again now. */
  repeatAt: number | null;
}

/** A payload is sent again until its device confirms it. Instants are those of the steady clock. */
export interface Repetition {
  /** `confirm.for` counts from the connection on: before it no report could arrive. */
  since: number;
  /** How many times it was sent since then. */
  times: number;
  /** null: one is under way. */
  next: number | null;
}

export type ConfirmedOutput = Output & { confirm: Confirmation };

/** `kept`: from the state file, or from the configuration before. */
export function startOutputs(kept: OutputsState): OutputsPart {
  return {
    kept,
    passing: {
      connection: null,
      byTopic: new Map(),
      retainedReports: new Map(),
      changes: 0,
      given: 0,
      isEnding: false,
      said: [],
    },
  };
}

/** What has to be with the broker now, and is not acknowledged. The sink publishes each number once. */
export function dueSends({ passing }: OutputsPart): DueSend[] {
  return [...passing.byTopic.values()].flatMap(({ underWay }) =>
    underWay?.stage === "given to the broker" ? [underWay.due] : [],
  );
}

interface StatusContext {
  outputs: Outputs;
  /** null: nothing is decided yet. */
  verdicts: BothVerdicts | null;
  /** In a demonstration no device gets anything: what goes to its own broker is only what would be sent. */
  isDemo: boolean;
  /** An output that throws is as it was. */
  before?: readonly OutputStatus[];
  protect?: Protect;
}

/** What is known of each output, in the order of the configuration. */
export function outputStatuses(
  { kept, passing }: OutputsPart,
  { outputs, verdicts, isDemo, before = [], protect = UNPROTECTED }: StatusContext,
): OutputStatus[] {
  const statusOf = (output: Output): OutputStatus => {
    const sent = lastSent(kept, output.topic);
    const status = outputStatus(output, {
      sent,
      isRefused: passing.byTopic.get(output.topic)?.refusal != null,
      would_send: outputs.dry_when_simulated && verdicts ? payloadHeldBack(output, verdicts, sent) : null,
    });
    return isDemo && sent ? { ...status, state: "dry" as const, would_send: sent.payload } : status;
  };
  return outputs.list.flatMap((output) => {
    let status = before.find((one) => one.output.id === output.id);
    protect(`the state of output ${output.id}`, () => {
      status = statusOf(output);
    });
    return status ?? [];
  });
}

/** When time alone changes something next. What arrived by then has to be taken first: it may be a report. */
export function nextOutputBoundary({ passing }: OutputsPart): { steady?: number } {
  if (passing.isEnding) return {};
  const instants = [...passing.byTopic.values()].flatMap(({ underWay, refusal, repetition }) => [
    underWay?.stage === "waiting for the save" ? underWay.saveLimit : null,
    refusal?.repeatAt ?? null,
    repetition?.next ?? null,
  ]);
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? {} : { steady: Math.min(...known) };
}

/** After what was said is logged. */
export function forgetSaid(part: OutputsPart): OutputsPart {
  return part.passing.said.length === 0 ? part : withPassing(part, { said: [] });
}

// What follows is for the parts of this folder that change it.

export function withPassing(part: OutputsPart, change: Partial<PassingOutputs>): OutputsPart {
  return { ...part, passing: { ...part.passing, ...change } };
}

export function passingOf({ passing }: OutputsPart, topic: string): PassingOutput {
  return passing.byTopic.get(topic) ?? NOTHING_PASSES;
}

export function withPassingOf(part: OutputsPart, topic: string, change: Partial<PassingOutput>): OutputsPart {
  const byTopic = new Map(part.passing.byTopic).set(topic, { ...passingOf(part, topic), ...change });
  return withPassing(part, { byTopic });
}

export function withKept(
  part: OutputsPart,
  kept: OutputsState,
  saved: "now" | "with the next save",
): OutputsPart {
  if (kept === part.kept) return part;
  const changed = { ...part, kept };
  return saved === "now" ? withPassing(changed, { changes: part.passing.changes + 1 }) : changed;
}

export function say(part: OutputsPart, line: LogLine): OutputsPart {
  return withPassing(part, { said: [...part.passing.said, line] });
}

/** Everything is as it was before this payload was chosen: the broker never got it. */
export function dropWaiting(part: OutputsPart, { send, before }: WaitingSend): OutputsPart {
  const { sent, ...passed } = before;
  const kept = withoutSending(part.kept, send.topic, sent);
  return withKept(withPassingOf(part, send.topic, { ...passed, underWay: null }), kept, "now");
}

const NOTHING_PASSES: PassingOutput = { underWay: null, refusal: null, repetition: null, otherReport: null };
