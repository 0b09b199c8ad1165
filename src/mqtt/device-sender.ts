import { isDeepStrictEqual } from "node:util";
import {
  type BothVerdicts,
  chooseOutputs,
  payloadHeldBack,
  type Send,
} from "../core/outputs/choose-outputs.ts";
import type { Outputs } from "../core/outputs/output.ts";
import { type OutputStatus, outputStatus } from "../core/outputs/output-status.ts";
import {
  lastSent,
  type OutputsState,
  recordAcknowledgement,
  recordSending,
} from "../core/outputs/outputs-state.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { atMost, sleep } from "../runtime/wait.ts";
import type { BrokerLink } from "./base-connection.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";
import { createConfirmations } from "./device-confirmations.ts";
import type { ConnectionUser } from "./owner-connection.ts";
import { quotePayload } from "./quote-payload.ts";

export interface DeviceSenderOptions {
  outputs: Outputs;
  /** What was sent before this start, from the state file. */
  state: OutputsState;
  /** Resolves when the state is on the disk, or could not be written. */
  save: (state: OutputsState) => Promise<void>;
  clock: ClockWithTimers;
  log: Log;
  problemLog: ProblemLog;
  /** Evaluates the rules again, publishes `statuses`, and calls `update`: on each connection, and when these have changed. */
  refresh: () => void;
}

/** Sends payloads to devices, over the publisher's connection. */
export interface DeviceSender extends ConnectionUser {
  /** After each refresh. Returns at once. */
  update: (newest: BothVerdicts) => void;
  /** What is known of each output, in the order of the configuration. */
  statuses: () => readonly OutputStatus[];
  /** Sends nothing new; a payload that was sent already waits up to 1.5 s for its acknowledgement. */
  stop: () => Promise<void>;
}

/**
 * There is no queue: after each refresh the payloads to send are chosen anew, by comparison with what the broker has
 * acknowledged. So a payload that was in force only while the broker was away is never sent late.
 */
export function startDeviceSender(options: DeviceSenderOptions): DeviceSender {
  const { outputs, clock, log, problemLog, refresh } = options;
  let { state } = options;
  let link: BrokerLink | undefined;
  let newest: BothVerdicts | undefined;
  // One message at a time for each topic, so that the last one to arrive is the one in force.
  const inFlight = new Map<string, Promise<void>>();
  // By topic, what the broker refused on this connection. It may take it later: its access list may be corrected.
  const refused = new Map<string, { payload: string; mayRepeat: boolean }>();
  const end = new AbortController();

  const save = (next: OutputsState): Promise<void> => {
    state = next;
    return options.save(next);
  };
  const confirmations = createConfirmations({
    outputs,
    clock,
    log,
    problemLog,
    state: () => state,
    save: (next) => {
      void save(next);
      refreshIfChanged();
    },
    keep: (next) => {
      state = next;
      refreshIfChanged();
    },
  });
  const statuses = () =>
    outputs.list.map((output) => {
      const sent = lastSent(state, output.topic);
      return outputStatus(output, {
        sent,
        isRefused: refused.has(output.topic),
        would_send: outputs.dry_when_simulated && newest ? payloadHeldBack(output, newest, sent) : null,
      });
    });
  let published = statuses();
  const refreshIfChanged = () => {
    const current = statuses();
    if (end.signal.aborted || isDeepStrictEqual(current, published)) return;
    published = current;
    refresh();
  };

  const sendDuePayloads = () => {
    if (!newest || end.signal.aborted) return;
    const chosen = chooseOutputs(outputs, newest, state);
    if (chosen.state !== state) void save(chosen.state);
    forgetRefusedPayloads(chosen.sends);
    for (const send of chosen.sends) {
      const refusal = refused.get(send.topic);
      const isTooEarly = refusal?.payload === send.payload && !refusal.mayRepeat;
      if (!link || inFlight.has(send.topic) || isTooEarly) continue;
      const sending = sendOne(send, link).finally(() => {
        inFlight.delete(send.topic);
        // By now another payload may be in force.
        sendDuePayloads();
      });
      inFlight.set(send.topic, sending);
    }
    refreshIfChanged();
  };

  /** A refused payload is no problem any more when it is not due any more. */
  const forgetRefusedPayloads = (sends: readonly Send[]) => {
    for (const topic of [...refused.keys()]) {
      if (sends.some((send) => send.topic === topic)) continue;
      refused.delete(topic);
      problemLog.isOver(`output ${topic}`, `Nothing has to be sent to ${topic} any more`);
    }
  };

  /**
   * The state is saved before the payload is sent and after it is acknowledged: if vigie is killed in between, the
   * payload is sent again, and none is lost.
   */
  const sendOne = async (send: Send, over: BrokerLink) => {
    const { topic, payload, qos, retain, device, because } = send;
    confirmations.cancel(topic);
    await save(recordSending(state, send, clock.now()));
    if (end.signal.aborted || link !== over) return;
    confirmations.expectReports(topic);
    try {
      await over.publish({ topic, payload, qos, retain });
    } catch (error) {
      if (error instanceof ConnectionLost) return dropLink(over);
      if (!(error instanceof PublishRefused)) throw error;
      repeatLater(topic, payload);
      problemLog.starts(`output ${topic}`, `${error.message}; ${quotePayload(payload)} was not sent`);
      return;
    }
    log.info(`Sent ${quotePayload(payload)} to ${device}: ${because}`);
    refused.delete(topic);
    problemLog.isOver(`output ${topic}`, `The broker accepts messages to ${topic} again`);
    await save(recordAcknowledgement(state, topic, payload));
    if (!end.signal.aborted && link === over) confirmations.awaitConfirmation(topic, over);
  };

  /** It is sent again after a while, on the next connection, or when another payload was due meanwhile. */
  const repeatLater = (topic: string, payload: string) => {
    const refusal = { payload, mayRepeat: false };
    refused.set(topic, refusal);
    const repeat = () => {
      refusal.mayRepeat = true;
      sendDuePayloads();
    };
    sleep(REPEATED_AFTER, end.signal).then(repeat, () => undefined);
  };

  const dropLink = (gone: BrokerLink) => {
    if (link === gone) link = undefined;
  };

  return {
    onMessage: confirmations.onMessage,
    onConnection: (opened) => {
      if (end.signal.aborted) return;
      link = opened;
      refused.clear();
      void opened.closed.then(() => dropLink(opened));
      confirmations.onConnection(opened);
      // The verdicts of the time when the last connection ended may be old.
      if (outputs.list.length > 0) refresh();
    },
    update: (verdicts) => {
      newest = verdicts;
      sendDuePayloads();
    },
    statuses,
    stop: async () => {
      end.abort();
      confirmations.stop();
      await atMost(Promise.all(inFlight.values()), STOP_LIMIT);
    },
  };
}

/** All parts of vigie together have to stop within 5 s. */
const STOP_LIMIT = 1_500;
/** A payload that the broker refused. */
const REPEATED_AFTER = 10 * 60_000;
