import type { Trace } from "../trace.ts";

/**
 * Reads a trace alone, and says of each thing that it judges what it finds. Who asks only whether something is wrong need not wait for
 * all of it.
 */
export interface Judge {
  name: string;
  find: (trace: Trace) => Iterable<Finding>;
}

/** Skipped: the documents, or the trace, leave open what would be right there. */
export type Finding = Wrong | "right" | "skipped";

export interface Wrong {
  /** As `steady`. */
  at: number;
  sentence: string;
}

export interface Violation extends Wrong {
  judge: string;
}

/** How many things a judge has judged, and how many it has skipped. */
export interface Count {
  judged: number;
  skipped: number;
}

export interface Verdict {
  /** In the order of time. */
  violations: Violation[];
  counts: ReadonlyMap<string, Count>;
}

/** Adds the counts of one household to those of all. */
export function addCounts(all: Map<string, Count>, more: ReadonlyMap<string, Count>): void {
  for (const [name, { judged, skipped }] of more) {
    const before = all.get(name) ?? { judged: 0, skipped: 0 };
    all.set(name, { judged: before.judged + judged, skipped: before.skipped + skipped });
  }
}

/** A judge that has judged nothing shows nothing by finding nothing. */
export function idleIn(counts: ReadonlyMap<string, Count>): string[] {
  return [...counts].flatMap(([name, { judged }]) => (judged === 0 ? [name] : []));
}

/** One line for each judge. */
export function describeCounts(counts: ReadonlyMap<string, Count>): string {
  return [...counts]
    .map(([name, { judged, skipped }]) => `  ${name}: ${judged} judged, ${skipped} skipped`)
    .join("\n");
}

export function ask(judges: readonly Judge[], trace: Trace): Verdict {
  const counts = new Map<string, Count>();
  const violations = judges.flatMap(({ name, find }) => {
    const findings = [...find(trace)];
    const skipped = findings.filter((finding) => finding === "skipped").length;
    counts.set(name, { judged: findings.length - skipped, skipped });
    return wrongOf(findings).map((wrong): Violation => ({ judge: name, ...wrong }));
  });
  return { violations: violations.sort((one, other) => one.at - other.at), counts };
}

export function wrongOf(findings: Iterable<Finding>): Wrong[] {
  return [...findings].filter((finding) => typeof finding === "object");
}

/** Judges one thing after the other, until one is wrong: what comes after it follows from it. */
export function untilWrong<T>(things: readonly T[], find: (thing: T, index: number) => Finding): Finding[] {
  const found: Finding[] = [];
  for (const [index, thing] of things.entries()) {
    const finding = find(thing, index);
    found.push(finding);
    if (typeof finding === "object") break;
  }
  return found;
}
