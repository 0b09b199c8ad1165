import type { ProblemLog } from "../runtime/problem-log.ts";
import type { BrokerLink } from "./base-connection.ts";
import { SubscribeRefused } from "./broker-errors.ts";
import type { SubscribeHow } from "./connection.ts";

/** Where the broker does not let vigie subscribe, that is a problem in the log, and nothing arrives on the topic. */
export async function subscribeIfAllowed(
  link: BrokerLink,
  topic: string,
  problemLog: ProblemLog,
  how?: SubscribeHow,
): Promise<void> {
  try {
    await link.subscribe(topic, how);
    problemLog.isOver(`subscribe ${topic}`, `The broker lets vigie subscribe to ${topic} again`);
  } catch (error) {
    if (!(error instanceof SubscribeRefused)) throw error;
    problemLog.starts(`subscribe ${topic}`, error.message);
  }
}
