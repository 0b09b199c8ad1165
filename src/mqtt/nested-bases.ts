import { AVAILABILITY, OWN_LEVELS, OWNER, type Topics } from "../core/topics/topic.ts";
import { readOwner } from "./owner.ts";

/**
 * Another vigie may publish below this one's base topic (`vigie/annexe` below `vigie`). Its topics are never cleared from
 * here. It is recognized by its topic `owner` (`vigie/annexe/owner`). Anybody may write such a topic: no base topic begins with
 * a level of vigie's own topics and commands, and no more than a few are kept. Topics here are named below the own base.
 */

/** `topics`: topic to payload. */
export function nestedBases(topics: ReadonlyMap<string, string>): Set<string> {
  const nested = new Set<string>();
  for (const [topic, payload] of topics) noteNestedBase(topic, payload, nested);
  return nested;
}

/**
 * Notes another vigie's base topic when its owner arrives, and removes it when the owner is cleared. Returns the base topic
 * where it is a new one.
 */
export function noteNestedBase(topic: string, payload: string, nested: Set<string>): string | undefined {
  if (!topic.endsWith(`/${OWNER}`) || isOwn(topic)) return undefined;
  const base = parentOf(topic);
  // As many as are kept: there may be more, of which nothing is known, also when one of these is cleared.
  if (areMostBases(nested)) return undefined;
  if (payload === "") nested.delete(base);
  if (nested.has(base) || !readOwner(payload)) return undefined;
  nested.add(base);
  return base;
}

/** Whether there are as many as are kept: from then on no topic is cleared but those on levels of vigie's own. */
export function areMostBases(nested: ReadonlySet<string>): boolean {
  return nested.size >= MOST_BASES;
}

/** The bases are never asked whether their vigies run: the topics of a vigie that is away must stay. */
export function sayMostBases(next: string): string {
  return `${MOST_BASES} owner topics below the base topic name other vigies, and vigie knows no more than that: it clears what other programs write only on the levels of its own topics. Clear each such owner that no vigie of yours wrote, then ${next}`;
}

/** If there are as many as are kept, there may be more, which must not be cleared either. */
export function isNested(topic: string, nested: ReadonlySet<string>): boolean {
  if (areMostBases(nested) && !isOwn(topic)) return true;
  for (const base of nested) {
    if (topic === base || topic.startsWith(`${base}/`)) return true;
  }
  return false;
}

/** Whether a retained topic that the broker holds is to be cleared: it is not wanted, and it is not another vigie's. */
export function isOrphan(topic: string, wanted: Topics, nested: ReadonlySet<string>): boolean {
  return !(wanted.has(topic) || NEVER_CLEARED.has(topic) || isNested(topic, nested));
}

function isOwn(topic: string): boolean {
  const [level = ""] = topic.split("/", 1);
  return OWN_LEVELS.has(level);
}

/** `vigie/annexe` of `vigie/annexe/owner`. */
function parentOf(topic: string): string {
  return topic.slice(0, topic.lastIndexOf("/"));
}

/** Topics that say who owns the base; only `vigie purge` clears them. */
const NEVER_CLEARED = new Set([OWNER, AVAILABILITY]);
const MOST_BASES = 32;
