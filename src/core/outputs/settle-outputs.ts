import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { askIfDue, nextDoubt, nextQuestion } from "./ask-devices.ts";
import { type BothVerdicts, type ChosenSends, chooseOutputs } from "./choose-outputs.ts";
import { judgeIfDue, judgePresence, turnIfDue } from "./device-reports.ts";
import { aloneUntil, isItsTurn, isReachable, later } from "./flights.ts";
import { sayNotWanted } from "./not-taken.ts";
import { describeOutput, type Output, type Outputs } from "./output.ts";
import {
  dropWaiting,
  hasConfirm,
  messageOf,
  NEW_PAYLOAD,
  type OutputsPart,
  passingOf,
  SAVE_LIMIT,
  say,
  type WaitingSend,
  waitingSends,
  withKept,
  withPassing,
  withPassingMessage,
  withPassingOf,
  withReportsOf,
} from "./outputs-part.ts";
import { isStillTried, lastSent, recordSending, type Sending, withoutSending } from "./outputs-state.ts";
import { messageWakes, nextSlowMessage, settleMessage } from "./settle-message.ts";
import { forgetFormer, takeBack } from "./take-back.ts";
import { give, givesUpAt, nextSlowTry, nextTelling, tellIfDue } from "./tell-devices.ts";

interface SettleContext {
  outputs: Outputs;
  /** The newest; null: nothing is decided yet, and no payload is chosen. */
  verdicts: BothVerdicts | null;
  clock?: TrustInClock;
  /** Of an output that throws nothing changes, and nothing is sent for it. */
  protect?: Protect;
}

/**
 * This machine's clock: "agreed": a source agrees with it; "wrong": the sources contradict it; "behind": only the state file does;
 * "unsure": nothing of that so far.
 */
export type TrustInClock = "agreed" | "unsure" | "behind" | "wrong";

/**
 * Decides what is sent now. The payload is saved before it is given out and after it was acknowledged: if vigie is killed in
 * between, it is sent again, and none is lost. A second call changes nothing.
 */
export function settleOutputs(
  before: OutputsPart,
  at: Clocks,
  { outputs, verdicts, clock = "agreed", protect = UNPROTECTED }: SettleContext,
): OutputsPart {
  if (before.passing.isEnding) return before;
  let part = before;
  const waiting = waitingSends(part);
  if (waiting.length > 0) {
    // What waits for its save is chosen once more, as it was the first time: a save may take seconds, in which the choice may end.
    const protectDrop: Protect = (name, run) => protect(`${name}, if it is still wanted`, run);
    const kept = waiting.reduce(
      (state, { send, before: { sent } }) => withoutSending(state, send.key, sent),
      part.kept.devices,
    );
    const wanted = verdicts ? chooseOutputs(outputs, verdicts, kept, protectDrop).sends : [];
    part = dropUnwanted(part, waiting, wanted);
  }
  if (clock === "agreed") part = forgetFormer(part, outputs);
  if (clock === "wrong") part = takeBack(part, outputs);
  // Before the choice: what a device has reported need not be sent again.
  for (const output of outputs.list)
    if (hasConfirm(output))
      protect(`the reports of output ${output.id}`, () => {
        part = turnIfDue(judgeIfDue(part, output, at), output, at);
      });
  const chosen = verdicts && chooseOutputs(outputs, verdicts, part.kept.devices, protect);
  if (chosen) part = forgetRetries(withKept(part, chosen.state, "now"), outputs, chosen.sends);
  for (const output of byTurn(part, outputs.list)) {
    const { key } = output;
    if (output.message) {
      protect(`the payload of output ${output.id}`, () => {
        if (verdicts) part = settleMessage(part, output, { outputs, verdicts, at });
      });
      continue;
    }
    protect(`what is sent to output ${output.id}`, () => {
      const send = chosen?.sends.find((one) => one.key === key);
      part = withPassingOf(part, key, { isChoiceOn: chosen && isChoiceOn(part, chosen, key) });
      part = settleOutput(part, output, { send, at, clock });
    });
  }
  return noteWakes(part, outputs, at, protect);
}

/** A broker that is there sends the values that decide within seconds; null until then. While it is away, what they were before decides. */
function isChoiceOn(part: OutputsPart, { choicesOn, waiting }: ChosenSends, key: string): boolean | null {
  return part.passing.connection !== null && waiting.has(key) ? null : choicesOn.has(key);
}

/** What is tried again comes last, in the order in which it is due: what has to go out alone keeps nothing else back. */
function byTurn(part: OutputsPart, list: readonly Output[]): readonly Output[] {
  const retryOf = ({ key, message }: Output) =>
    (message ? messageOf(part, key).passing : passingOf(part, key)).retry;
  const dueAt = (output: Output) => retryOf(output)?.at ?? 0;
  return list.toSorted((one, other) => dueAt(one) - dueAt(other));
}

function settleOutput(
  before: OutputsPart,
  output: Output,
  { send, at, clock }: { send: Sending | undefined; at: Clocks; clock: TrustInClock },
): OutputsPart {
  let part = giveIfSaved(before, output, at);
  if (send) part = beginSend(part, output, send, at, clock);
  return hasConfirm(output) ? askIfDue(tellIfDue(part, output, at), output, at) : part;
}

/** Last: whose turn it is depends on what the others have in flight now. */
function noteWakes(before: OutputsPart, { list }: Outputs, at: Clocks, protect: Protect): OutputsPart {
  let part = before;
  let wakeAt = Number.POSITIVE_INFINITY;
  for (const output of list)
    protect(`when output ${output.id} is due next`, () => {
      part = noteNextTry(part, output, at);
      const wakes = output.message ? messageWakes(part, output, at) : deviceWakes(part, output, at);
      for (const wake of wakes) wakeAt = Math.min(wakeAt, wake ?? wakeAt);
    });
  return wakeAt === part.passing.wakeAt ? part : withPassing(part, { wakeAt });
}

function noteNextTry(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  const { key, message } = output;
  const { nextTry: before } = message ? messageOf(part, key).passing : passingOf(part, key);
  const next = message ? nextSlowMessage(part, output) : nextSlowTry(part, output, at);
  const nextTry = shownInstant(next, before, at);
  return message ? withPassingMessage(part, key, { nextTry }) : withPassingOf(part, key, { nextTry });
}

/** By the wall clock. It stays as it was `before`, though the two clocks do not go exactly alike. */
function shownInstant(steady: number | null, before: Instant | null, at: Clocks): Instant | null {
  if (steady === null) return null;
  const shown = Math.round(at.now + (steady - at.steady));
  return before !== null && Math.abs(before - shown) < SAME_TRY ? before : shown;
}

/** When time alone changes something of this output. */
function deviceWakes(part: OutputsPart, output: Output, at: Clocks): (number | null)[] {
  const { underWay, retry, turning } = passingOf(part, output.key);
  const ofReports = hasConfirm(output)
    ? [
        turning?.countsAt ?? null,
        givesUpAt(part, output),
        nextTelling(part, output, at),
        nextQuestion(part, output, at),
        nextDoubt(part, output, at),
      ]
    : [];
  const ofSending =
    underWay?.stage === "waiting for the save" ? underWay.saveLimit : underWay && aloneUntil(underWay);
  return [later(ofSending, at), later(retry?.at ?? null, at), ...ofReports];
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

function giveIfSaved(part: OutputsPart, output: Output, at: Clocks): OutputsPart {
  const { underWay } = passingOf(part, output.key);
  const isDue =
    underWay?.stage === "waiting for the save" && (underWay.isSaved || at.steady >= underWay.saveLimit);
  if (!isDue || !isItsTurn(part, output, at)) return part;
  const { send, before } = underWay;
  const isOther = before.sent?.stuck != null && before.sent.payload !== send.payload;
  const told = isOther ? endFormerProblem(part, output, send) : part;
  return give(forgetReport(told, output.key), output, send, at);
}

/** Whether the device did what it was sent before is not asked any more. */
function endFormerProblem(part: OutputsPart, output: Output, { payload }: Sending): OutputsPart {
  const isOver = `${describeOutput(output)} is sent ${quotePayload(payload)} now, and not asked any more for what it was sent before`;
  return say(part, { problem: `answer ${output.key}`, isOver });
}

/** A payload that was not taken is no problem any more when it is not due any more. */
function forgetRetries(before: OutputsPart, { list }: Outputs, sends: readonly Sending[]): OutputsPart {
  let part = before;
  for (const output of list) {
    const { key } = output;
    const { retry, underWay } = passingOf(part, key);
    if (!retry || underWay || sends.some((send) => send.key === key)) continue;
    part = say(withPassingOf(part, key, { retry: null }), sayNotWanted(output));
  }
  return part;
}

function beginSend(
  before: OutputsPart,
  output: Output,
  send: Sending,
  at: Clocks,
  clock: TrustInClock,
): OutputsPart {
  const { key, payload } = send;
  const passing = passingOf(before, key);
  const { underWay, retry } = passing;
  const isTooEarly = retry?.payload === payload && retry.at > at.steady;
  // What waits for its turn at a host is replaced; what is under way there is answered first.
  const isReplaced =
    output.to.kind === "http" && underWay?.stage === "given" && underWay.due.payload !== payload;
  if (!isReachable(before, output) || (underWay && !isReplaced) || isTooEarly) return before;
  const sent = lastSent(before.kept.devices, key);
  // The state file says already that it may have been sent: another try needs no write.
  const isWritten = retry !== null && sent !== undefined && isStillTried(sent, payload);
  if (isWritten && !isItsTurn(before, output, at)) return before;
  const recorded = recordSending(before.kept.devices, send, at.now);
  if (isWritten) return give(withKept(before, recorded, "with the next save"), output, send, at);
  const kept = withKept(before, recorded, "now");
  // That the device is away is kept with what was sent, and this may be the first.
  const part = hasConfirm(output) ? judgePresence(kept, output, at) : kept;
  const former = passing.former ?? sent ?? null;
  return withPassingOf(part, key, {
    former: clock === "unsure" ? former : passing.former,
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
const SAME_TRY = 1_000;
