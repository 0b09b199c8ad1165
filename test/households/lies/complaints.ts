import { judgeTruth } from "../judges/answers-to-truth.ts";
import { judgeAway } from "../judges/away.ts";
import { judgeForetold } from "../judges/foretold.ts";
import { judgeLeaks } from "../judges/leaks.ts";
import { judgeLimits } from "../judges/limits.ts";
import { judgeMessages } from "../judges/messages.ts";
import { judgeMessagesOfDays } from "../judges/messages-of-days.ts";
import { judgeStates } from "../judges/output-states.ts";
import { judgeQuietRestart } from "../judges/quiet-restart.ts";
import { judgeTellings } from "../judges/tellings.ts";
import { judgeValuesAway } from "../judges/values-away.ts";
import { judgePayloads } from "../judges/verdicts-to-payloads.ts";
import { judgeWebRequests } from "../judges/web-requests.ts";
import { judgeProcess } from "../judges/without-oracle.ts";
import { judgeWritesOfTries } from "../judges/writes-of-tries.ts";
import { judgeWrongClock } from "../judges/wrong-clock.ts";
import type { Judge, Trace } from "../trace.ts";

/** What the judge of this name says is wrong in this trace. */
export function complaints(trace: Trace, name: string): string[] {
  const judge = JUDGES[name];
  if (!judge) throw new Error(`There is no judge "${name}"`);
  return judge(trace)
    .filter((violation) => violation.judge === name)
    .map(({ sentence }) => sentence);
}

const JUDGES: Readonly<Record<string, Judge>> = {
  truth: judgeTruth,
  "no lie": judgeTruth,
  foretold: judgeForetold,
  "quiet restart": judgeQuietRestart,
  "wrong clock": judgeWrongClock,
  limits: judgeLimits,
  "writes of tries": judgeWritesOfTries,
  "no leak": judgeLeaks,
  "no crash": judgeProcess,
  "no error of vigie": judgeProcess,
  "no other owner": judgeProcess,
  stop: judgeProcess,
  online: judgeProcess,
  "no orphan": judgeProcess,
  "last payload": judgePayloads,
  "unwanted payload": judgePayloads,
  "sent twice": judgePayloads,
  "one change a second": judgePayloads,
  messages: judgeMessages,
  "messages of days": judgeMessagesOfDays,
  "output state": judgeStates,
  away: judgeAway,
  tellings: judgeTellings,
  "values without the broker": judgeValuesAway,
  "requests to devices": judgeWebRequests,
};
