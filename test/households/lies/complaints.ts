import { judgeTruth } from "../judges/answers-to-truth.ts";
import { judgeAway } from "../judges/away.ts";
import { wrongOf } from "../judges/judge.ts";
import { JUDGES } from "../judges/judges.ts";
import { judgeLimits } from "../judges/limits.ts";
import { judgeStates } from "../judges/output-states.ts";
import { judgeTellings } from "../judges/tellings.ts";
import { judgeWebRequests } from "../judges/web-requests.ts";
import { judgeWritesOfTries } from "../judges/writes-of-tries.ts";
import type { Judge, Trace } from "../trace.ts";

/** What the judge of this name says is wrong in this trace. */
export function complaints(trace: Trace, name: string): string[] {
  const judge = JUDGES.find((one) => one.name === name);
  if (judge) return wrongOf(judge.find(trace)).map(({ sentence }) => sentence);
  const uncounted = UNCOUNTED[name];
  if (!uncounted) throw new Error(`There is no judge "${name}"`);
  return uncounted(trace)
    .filter((violation) => violation.judge === name)
    .map(({ sentence }) => sentence);
}

/** Those that do not count yet what they judge, by the names in what they say. */
const UNCOUNTED: Readonly<Record<string, Judge>> = {
  truth: judgeTruth,
  "no lie": judgeTruth,
  limits: judgeLimits,
  "writes of tries": judgeWritesOfTries,
  "output state": judgeStates,
  away: judgeAway,
  tellings: judgeTellings,
  "requests to devices": judgeWebRequests,
};
