import { AVAILABILITY, OWNER, type Topics } from "../core/topics/topic.ts";

/**
 * Another vigie may publish below this one's base topic (`vigie/annexe` below `vigie`). Its topics are never cleared from
 * here. It is recognized by its topic `owner` (`vigie/annexe/owner`). Topics here are named below the own base.
 */

/** The base topic of another vigie, if this is the topic of its owner. */
export function nestedBase(topic: string): string | undefined {
  return topic.endsWith(`/${OWNER}`) ? topic.slice(0, -`/${OWNER}`.length) : undefined;
}

export function nestedBases(topics: Iterable<string>): string[] {
  return [...topics].flatMap((topic) => nestedBase(topic) ?? []);
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

/** Topics that say who owns the base; only `vigie purge` clears them. */
const NEVER_CLEARED = new Set([OWNER, AVAILABILITY]);
