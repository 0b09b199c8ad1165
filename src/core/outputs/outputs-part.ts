import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { LogLine } from "../log/log-line.ts";
import type { DueQuestion, Flight } from "./due-send.ts";
import { messagesAt } from "./message.ts";
import {
  type MessageMachine,
  type MessageStep,
  NO_MESSAGE_PASSES,
  type PassingMessage,
} from "./message-machine.ts";
import type { Retry } from "./not-taken.ts";
import type { Confirmation, Output, Outputs } from "./output.ts";
import type { OutputsKept } from "./outputs-kept.ts";
import {
  type DevicesState,
  lastSent,
  type Sending,
  type Sent,
  withAway,
  withChange,
  withoutSending,
} from "./outputs-state.ts";

/**
 * What vigie knows of its outputs. `takeOutputs` follows what happens, `settleOutputs` decides; each returns the same object if
 * nothing has changed. There is no queue: payloads are chosen anew each time, by comparison with what the broker or the address
 * has acknowledged. So a payload that was in force only while the broker was away is never sent late.
 */
export interface OutputsPart {
  /** What the state file holds. */
  kept: OutputsKept;
  /** What ends with the process, and with a configuration. */
  passing: PassingOutputs;
}

interface PassingOutputs {
  /** The newest to the broker; null: none is open. */
  connection: OutputsConnection | null;
  /** Of devices, by the key of the output. */
  byKey: ReadonlyMap<string, PassingOutput>;
  /** By the key of the output. */
  messages: ReadonlyMap<string, PassingMessage>;
  /** vigie did not end in order: the power of the building may have failed. */
  isAfterCrash: boolean;
  /** What devices say. A report by which nothing changes is no reason for a look: some devices report each second. */
  reports: Reports;
  /**
   * How many changes of `kept` had to be saved at once. The caller saves when this number has grown, and posts `saved` with the
   * number that it had when the save began. Other changes of `kept` are written with the next save.
   */
  changes: number;
  /** How many payloads were given out, and how many questions asked. */
  given: number;
  /** When time alone changes something of what is sent, by the steady clock; infinite: never. */
  wakeAt: number;
  /** Nothing new is sent. */
  isEnding: boolean;
  /** Not logged yet; `forgetSaid` when it is. */
  said: readonly LogLine[];
}

interface OutputsConnection {
  /** Each connection has a greater number than those before. */
  number: number;
  version: 4 | 5;
  /** By the steady clock. */
  since: number;
  /** All reports have arrived that the broker held before this connection. */
  areReportsRead: boolean;
  /** The power of the building may have failed before: what devices do now is not known. */
  isDoubtful: boolean;
}

interface Reports {
  /** By the key of the output. */
  byKey: ReadonlyMap<string, ReportsOfDevice>;
  /** By the topic of the report. A retained report is the device's state, and holds until one follows that is not retained. */
  retained: ReadonlyMap<string, string>;
}

/** Instants are those of the steady clock. */
export interface ReportsOfDevice {
  /** The last one, if it was not judged yet. */
  newest: DeviceReport | null;
  /** It has said that it is there again, and that was not judged yet. */
  hasComeBack: boolean;
  /** Whether it says on this connection that it is there; null: it has said nothing. */
  isOnline: boolean | null;
  /** It says that it is away: since when by the wall clock, and from when on that counts. */
  gone: { since: Instant; countsAt: number } | null;
  /** When it last counted that it is away. */
  goneAt: number;
  judgedAt: number;
  /** When the device itself was heard last, or when vigie began to listen. */
  liveAt: number;
  /** What it said then, and when by the wall clock. */
  said: { shown: string; at: Instant } | null;
}

export interface DeviceReport {
  payload: string;
  /** The broker held it before the payload was sent, so it may be old. */
  isFromBefore: boolean;
  /** Nothing was heard of the device for long, or since the payload was sent. */
  isReturn: boolean;
}

/** What passes at one output. Instants are those of the steady clock. */
export interface PassingOutput extends PassingOfPayload {
  /** One payload at a time, so that the last one to arrive is the one in force. */
  underWay: WaitingSend | GivenSend | null;
  retry: (Retry & { payload: string }) | null;
  /** The payload is that of a choice whose rule is ON; null: nothing is decided now, because the time or a value is awaited. */
  isChoiceOn: boolean | null;
  /** What was sent before the payloads that were chosen since a source last agreed with this machine's clock; null: none were. */
  former: Sent | null;
  /** When it is sent or told next, if vigie has slowed down; null: it has not. */
  nextTry: Instant | null;
}

/** What is known of the last payload; it begins anew with the next one. */
interface PassingOfPayload {
  question: DueQuestion | null;
  /** When the last question was asked; null: none was since the last payload. */
  askedAt: number | null;
  /** How many questions were asked since the last payload. */
  questions: number;
  /** Why the device did not answer the last question; null if it did. */
  failure: string | null;
  /** Why the payload could not be sent again the last time; null if it could. */
  tellingFailure: string | null;
  /** Since when the payload is repeated until it is confirmed; `confirm.for` counts from then. */
  awaitedSince: number | null;
  /** For how long it was repeated on the connections before. */
  awaitedFor: number;
  /** When it was sent last. */
  sentAt: number | null;
  /** When it was told again, because it does something else: the last five times. */
  told: readonly number[];
  /** An address has asked vigie not to send before. */
  notBefore: number | null;
  turning: Turning | null;
  /** When the device began to do something else than it was told, the last time and the time before. */
  contraryAt: readonly number[];
}

/** What a device has reported counts when it has stood for some seconds. */
export interface Turning {
  to: "contrary" | "heard" | "doubted";
  since: number;
  /** When it has stood for long enough. */
  countsAt: number;
  shown: string;
}

/** `kept` says that it is about to be sent. It is given out when that is saved, if it is still wanted then. */
export interface WaitingSend {
  stage: "waiting for the save";
  send: Sending;
  /** It is saved when this change is. */
  change: number;
  isSaved: boolean;
  /** By the steady clock: from then on a save counts as failed. A disk that hangs must not keep payloads back. */
  saveLimit: number;
  /** What was there before, and is again if it is not sent in the end. */
  before: { sent: Sent | undefined; passing: PassingOutput };
}

/** The broker or the address has not answered yet. */
export interface GivenSend extends Flight {
  stage: "given";
  /** null: it repeats a payload that was acknowledged. */
  send: Sending | null;
}

export type ConfirmingOutput = Output & { confirm: Confirmation };

export function hasConfirm(output: Output): output is ConfirmingOutput {
  return output.confirm !== undefined;
}

export function confirmingOutputs({ list }: Outputs): ConfirmingOutput[] {
  return list.filter(hasConfirm);
}

/** The devices that have to be asked now, and have not answered. */
export function dueQuestions({ passing }: OutputsPart): DueQuestion[] {
  return [...passing.byKey.values()].flatMap(({ question }) => question ?? []);
}

/** When time alone changes something next, by the steady clock. What arrived by then has to be taken first: it may be a report. */
export function nextOutputBoundary({ passing, kept }: OutputsPart): number {
  if (passing.isEnding) return NEVER;
  let next = passing.wakeAt;
  for (const [key, reports] of passing.reports.byKey) {
    const goneFrom =
      reports.gone && lastSent(kept.devices, key)?.away_since === null ? reports.gone.countsAt : NEVER;
    next = Math.min(next, judgedFrom(passing, key, reports) ?? NEVER, goneFrom);
  }
  return next;
}

/** When the newest report of a device is judged: at most once a second, but for the last ones; null: there is none, or something else comes first. */
export function judgedFrom(
  passing: PassingOutputs,
  key: string,
  { newest, hasComeBack, judgedAt }: ReportsOfDevice,
): number | null {
  const underWay = passing.byKey.get(key)?.underWay;
  if (!(newest || hasComeBack)) return null;
  // After the acknowledgement: that the payload is not sent again is said after that it was sent.
  if (newest?.isFromBefore && underWay) return null;
  // What it says before the payload is sent says nothing about it; but it may not be sent in the end.
  if (underWay?.stage === "waiting for the save") return null;
  return passing.isEnding ? judgedAt : judgedAt + BETWEEN_JUDGEMENTS;
}

/** Milliseconds. From then on a save counts as failed: a disk that hangs must not keep payloads back. */
export const SAVE_LIMIT = 5_000;
const BETWEEN_JUDGEMENTS = 1_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Whether something has changed beside the reports that were not judged yet. */
export function isShownOtherwise(before: PassingOutputs, now: PassingOutputs): boolean {
  const names = Object.keys(now) as (keyof PassingOutputs)[];
  return before !== now && names.some((name) => name !== "reports" && before[name] !== now[name]);
}

/** After what was said is logged. */
export function forgetSaid(part: OutputsPart): OutputsPart {
  return part.passing.said.length === 0 ? part : withPassing(part, { said: [] });
}

// What follows is for the parts of this folder that change it.

export function withPassing(part: OutputsPart, change: Partial<PassingOutputs>): OutputsPart {
  return { ...part, passing: { ...part.passing, ...change } };
}

export function passingOf({ passing }: OutputsPart, key: string): PassingOutput {
  return passing.byKey.get(key) ?? NOTHING_PASSES;
}

/** The same object if nothing changes. */
export function withPassingOf(part: OutputsPart, key: string, change: Partial<PassingOutput>): OutputsPart {
  const before = passingOf(part, key);
  const changed = withChange(before, change);
  if (changed === before) return part;
  return withPassing(part, { byKey: new Map(part.passing.byKey).set(key, changed) });
}

/** Nothing was heard of the device since now. */
function noReports({ steady }: Clocks): ReportsOfDevice {
  return {
    newest: null,
    hasComeBack: false,
    isOnline: null,
    gone: null,
    goneAt: Number.NEGATIVE_INFINITY,
    judgedAt: Number.NEGATIVE_INFINITY,
    liveAt: steady,
    said: null,
  };
}

export function reportsOf({ passing }: OutputsPart, key: string, at: Clocks): ReportsOfDevice {
  return passing.reports.byKey.get(key) ?? noReports(at);
}

export function withReportsOf(part: OutputsPart, key: string, change: ReportsOfDevice): OutputsPart {
  const { reports } = part.passing;
  return withPassing(part, { reports: { ...reports, byKey: new Map(reports.byKey).set(key, change) } });
}

export function withKept(
  part: OutputsPart,
  devices: DevicesState,
  saved: "now" | "with the next save",
): OutputsPart {
  if (devices === part.kept.devices) return part;
  const changed = { ...part, kept: { ...part.kept, devices } };
  return saved === "now" ? withPassing(changed, { changes: part.passing.changes + 1 }) : changed;
}

export function messageOf({ kept, passing }: OutputsPart, key: string): MessageMachine {
  return {
    kept: messagesAt(kept.messages, key),
    passing: passing.messages.get(key) ?? NO_MESSAGE_PASSES,
  };
}

export function withPassingMessage(
  part: OutputsPart,
  key: string,
  change: Partial<PassingMessage>,
): OutputsPart {
  const before = messageOf(part, key).passing;
  const changed = withChange(before, change);
  if (changed === before) return part;
  return withPassing(part, { messages: new Map(part.passing.messages).set(key, changed) });
}

export function withMessage(
  before: OutputsPart,
  { id, key }: Output,
  { kept, passing, lines = [], saved }: MessageStep,
  at: Clocks,
): OutputsPart {
  let part = lines.reduce(say, withPassingMessage(before, key, passing));
  if (kept === messageOf(before, key).kept) return part;
  part = { ...part, kept: { ...part.kept, messages: { ...part.kept.messages, [key]: { ...kept, id } } } };
  if (saved === "with the next save") return part;
  const change = part.passing.changes + 1;
  // A text that changes again and again while the disk hangs waits no longer.
  const unsaved = { change, limit: passing.unsaved?.limit ?? at.steady + SAVE_LIMIT };
  part = withPassing(part, { changes: change });
  return saved === "now" ? part : withPassingMessage(part, key, { unsaved });
}

export function say(part: OutputsPart, line: LogLine): OutputsPart {
  return withPassing(part, { said: [...part.passing.said, line] });
}

export function waitingSends({ passing }: OutputsPart): WaitingSend[] {
  return [...passing.byKey.values()].flatMap(({ underWay }) =>
    underWay?.stage === "waiting for the save" ? [underWay] : [],
  );
}

/** Everything is as it was before this payload was chosen: it was never given out. */
export function dropWaiting(part: OutputsPart, { send, before }: WaitingSend): OutputsPart {
  const { sent, passing } = before;
  // The device may have gone, or come back, since the payload was chosen.
  const { away_since = null } = lastSent(part.kept.devices, send.key) ?? {};
  const kept = withoutSending(part.kept.devices, send.key, sent && withAway(sent, away_since));
  const change = { ...passing, question: null, underWay: null };
  return withKept(withPassingOf(part, send.key, change), kept, "now");
}

export const NEW_PAYLOAD: PassingOfPayload = {
  question: null,
  askedAt: null,
  questions: 0,
  failure: null,
  tellingFailure: null,
  awaitedSince: null,
  awaitedFor: 0,
  sentAt: null,
  told: [],
  notBefore: null,
  turning: null,
  contraryAt: [],
};

export const NOTHING_PASSES: PassingOutput = {
  ...NEW_PAYLOAD,
  underWay: null,
  retry: null,
  isChoiceOn: null,
  former: null,
  nextTry: null,
};
