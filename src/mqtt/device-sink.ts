import type { DueSend } from "../core/outputs/due-send.ts";
import { type Outputs, topicsHeard } from "../core/outputs/output.ts";
import type { OutputsEvent } from "../core/outputs/take-outputs.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { BrokerLink } from "./base-connection.ts";
import { BrokerError, ConnectionLost, PublishRefused } from "./broker-errors.ts";
import type { ConnectionUser } from "./owner-connection.ts";
import { subscribeIfAllowed } from "./subscribe-if-allowed.ts";

interface DeviceSinkOptions {
  outputs: Outputs;
  problemLog: ProblemLog;
  /** Called with each thing that happens, never within `show`. */
  post: (event: OutputsEvent) => void;
}

/** Publishes what is due for devices over the publisher's connection, and posts what the broker and the devices answer. */
export interface DeviceSink extends ConnectionUser {
  /** All that is due now. A number that is due for longer is published once. */
  show: (due: readonly DueSend[]) => void;
  /** Resolves when the broker has answered what was published so far, and the answers are posted. */
  allAnswered: () => Promise<void>;
}

export function createDeviceSink({ outputs, problemLog, post }: DeviceSinkOptions): DeviceSink {
  const reportTopics = new Set(outputs.list.flatMap(topicsHeard));
  const answers = new Set<Promise<void>>();
  let newest: BrokerLink | undefined;
  let newestNumber = 0;
  /** The numbers of those that were due when `show` was called last: each was published then, or before. */
  let published: ReadonlySet<number> = new Set();

  const publish = async ({ number, payload, by }: MqttSend, link: BrokerLink) => {
    const { topic, qos, retain } = by;
    try {
      await link.publish({ topic, payload, qos, retain });
    } catch (error) {
      if (error instanceof ConnectionLost)
        return post({ kind: "connection lost", connection: by.connection });
      if (!(error instanceof PublishRefused)) throw error;
      return post({ kind: "refused", number, message: error.message });
    }
    post({ kind: "acknowledged", number });
  };
  return {
    show: (due) => {
      const before = published;
      published = new Set(due.map(({ number }) => number));
      for (const one of due) {
        if (!isOverMqtt(one) || before.has(one.number)) continue;
        if (!newest || one.by.connection !== newestNumber) continue;
        const answer: Promise<void> = publish(one, newest).finally(() => answers.delete(answer));
        answers.add(answer);
      }
    },
    allAnswered: async () => {
      await Promise.all(answers);
    },
    take: ({ topic, payload, retain }) => {
      if (reportTopics.has(topic)) post({ kind: "report", topic, payload, retain });
    },
    connected: (link) => {
      newestNumber += 1;
      const number = newestNumber;
      newest = link;
      void link.closed.then(() => post({ kind: "connection lost", connection: number }));
      // Before anything is sent: the answer of a device must not be missed.
      void subscribeToReports(reportTopics, link, problemLog).then((areRead) => {
        if (areRead) post({ kind: "reports read", connection: number });
      });
      post({ kind: "connection opened", connection: number, version: link.version });
    },
  };
}

type MqttSend = DueSend & { by: { kind: "mqtt" } };

function isOverMqtt(due: DueSend): due is MqttSend {
  return due.by.kind === "mqtt";
}

/**
 * Resolves with true when all reports have arrived that the broker held. If vigie may not subscribe, the payload is repeated for
 * `confirm.for`, and then is a problem.
 */
async function subscribeToReports(
  topics: ReadonlySet<string>,
  link: BrokerLink,
  problemLog: ProblemLog,
): Promise<boolean> {
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
