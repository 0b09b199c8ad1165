import { setImmediate } from "node:timers/promises";
import { isConfirmedBy, shownReport } from "../core/outputs/confirms.ts";
import { type Confirmation, describeOutput, type Output, type Outputs } from "../core/outputs/output.ts";
import {
  awaitsReport,
  isUnconfirmed,
  lastSent,
  type OutputsState,
  recordConfirmation,
  recordMissed,
  recordOtherReport,
  recordRepetition,
} from "../core/outputs/outputs-state.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import { describeDuration } from "../runtime/duration.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import type { BrokerLink } from "./base-connection.ts";
import { BrokerError, ConnectionLost, PublishRefused } from "./broker-errors.ts";
import type { ConnectionUser } from "./owner-connection.ts";
import { quotePayload } from "./quote-payload.ts";
import { subscribeIfAllowed } from "./subscribe-if-allowed.ts";

interface ConfirmationsOptions {
  outputs: Outputs;
  clock: Pick<ClockWithTimers, "steady" | "after">;
  log: Pick<Log, "info">;
  problemLog: ProblemLog;
  state: () => OutputsState;
  /** From now on this is the state; it is written to the disk. */
  save: (state: OutputsState) => void;
  /** From now on this is the state; it is written with the next one that is saved. */
  keep: (state: OutputsState) => void;
}

/**
 * Repeats payloads until their devices confirm them. A payload that was confirmed once is not repeated: if somebody
 * switches the device by hand afterwards, vigie does not switch it back.
 */
export interface Confirmations extends ConnectionUser {
  /** A payload is about to be sent: the one before is not repeated any more, and no report counts until `expectReports`. */
  cancel: (topic: string) => void;
  /** The payload goes out now. */
  expectReports: (topic: string) => void;
  /** The broker has acknowledged the payload: from now on it is repeated until it is confirmed. */
  awaitConfirmation: (topic: string, link: BrokerLink) => void;
  stop: () => void;
}

type ConfirmedOutput = Output & { confirm: Confirmation };

export function createConfirmations(options: ConfirmationsOptions): Confirmations {
  const { outputs, clock, log, problemLog, state, save, keep } = options;
  const confirmed = outputs.list.filter((output): output is ConfirmedOutput => output.confirm !== undefined);
  // A retained report is the device's state, and holds until a message that is not retained follows.
  const retainedReports = new Map<string, string>();
  // The connection on which all reports arrived that the broker held before: what is retained after them is new.
  let readLink: BrokerLink | undefined;
  const repeating = new Map<string, AbortController>();
  // By the topic of the output, what its device has reported last since the payload was sent.
  const otherReports = new Map<string, string>();
  // Topics of outputs whose payload is saved, and not sent yet.
  const unsent = new Set<string>();

  const sentTo = (topic: string) => lastSent(state(), topic);
  const isOpen = (topic: string) => {
    const sent = sentTo(topic);
    return sent !== undefined && isUnconfirmed(sent);
  };
  const stopRepeating = (topic: string) => {
    repeating.get(topic)?.abort();
    repeating.delete(topic);
  };
  const checkReport = (output: ConfirmedOutput, report: string, isFromBefore: boolean) => {
    const { topic, confirm } = output;
    const sent = sentTo(topic);
    if (!sent || !awaitsReport(sent) || sent.expect === null || unsent.has(topic)) return;
    if (isConfirmedBy(report, sent.expect, confirm.path)) confirmPayload(output, report, isFromBefore);
    else if (!isFromBefore) noteOtherReport(output, shownReport(report, sent.expect, confirm.path));
  };
  const confirmPayload = (output: ConfirmedOutput, report: string, isFromBefore: boolean) => {
    const { topic, confirm } = output;
    const sent = sentTo(topic);
    if (isFromBefore && sent?.answer === "retained") return;
    const device = describeOutput(output);
    const shown = shownReport(report, sent?.expect ?? "", confirm.path);
    const payload = quotePayload(sent?.payload ?? "");
    if (isFromBefore) {
      const why = `the broker holds the report ${quotePayload(shown)} of ${confirm.topic}, which may be old`;
      log.info(`${device} is not sent ${payload} again: ${why}`);
      problemLog.isOver(`answer ${topic}`, `vigie waits for no report of ${device} any more`);
    } else {
      log.info(`${device} has confirmed ${payload}: ${confirm.topic} reported ${quotePayload(shown)}`);
      problemLog.isOver(`answer ${topic}`, `${device} does what it was sent again`);
    }
    save(recordConfirmation(state(), topic, isFromBefore ? "retained" : "heard", shown));
  };
  /** A device may report each second: only the first report is told at once, the others with the next repetition. */
  const noteOtherReport = ({ topic }: ConfirmedOutput, shown: string) => {
    otherReports.set(topic, shown);
    if (sentTo(topic)?.last_answer === null) keep(recordOtherReport(state(), topic, shown));
  };
  const withOtherReport = (topic: string): OutputsState => {
    const shown = otherReports.get(topic);
    return shown === undefined ? state() : recordOtherReport(state(), topic, shown);
  };
  const startRepeating = (output: ConfirmedOutput, link: BrokerLink) => {
    stopRepeating(output.topic);
    const end = new AbortController();
    repeating.set(output.topic, end);
    void link.closed.then(() => end.abort());
    repeat(output, link, end.signal).catch((error: unknown) => {
      if (!(end.signal.aborted || error instanceof ConnectionLost)) throw error;
    });
  };
  /** `confirm.for` counts from the connection on: before it no report could arrive. */
  const repeat = async (output: ConfirmedOutput, link: BrokerLink, signal: AbortSignal) => {
    const { topic, confirm } = output;
    const since = clock.steady();
    for (let times = 1; ; times += 1) {
      await sleep(confirm.every, signal, clock);
      await readArrivedMessages();
      const sent = sentTo(topic);
      if (signal.aborted || !sent || !isUnconfirmed(sent)) return;
      if (clock.steady() - since >= confirm.for) return giveUp(output, times);
      unsent.delete(topic);
      keep(recordRepetition(withOtherReport(topic), topic));
      await publishAgain(output, sent.payload, link);
    }
  };
  const giveUp = (output: ConfirmedOutput, times: number) => {
    const { topic, confirm } = output;
    save(recordMissed(withOtherReport(topic), topic));
    const { payload = "", expect, last_answer = null } = sentTo(topic) ?? {};
    const howOften = times === 1 ? "once" : `${times} times`;
    const advice =
      last_answer === null
        ? `check that the device is connected to the broker, and that vigie may read ${confirm.topic}`
        : `it last reported ${quotePayload(last_answer)}. Check the device, and what this output expects`;
    problemLog.starts(
      `answer ${topic}`,
      `Sent ${quotePayload(payload)} to ${describeOutput(output)} ${howOften} in ${describeDuration(confirm.for)}, but ${confirm.topic} never reported ${quotePayload(expect ?? "")}: ${advice}`,
    );
  };
  return {
    onMessage: ({ topic, payload, retain }) => {
      if (retain) retainedReports.set(topic, payload);
      else retainedReports.delete(topic);
      // On MQTT 3.1.1 only what the broker held before is marked as retained.
      const isFromBefore = retain && readLink?.version !== 5;
      for (const output of confirmed) {
        if (output.confirm.topic === topic) checkReport(output, payload, isFromBefore);
      }
    },
    onConnection: (link) => {
      readLink = undefined;
      retainedReports.clear();
      void subscribeToReports(confirmed, link, problemLog).then((isRead) => {
        if (isRead) readLink = link;
      });
      void link.closed.then(() => {
        if (readLink === link) readLink = undefined;
      });
      for (const output of confirmed) if (isOpen(output.topic)) startRepeating(output, link);
    },
    awaitConfirmation: (topic, link) => {
      const output = confirmed.find((one) => one.topic === topic);
      if (!output) return;
      const report = retainedReports.get(output.confirm.topic);
      if (report !== undefined) checkReport(output, report, true);
      if (isOpen(topic)) startRepeating(output, link);
    },
    cancel: (topic) => {
      stopRepeating(topic);
      otherReports.delete(topic);
      unsent.add(topic);
    },
    expectReports: (topic) => void unsent.delete(topic),
    stop: () => {
      for (const { topic } of confirmed) stopRepeating(topic);
    },
  };
}

/**
 * Resolves with true when all reports have arrived that the broker held. Where vigie may not subscribe, the payload is
 * repeated for `confirm.for`, and then is a problem.
 */
async function subscribeToReports(
  outputs: readonly ConfirmedOutput[],
  link: BrokerLink,
  problemLog: ProblemLog,
): Promise<boolean> {
  const topics = new Set(outputs.map(({ confirm }) => confirm.topic));
  if (topics.size === 0) return false;
  try {
    for (const topic of topics) await subscribeIfAllowed(link, topic, problemLog);
    await link.readRetained([]);
    return true;
  } catch (error) {
    // The broker may also refuse what the owner of the base topic subscribes to; that is logged there.
    if (error instanceof BrokerError) return false;
    throw error;
  }
}

/** If the broker refuses the payload now, it may take the next repetition. */
async function publishAgain(
  { topic, qos, retain }: ConfirmedOutput,
  payload: string,
  link: BrokerLink,
): Promise<void> {
  try {
    await link.publish({ topic, payload, qos, retain });
  } catch (error) {
    if (!(error instanceof PublishRefused)) throw error;
  }
}

/** If this process stalled, a report may have arrived that was not read yet. */
async function readArrivedMessages(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
