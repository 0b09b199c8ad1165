import type { Trace, Judge as UncountedJudge } from "../trace.ts";
import { truthJudges } from "./answers-to-truth.ts";
import { AWAY_JUDGES } from "./away.ts";
import { foretoldJudge } from "./foretold.ts";
import { ask, type Judge, type Verdict } from "./judge.ts";
import { leakJudges } from "./leaks.ts";
import { judgeLimits } from "./limits.ts";
import { messageJudges } from "./messages.ts";
import { judgesOfDays } from "./messages-of-days.ts";
import { STATE_JUDGES } from "./output-states.ts";
import { quietRestartJudge } from "./quiet-restart.ts";
import { TELLING_JUDGES } from "./tellings.ts";
import { valuesAwayJudge } from "./values-away.ts";
import { payloadJudges } from "./verdicts-to-payloads.ts";
import { WEB_JUDGES } from "./web-requests.ts";
import { processJudges } from "./without-oracle.ts";
import { judgeWritesOfTries } from "./writes-of-tries.ts";
import { wrongClockJudge } from "./wrong-clock.ts";

export const JUDGES: readonly Judge[] = [
  quietRestartJudge,
  ...leakJudges,
  ...payloadJudges,
  ...messageJudges,
  ...judgesOfDays,
  valuesAwayJudge,
  ...truthJudges,
  ...processJudges,
  foretoldJudge,
  wrongClockJudge,
  ...STATE_JUDGES,
  ...TELLING_JUDGES,
  ...AWAY_JUDGES,
  ...WEB_JUDGES,
];

/** These do not count yet what they judge. */
const UNCOUNTED: readonly UncountedJudge[] = [judgeLimits, judgeWritesOfTries];

export function judge(trace: Trace): Verdict {
  const { violations, counts } = ask(JUDGES, trace);
  const others = UNCOUNTED.flatMap((judgeTrace) => judgeTrace(trace));
  return { violations: [...violations, ...others].sort((one, other) => one.at - other.at), counts };
}
