import type { Trace, Violation } from "../trace.ts";
import { judgeTruth } from "./answers-to-truth.ts";
import { judgeAway } from "./away.ts";
import { judgeForetold } from "./foretold.ts";
import { judgeLeaks } from "./leaks.ts";
import { judgeLimits } from "./limits.ts";
import { judgeMessages } from "./messages.ts";
import { judgeMessagesOfDays } from "./messages-of-days.ts";
import { judgeStates } from "./output-states.ts";
import { judgeQuietRestart } from "./quiet-restart.ts";
import { judgeTellings } from "./tellings.ts";
import { judgeValuesAway } from "./values-away.ts";
import { judgePayloads } from "./verdicts-to-payloads.ts";
import { judgeWebRequests } from "./web-requests.ts";
import { judgeProcess } from "./without-oracle.ts";
import { judgeWritesOfTries } from "./writes-of-tries.ts";
import { judgeWrongClock } from "./wrong-clock.ts";

/** All judges. Each reads the trace alone. */
const JUDGES = [
  judgeProcess,
  judgePayloads,
  judgeTruth,
  judgeForetold,
  judgeQuietRestart,
  judgeLimits,
  judgeLeaks,
  judgeMessages,
  judgeMessagesOfDays,
  judgeStates,
  judgeAway,
  judgeTellings,
  judgeValuesAway,
  judgeWebRequests,
  judgeWritesOfTries,
  judgeWrongClock,
];

/** What is wrong in this household, in the order of time. */
export function judge(trace: Trace): Violation[] {
  return JUDGES.flatMap((judgeTrace) => judgeTrace(trace)).sort((one, other) => one.at - other.at);
}
