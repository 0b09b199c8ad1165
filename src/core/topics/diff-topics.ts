import type { Topic, Topics } from "./topic.ts";

/** One message that brings the broker nearer to what it should hold. */
export type Change = { kind: "publish"; topic: string; value: Topic } | { kind: "clear"; topic: string };

/** The messages to send where the topics that were sent differ from those that are wanted. */
export function diffTopics(sent: Topics, wanted: Topics): Change[] {
  const changes: Change[] = [];
  for (const topic of sent.keys()) {
    if (!wanted.has(topic)) changes.push({ kind: "clear", topic });
  }
  for (const [topic, value] of wanted) {
    if (!isSame(sent.get(topic), value)) changes.push({ kind: "publish", topic, value });
  }
  return changes;
}

/** An equal value with a later expiry is sent again: the broker counts the time to live from the last message. */
function isSame(sent: Topic | undefined, wanted: Topic): boolean {
  return sent !== undefined && sent.payload === wanted.payload && sent.expires === wanted.expires;
}
