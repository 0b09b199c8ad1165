import { AVAILABILITY, OWNER, type Topic, type Topics } from "./topic.ts";

/** One message that makes the broker hold what it should. */
export type Change = { kind: "publish"; topic: string; value: Topic } | { kind: "clear"; topic: string };

/** What to send so that what was sent becomes what is desired; nothing where they agree. */
export function planChanges(sent: Topics, desired: Topics): Change[] {
  const changes: Change[] = [];
  for (const topic of sent.keys()) {
    if (!desired.has(topic)) changes.push({ kind: "clear", topic });
  }
  for (const [topic, value] of desired) {
    if (!isSame(sent.get(topic), value)) changes.push({ kind: "publish", topic, value });
  }
  return changes;
}

/** A value that lives longer is sent again, though equal: the broker counts its life from the last message. */
function isSame(sent: Topic | undefined, desired: Topic): boolean {
  return sent !== undefined && sent.payload === desired.payload && sent.expires === desired.expires;
}

/** Topics that tell who owns a base; no plan ever clears them. */
const RESERVED = new Set([OWNER, AVAILABILITY]);

/** The base topic of another vigie below ours, told by the `owner` it keeps there; undefined for any other topic. */
export function nestedBase(topic: string): string | undefined {
  return topic.endsWith(`/${OWNER}`) ? topic.slice(0, -`/${OWNER}`.length) : undefined;
}

/** Of all that are kept there. */
export function nestedBases(topics: Iterable<string>): string[] {
  return [...topics].flatMap((topic) => nestedBase(topic) ?? []);
}

/** Whether a retained topic that was found is nobody's: not wanted, and not in the subtree of another vigie. */
export function isOrphan(topic: string, desired: Topics, nested: Iterable<string>): boolean {
  return !(desired.has(topic) || RESERVED.has(topic) || isNested(topic, nested));
}

export function isNested(topic: string, nested: Iterable<string>): boolean {
  for (const base of nested) {
    if (topic === base || topic.startsWith(`${base}/`)) return true;
  }
  return false;
}
