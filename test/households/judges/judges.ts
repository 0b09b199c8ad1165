import type { Trace } from "../trace.ts";
import { announcementJudge } from "./announcement.ts";
import { truthJudges } from "./answers-to-truth.ts";
import { awayJudges } from "./away.ts";
import { discoveryJudges } from "./discovery.ts";
import { eventJudges } from "./events.ts";
import { expiryJudge } from "./expiry.ts";
import { foretoldJudges } from "./foretold.ts";
import { healthAwayJudge } from "./health-away.ts";
import { jsonJudge } from "./json-of-parts.ts";
import { ask, type Judge, type Verdict } from "./judge.ts";
import { leakJudges } from "./leaks.ts";
import { limitJudges } from "./limits.ts";
import { loginJudge } from "./login.ts";
import { lostSendingsJudge } from "./lost-sendings.ts";
import { messageJudges } from "./messages.ts";
import { messageOfDaysJudges } from "./messages-of-days.ts";
import { nameJudge } from "./names-of-messages.ts";
import { nextDayJudges } from "./next-days.ts";
import { stateJudges } from "./output-states.ts";
import { ownTopicsJudges } from "./own-topics.ts";
import { priceJudge } from "./prices.ts";
import { problemsJudge } from "./problems.ts";
import { processJudges } from "./process.ts";
import { quietRestartJudge } from "./quiet-restart.ts";
import { refusalJudges } from "./refusals.ts";
import { refusalSaidJudge } from "./refused-payloads.ts";
import { seasonJudge } from "./seasons.ts";
import { sourcePausesJudge } from "./source-pauses.ts";
import { sourceStatusJudge } from "./source-status.ts";
import { stateFileJudge } from "./state-file.ts";
import { tellingJudges } from "./tellings.ts";
import { judgesOfTellingsInVain } from "./tellings-in-vain.ts";
import { judgesOfTwoVigies } from "./two-vigies.ts";
import { judgeUsualNames, ownNamesJudge } from "./usual-names.ts";
import { valuesArrivedJudge, valuesAwayJudge } from "./values-away.ts";
import { payloadJudges } from "./verdicts-to-payloads.ts";
import { viewJudges } from "./views.ts";
import { webRequestJudges } from "./web-requests.ts";
import { writesOfTriesJudge } from "./writes-of-tries.ts";
import { clockJudges } from "./wrong-clock.ts";

const KNOWING_USUAL_NAMES: readonly Judge[] = [
  ...processJudges,
  ...refusalJudges,
  stateFileJudge,
  ...judgesOfTwoVigies,
  loginJudge,
  ...ownTopicsJudges,
  ...truthJudges,
  priceJudge,
  jsonJudge,
  ...nextDayJudges,
  ...foretoldJudges,
  ...eventJudges,
  announcementJudge,
  seasonJudge,
  ...clockJudges,
  quietRestartJudge,
  ...payloadJudges,
  ...stateJudges,
  ...tellingJudges,
  lostSendingsJudge,
  ...judgesOfTellingsInVain,
  ...awayJudges,
  ...webRequestJudges,
  refusalSaidJudge,
  valuesAwayJudge,
  valuesArrivedJudge,
  ...messageJudges,
  ...messageOfDaysJudges,
  nameJudge,
  ...limitJudges,
  sourcePausesJudge,
  writesOfTriesJudge,
  ...leakJudges,
  ...discoveryJudges,
  expiryJudge,
  problemsJudge,
  sourceStatusJudge,
  healthAwayJudge,
  ...viewJudges,
];

/** Each reads the trace alone. */
export const JUDGES: readonly Judge[] = [ownNamesJudge, ...KNOWING_USUAL_NAMES.map(judgeUsualNames)];

export function judge(trace: Trace): Verdict {
  return ask(JUDGES, trace);
}
