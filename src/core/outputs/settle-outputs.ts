import type { Clocks } from "../calendar/clocks.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { askIfDue, nextDoubt, nextQuestion } from "./ask-devices.ts";
import { type BothVerdicts, chooseOutputs } from "./choose-outputs.ts";
import { judgeIfDue, turnIfDue } from "./device-reports.ts";
import { type Output, type Outputs, placeOf } from "./output.ts";
import {
  dropWaiting,
  hasConfirm,
  NEW_PAYLOAD,
  type OutputsPart,
  passingOf,
  say,
  type WaitingSend,
  waitingSends,
  withKept,
  withPassingOf,
  withReportsOf,
} from "./outputs-part.ts";
import { isStillTried, lastSent, recordSending, type Sending, withoutSending } from "./outputs-state.ts";
import { give, givesUpAt, isReachable, nextTelling, tellIfDue } from "./tell-devices.ts";

interface SettleContext {
  outputs: Outputs;
  /** The newest; null: nothing is decided yet, and no payload is chosen. */
  verdicts: BothVerdicts | null;
  /** Of an output that throws nothing changes, and nothing is sent for it. */
  protect?: Protect;
}

/**
 * Decides what is sent now. The payload is saved before it is given out and after it was acknowledged: if vigie is killed in
 * between, it is sent again, and none is lost. A second call changes nothing.
 */
export function settleOutputs(
  before: OutputsPart,
  at: Clocks,
  { outputs, verdicts, protect = UNPROTECTED }: SettleContext,
): OutputsPart {
  if (before.passing.isEnding) return before;
  let part = before;
  const waiting = waitingSends(part);
  if (waiting.length > 0) {
    // What waits for its save is chosen once more, as it was the first time: a save may take seconds, in which the choice may end.
    const protectDrop: Protect = (name, run) => protect(`${name}, if it is still wanted`, run);
    const kept = waiting.reduce(
      (state, { send, before: { sent } }) => withoutSending(state, send.key, sent),
      part.kept,
    );
    const wanted = verdicts ? chooseOutputs(outputs, verdicts, kept, at.now, protectDrop).sends : [];
    part = dropUnwanted(part, waiting, wanted);
  }
  // Before the choice: what a device has reported need not be sent again.
  for (const output of outputs.list)
    if (hasConfirm(output))
      protect(`the reports of output ${output.id}`, () => {
        part = turnIfDue(judgeIfDue(part, output, at), output, at);
      });
  const chosen = verdicts && chooseOutputs(outputs, verdicts, part.kept, at.now, protect);
  if (chosen) part = forgetRetries(withKept(part, chosen.state, "now"), outputs, chosen.sends);
  for (const output of outputs.list) {
    const { key } = output;
    protect(`what is sent to output ${output.id}`, () => {
      const send = chosen?.sends.find((one) => one.key === key);
      const isChoiceOn = chosen?.choicesOn.has(key) ?? false;
      part = settleOutput(withPassingOf(part, key, { isChoiceOn }), output, { send, at });
    });
  }
  return part;
}

function settleOutput(
  before: OutputsPart,
  output: Output,
  { send, at }: { send: Sending | undefined; at: Clocks },
): OutputsPart {
  let part = giveIfSaved(before, output, at);
  if (send) part = beginSend(part, output, send, at);
  if (hasConfirm(output)) part = askIfDue(tellIfDue(part, output, at), output, at);
  return withPassingOf(part, output.key, { wakeAt: nextWake(part, output, at) });
}

/** When time alone changes something of this output; null: never. */
function nextWake(part: OutputsPart, output: Output, at: Clocks): number | null {
  const { underWay, retry, turning } = passingOf(part, output.key);
  const ofDevice = hasConfirm(output)
    ? [
        turning?.countsAt ?? null,
        givesUpAt(part, output),
        nextTelling(part, output, at),
        nextQuestion(part, output, at),
        nextDoubt(part, output, at),
      ]
    : [];
  const saveLimit = underWay?.stage === "waiting for the save" ? underWay.saveLimit : null;
  const retryAt = retry && retry.at > at.steady ? retry.at : null;
  const instants = [saveLimit, retryAt, ...ofDevice].filter((instant) => instant !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

function dropUnwanted(
  before: OutputsPart,
  waiting: readonly WaitingSend[],
  wanted: readonly Sending[],
): OutputsPart {
  let part = before;
  for (const one of waiting) {
    const { key, payload } = one.send;
    if (!wanted.some((send) => send.key === key && send.payload === payload)) part = dropWaiting(part, one);
  }
  return part;
}

function giveIfSaved(part: OutputsPart, output: Output, { steady }: Clocks): OutputsPart {
  const { underWay } = passingOf(part, output.key);
  const isDue =
    underWay?.stage === "waiting for the save" && (underWay.isSaved || steady >= underWay.saveLimit);
  return isDue ? give(forgetReport(part, output.key), output, underWay.send) : part;
}

/** A payload that was not taken is no problem any more when it is not due any more. */
function forgetRetries(before: OutputsPart, { list }: Outputs, sends: readonly Sending[]): OutputsPart {
  let part = before;
  for (const output of list) {
    const { key } = output;
    const { retry, underWay } = passingOf(part, key);
    if (!retry || underWay || sends.some((send) => send.key === key)) continue;
    part = say(withPassingOf(part, key, { retry: null }), {
      problem: `output ${key}`,
      isOver: `Nothing has to be sent to ${placeOf(output)} any more`,
    });
  }
  return part;
}

function beginSend(before: OutputsPart, output: Output, send: Sending, at: Clocks): OutputsPart {
  const { key, payload } = send;
  const passing = passingOf(before, key);
  const { underWay, retry } = passing;
  const isTooEarly = retry?.payload === payload && retry.at > at.steady;
  // What waits for its turn at a host is replaced; what is under way there is answered first.
  const isReplaced =
    output.to.kind === "http" && underWay?.stage === "given" && underWay.due.payload !== payload;
  if (!isReachable(before, output) || (underWay && !isReplaced) || isTooEarly) return before;
  const sent = lastSent(before.kept, key);
  const recorded = recordSending(before.kept, send, at.now);
  // The state file says already that it may have been sent: another try needs no write.
  if (retry && sent && isStillTried(sent, payload))
    return give(withKept(before, recorded, "with the next save"), output, send);
  const part = withKept(before, recorded, "now");
  return withPassingOf(part, key, {
    underWay: {
      stage: "waiting for the save",
      send,
      change: part.passing.changes,
      isSaved: false,
      saveLimit: at.steady + SAVE_LIMIT,
      before: { sent, passing },
    },
    ...NEW_PAYLOAD,
  });
}

/** What the device reported before the payload was sent says nothing about it. */
function forgetReport(part: OutputsPart, key: string): OutputsPart {
  const reports = part.passing.reports.byKey.get(key);
  return reports
    ? withReportsOf(part, key, { ...reports, newest: null, hasComeBack: false, said: null })
    : part;
}

/** Milliseconds. */
const SAVE_LIMIT = 5_000;
