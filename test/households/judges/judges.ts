import type { Trace, Violation } from "../trace.ts";
import { judgeTruth } from "./answers-to-truth.ts";
import { judgeForetold } from "./foretold.ts";
import { judgeLimits } from "./limits.ts";
import { judgeQuietRestart } from "./quiet-restart.ts";
import { judgePayloads } from "./verdicts-to-payloads.ts";
import { judgeProcess } from "./without-oracle.ts";

/** All judges. Each reads the trace alone. */
const JUDGES = [judgeProcess, judgePayloads, judgeTruth, judgeForetold, judgeQuietRestart, judgeLimits];

/** What is wrong in this household, in the order of time. */
export function judge(trace: Trace): Violation[] {
  return JUDGES.flatMap((judgeTrace) => judgeTrace(trace)).sort((one, other) => one.at - other.at);
}
