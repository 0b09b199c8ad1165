import { setImmediate } from "node:timers/promises";
import type { Confirmation, Output, Outputs } from "../core/outputs/output.ts";
import type { Sent } from "../core/outputs/outputs-state.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeDuration } from "../runtime/duration.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import type { BrokerLink } from "./base-connection.ts";
import { ConnectionLost, PublishRefused, SubscribeRefused } from "./broker-errors.ts";
import type { ConnectionUser } from "./owner-connection.ts";

interface ConfirmationsOptions {
  outputs: Outputs;
  clock: Pick<Clock, "steady">;
  problemLog: ProblemLog;
  lastSent: (topic: string) => Sent | undefined;
  recordConfirmation: (topic: string, answer: "heard" | "missed") => void;
}

/**
 * Repeats payloads until their devices confirm them. A payload that was confirmed once is not repeated: if somebody
 * switches the device by hand afterwards, vigie does not switch it back.
 */
export interface Confirmations extends ConnectionUser {
  /** The broker has acknowledged a payload: from now on it is repeated until it is confirmed. */
  awaitConfirmation: (topic: string, link: BrokerLink) => void;
  /** Another payload is about to be sent: the last one is not repeated any more. */
  cancel: (topic: string) => void;
  /** Whether a device has not confirmed within `confirm.for`. */
  isAnyMissed: () => boolean;
  stop: () => void;
}

type ConfirmedOutput = Output & { confirm: Confirmation };

export function createConfirmations(options: ConfirmationsOptions): Confirmations {
  const { outputs, clock, problemLog, lastSent, recordConfirmation } = options;
  const confirmed = outputs.list.filter((output): output is ConfirmedOutput => output.confirm !== undefined);
  // A retained report is the device's state, and holds until a message that is not retained follows.
  const retainedReports = new Map<string, string>();
  const repeating = new Map<string, AbortController>();

  const isUnconfirmed = (topic: string) => {
    const sent = lastSent(topic);
    return sent?.stands === true && (sent.answer === "awaited" || sent.answer === "missed");
  };
  const cancel = (topic: string) => {
    repeating.get(topic)?.abort();
    repeating.delete(topic);
  };
  const checkReport = ({ topic, confirm }: ConfirmedOutput, report: string | undefined) => {
    if (!isUnconfirmed(topic) || report === undefined || report !== lastSent(topic)?.expect) return;
    problemLog.isOver(`answer ${topic}`, `${confirm.topic} has reported ${JSON.stringify(report)}`);
    recordConfirmation(topic, "heard");
  };
  const startRepeating = (output: ConfirmedOutput, link: BrokerLink) => {
    cancel(output.topic);
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
      await sleep(confirm.every, signal);
      await readArrivedMessages();
      if (signal.aborted || !isUnconfirmed(topic)) return;
      if (clock.steady() - since >= confirm.for) return giveUp(output, times);
      await publishAgain(output, lastSent(topic)?.payload ?? "", link);
    }
  };
  const giveUp = ({ topic, confirm }: ConfirmedOutput, times: number) => {
    const { payload, expect } = lastSent(topic) ?? {};
    const howOften = times === 1 ? "once" : `${times} times`;
    problemLog.starts(
      `answer ${topic}`,
      `Sent ${JSON.stringify(payload)} to ${topic} ${howOften} in ${describeDuration(confirm.for)}, but ${confirm.topic} never reported ${JSON.stringify(expect)}: check that the device is connected to the broker, and that vigie may read ${confirm.topic}`,
    );
    recordConfirmation(topic, "missed");
  };
  return {
    onMessage: ({ topic, payload, retain }) => {
      if (retain) retainedReports.set(topic, payload);
      else retainedReports.delete(topic);
      for (const output of confirmed) if (output.confirm.topic === topic) checkReport(output, payload);
    },
    onConnection: (link) => {
      void subscribeToReports(confirmed, link, problemLog);
      retainedReports.clear();
      for (const output of confirmed) if (isUnconfirmed(output.topic)) startRepeating(output, link);
    },
    awaitConfirmation: (topic, link) => {
      const output = confirmed.find((one) => one.topic === topic);
      if (!output) return;
      checkReport(output, retainedReports.get(output.confirm.topic));
      if (isUnconfirmed(topic)) startRepeating(output, link);
    },
    cancel,
    isAnyMissed: () =>
      confirmed.some(({ topic }) => isUnconfirmed(topic) && lastSent(topic)?.answer === "missed"),
    stop: () => {
      for (const { topic } of confirmed) cancel(topic);
    },
  };
}

/** Where vigie may not subscribe, the payload is repeated for `confirm.for`, and then is a problem. */
async function subscribeToReports(
  outputs: readonly ConfirmedOutput[],
  link: BrokerLink,
  problemLog: ProblemLog,
): Promise<void> {
  const topics = new Set(outputs.map(({ confirm }) => confirm.topic));
  for (const topic of topics) {
    try {
      await link.subscribe(topic);
      problemLog.isOver(`subscribe ${topic}`, `The broker lets vigie subscribe to ${topic} again`);
    } catch (error) {
      if (error instanceof ConnectionLost) return;
      if (!(error instanceof SubscribeRefused)) throw error;
      problemLog.starts(`subscribe ${topic}`, error.message);
    }
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
