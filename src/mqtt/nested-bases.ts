import { AVAILABILITY, OWNER, type Topics } from "../core/topics/topic.ts";
import { readOwner } from "./owner.ts";

/**
 * Another vigie may publish below this one's base topic (`vigie/annexe` below `vigie`). Its topics are never cleared from
 * here. It is recognized by its topic `owner` (`vigie/annexe/owner`), with any payload: it may be of another version. Only
 * `rules/owner` and `outputs/owner` need an owner's payload, because a rule or an output with the id `owner` has these
 * topics, too. Topics here are named below the own base.
 */

/** The base topic of another vigie, if this is the topic of its owner. */
function nestedBase(topic: string, payload: string): string | undefined {
  if (!topic.endsWith(`/${OWNER}`) || payload === "") return undefined;
  const base = parentOf(topic);
  return !["rules", "outputs"].includes(base) || readOwner(payload) ? base : undefined;
}

/** `topics`: topic to payload. */
export function nestedBases(topics: ReadonlyMap<string, string>): Set<string> {
  return new Set([...topics].flatMap(([topic, payload]) => nestedBase(topic, payload) ?? []));
}

/** Notes another vigie's base topic when its owner arrives, and removes it when the owner is cleared. */
export function noteNestedBase(topic: string, payload: string, nested: Set<string>): void {
  const base = nestedBase(topic, payload);
  if (base !== undefined) nested.add(base);
  if (payload === "" && topic.endsWith(`/${OWNER}`)) nested.delete(parentOf(topic));
}

export function isNested(topic: string, nested: Iterable<string>): boolean {
  for (const base of nested) {
    if (topic === base || topic.startsWith(`${base}/`)) return true;
  }
  return false;
}

/** Whether a retained topic that the broker holds is to be cleared: it is not wanted, and it is not another vigie's. */
export function isOrphan(topic: string, wanted: Topics, nested: Iterable<string>): boolean {
  return !(wanted.has(topic) || NEVER_CLEARED.has(topic) || isNested(topic, nested));
}

/** `vigie/annexe` of `vigie/annexe/owner`. */
function parentOf(topic: string): string {
  return topic.slice(0, topic.lastIndexOf("/"));
}

/** Topics that say who owns the base; only `vigie purge` clears them. */
const NEVER_CLEARED = new Set([OWNER, AVAILABILITY]);
