import { type Finding, wrongOf } from "../judges/judge.ts";
import { JUDGES } from "../judges/judges.ts";
import type { Trace } from "../trace.ts";

/** What the judge of this name says is wrong in this trace. Nothing if there is no such judge. */
export function complaints(trace: Trace, name: string): string[] {
  return wrongOf(findingsOf(trace, name)).map(({ sentence }) => sentence);
}

/** Whether the judge of this name says that something is wrong: it judges no more than it takes to say so. */
export function complains(trace: Trace, name: string): boolean {
  for (const finding of findingsOf(trace, name)) if (typeof finding === "object") return true;
  return false;
}

function findingsOf(trace: Trace, name: string): Iterable<Finding> {
  return JUDGES.find((one) => one.name === name)?.find(trace) ?? [];
}
