import { wrongOf } from "../judges/judge.ts";
import { JUDGES } from "../judges/judges.ts";
import { judgeLimits } from "../judges/limits.ts";
import { judgeWritesOfTries } from "../judges/writes-of-tries.ts";
import type { Trace, Judge as UncountedJudge } from "../trace.ts";

/** What the judge of this name says is wrong in this trace. Nothing if there is no such judge. */
export function complaints(trace: Trace, name: string): string[] {
  const judge = JUDGES.find((one) => one.name === name);
  if (judge) return wrongOf(judge.find(trace)).map(({ sentence }) => sentence);
  return (UNCOUNTED[name]?.(trace) ?? [])
    .filter((violation) => violation.judge === name)
    .map(({ sentence }) => sentence);
}

/** These do not count yet what they judge. */
const UNCOUNTED: Readonly<Record<string, UncountedJudge>> = {
  limits: judgeLimits,
  "writes of tries": judgeWritesOfTries,
};
