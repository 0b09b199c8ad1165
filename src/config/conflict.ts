import { valueAt } from "../runtime/value-at.ts";

/** Options that cannot be used together: the one to report, and what is expected there. */
export interface Conflict {
  path: PropertyKey[];
  expected: string;
  advice?: string;
  /** Options that may be written instead of the one that is missing at `path`. */
  instead?: readonly string[];
}

export function ownTopics(options: unknown): { base: string | undefined; prefix: string | undefined } {
  const isGiven = valueAt(options, ["mqtt", "base_topic"]) !== undefined;
  return {
    base: isGiven ? textAt(options, "mqtt", "base_topic") : textAt(options, "instance"),
    prefix: textAt(options, "homeassistant", "prefix"),
  };
}

export function outsideOfBase(base: string): string {
  return `a topic outside of mqtt.base_topic (${base})`;
}

export function outsideOfPrefix(prefix: string): string {
  return `a topic outside of homeassistant.prefix (${prefix})`;
}

export function isWithin(topic: string, parent: string): boolean {
  return topic === parent || topic.startsWith(`${parent}/`);
}

export function textAt(value: unknown, ...path: PropertyKey[]): string | undefined {
  const text = valueAt(value, path);
  return typeof text === "string" ? text : undefined;
}
