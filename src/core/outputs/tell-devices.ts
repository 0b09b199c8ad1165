import type { Clocks } from "../calendar/clocks.ts";
import { describeLength } from "../log/duration.ts";
import { quotePayload } from "../log/quote-payload.ts";
import { endRefusedTelling, noteNewestAnswer, STANDS } from "./device-reports.ts";
import { type DueSend, wayTo } from "./due-send.ts";
import { isItsTurn, isReachable } from "./flights.ts";
import { PAUSE } from "./not-taken.ts";
import { describeOutput, type Output, placeOfReports } from "./output.ts";
import {
  type ConfirmingOutput,
  hasConfirm,
  type OutputsPart,
  passingOf,
  reportsOf,
  say,
  withKept,
  withPassing,
  withPassingOf,
} from "./outputs-part.ts";
import { lastSent, recordOf, type Sending, type Sent } from "./outputs-state.ts";

/** Gives the payload out that was recorded last; `send`: it is due; null: it repeats one that was acknowledged. */
export function give(
  part: OutputsPart,
  output: Output,
  send: Sending | null,
  { steady: since }: Clocks,
): OutputsPart {
  const sent = lastSent(part.kept.devices, output.key);
  const connection = part.passing.connection?.number ?? null;
  const by = sent && wayTo(output, { begun: sent.at, connection });
  if (!by) return part;
  const number = part.passing.given + 1;
  const due: DueSend = { number, output: output.id, payload: sent.payload, by };
  const underWay = { stage: "given", due, send, since } as const;
  // A device answers one request at a time, and what it said before says nothing about this payload.
  return withPassing(withPassingOf(part, output.key, { underWay, question: null }), { given: number });
}

/** Whether its reports can arrive now. */
function isHeard({ passing }: OutputsPart, { confirm }: ConfirmingOutput): boolean {
  return confirm.from.kind === "http" || passing.connection !== null;
}

/** Tells a device again what it was sent last, if it has not confirmed it, does something else since, or came back. */
export function tellIfDue(before: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const { key } = output;
  const sent = lastSent(before.kept.devices, key);
  if (sent && !sent.stands) return endProblem(withPassingOf(before, key, { awaitedSince: null }), output);
  if (!sent || !mayBeTold(before, output)) return withPassingOf(before, key, { awaitedSince: null });
  if (passingOf(before, key).underWay) return before;
  const awaited =
    sent.answer === "awaited" ? startRepetition(before, key, at) : noteIfSwitchedBack(before, output, at);
  const isOver = (givesUpAt(awaited, output) ?? Number.POSITIVE_INFINITY) <= at.steady;
  const part = isOver ? giveUp(awaited, output) : awaited;
  const tellAt = nextTelling(part, output, at);
  // If the last telling was ten minutes ago, a device whose time has just ended is told now: the machine may have slept.
  return tellAt !== null && tellAt <= at.steady
    ? tell(part, output, lastSent(part.kept.devices, key) ?? sent, at)
    : part;
}

/** Nothing is asked of the device any more. */
function endProblem(before: OutputsPart, output: ConfirmingOutput): OutputsPart {
  const { key } = output;
  const part = endRefusedTelling(before, output);
  if (lastSent(part.kept.devices, key)?.stuck == null) return part;
  return say(withKept(part, recordOf(part.kept.devices, key, { stuck: null }), "with the next save"), {
    problem: `answer ${key}`,
    isOver: `Nothing is asked of ${describeOutput(output)} any more`,
  });
}

/** It was told something that still counts, and its answer can arrive. */
function mayBeTold(part: OutputsPart, output: ConfirmingOutput): boolean {
  const sent = lastSent(part.kept.devices, output.key);
  const isInForce = sent?.stands === true && sent.acknowledged;
  return isInForce && isReachable(part, output) && isHeard(part, output);
}

/** When the device has not confirmed for too long; null: it is not waited for. */
export function givesUpAt(part: OutputsPart, { key, confirm }: ConfirmingOutput): number | null {
  const { awaitedSince, underWay } = passingOf(part, key);
  const isAwaited = lastSent(part.kept.devices, key)?.answer === "awaited";
  return isAwaited && awaitedSince !== null && !underWay ? awaitedSince + confirm.for : null;
}

/**
 * Only what its device has not confirmed is repeated; `confirm.for` counts while its reports can arrive, and goes on with the next
 * connection. It begins when the rules are decided: before that nothing is repeated.
 */
function startRepetition(part: OutputsPart, key: string, { steady }: Clocks): OutputsPart {
  const { awaitedSince, awaitedFor, sentAt, isChoiceOn } = passingOf(part, key);
  if (awaitedSince !== null) return part;
  const since = isChoiceOn === null ? null : steady - awaitedFor;
  return withPassingOf(part, key, { awaitedSince: since, sentAt: sentAt ?? steady });
}

/** When the device is told next, if nothing happens; null: it is not. */
export function nextTelling(part: OutputsPart, output: ConfirmingOutput, at: Clocks): number | null {
  const isBusy = passingOf(part, output.key).underWay !== null || isQuestionOpen(part, output);
  return isBusy || !isItsTurn(part, output, at) ? null : tellingDue(part, output, at);
}

/** When it is sent or told next, if vigie has slowed down because it was in vain; null: it has not. It may be later, by seconds. */
export function nextSlowTry(part: OutputsPart, output: Output, at: Clocks): number | null {
  const { key } = output;
  const { retry, told } = passingOf(part, key);
  if (retry?.isSlow) return isReachable(part, output) ? retry.at : null;
  const sent = lastSent(part.kept.devices, key);
  const isPaused = isAway(sent) || isOftenTold(told, at);
  const isSlow = sent?.answer === "missed" || (sent?.answer === "contrary" && isPaused);
  return isSlow && hasConfirm(output) ? tellingDue(part, output, at) : null;
}

function tellingDue(part: OutputsPart, output: ConfirmingOutput, at: Clocks): number | null {
  const { key, confirm } = output;
  const sent = lastSent(part.kept.devices, key);
  const { isChoiceOn, turning, sentAt, notBefore } = passingOf(part, key);
  // The choice may have ended while vigie was stopped, its machine was suspended, or the broker was away.
  if (!sent || isChoiceOn === null || !mayBeTold(part, output)) return null;
  const after = (wait: number) => Math.max(sentAt === null ? at.steady : sentAt + wait, notBefore ?? 0);
  const isMissed = sent.answer === "missed";
  if (sent.answer === "awaited") return Math.max(after(confirm.every), heardFrom(part, output));
  if (sent.came_back && (isChoiceOn || isMissed)) return after(gapOf(confirm));
  if (isMissed) return isChoiceOn ? after(Math.max(confirm.every, PAUSE)) : null;
  const isTold = sent.answer === "contrary" && confirm.keep && isChoiceOn && !turning;
  return isTold ? nextAllowed(part, output, after, at) : null;
}

/** A device that is asked what it does is not told again before it could answer. */
function isQuestionOpen(part: OutputsPart, { key, confirm }: ConfirmingOutput): boolean {
  const { question, questions, tellingFailure } = passingOf(part, key);
  return confirm.from.kind === "http" && tellingFailure === null && (question !== null || questions === 0);
}

/** From then on it is known what the broker held of the device. */
function heardFrom({ passing }: OutputsPart, { confirm }: ConfirmingOutput): number {
  const since = confirm.from.kind === "http" ? null : (passing.connection?.since ?? null);
  return since === null ? Number.NEGATIVE_INFINITY : since + STANDS;
}

function gapOf({ every }: ConfirmingOutput["confirm"]): number {
  return Math.max(every, SHORTEST_GAP);
}

/** Somebody or something may want the device to do something else: it is told five times in an hour, then every ten minutes. */
function nextAllowed(
  part: OutputsPart,
  output: ConfirmingOutput,
  after: (wait: number) => number,
  at: Clocks,
): number {
  const gap = gapOf(output.confirm);
  const pause = Math.max(gap, PAUSE);
  if (isAway(lastSent(part.kept.devices, output.key))) return after(pause);
  const { told } = passingOf(part, output.key);
  const last = told.at(-1) ?? Number.NEGATIVE_INFINITY;
  // The pause counts from the last telling: a connection that comes and goes does not begin it anew.
  return isOftenTold(told, at) ? Math.max(after(gap), last + pause) : after(gap);
}

/**
 * It hears nothing, and is told when it is back. A device that has reported since hears: the broker may hold that it is away from
 * last year.
 */
function isAway(sent: Sent | undefined): boolean {
  const { away_since = null, answered_at = null } = sent ?? {};
  return away_since !== null && (answered_at === null || answered_at <= away_since);
}

function isOftenTold(told: readonly number[], { steady }: Clocks): boolean {
  const [first = Number.NEGATIVE_INFINITY] = told;
  return told.length >= TOLD_OFTEN && first > steady - HOUR;
}

function tell(before: OutputsPart, output: ConfirmingOutput, sent: Sent, at: Clocks): OutputsPart {
  const { key } = output;
  const { told, tellingFailure } = passingOf(before, key);
  const { answer, came_back } = sent;
  // That it came back, also after an outage of the broker, is no sign that somebody wants it to do something else.
  const isContrary = answer === "contrary" && !came_back && !isAway(sent);
  const noted = noteNewestAnswer(before, output);
  const recorded = recordOf(noted.kept.devices, key, {
    tries: sent.tries + 1,
    ...(isContrary && { told: [...sent.told, at.now].slice(-TOLD_OFTEN) }),
    // What a device does that came back is not known: it is told until it confirms.
    ...(came_back && { came_back: false, answer: "awaited" as const }),
  });
  const isChange = isContrary || (came_back && answer !== "awaited");
  // A device that cannot be reached is tried each half minute, and only the first try is worth a write.
  const isWorthWrite = isChange && tellingFailure === null;
  const part = withPassingOf(withKept(noted, recorded, isWorthWrite ? "now" : "with the next save"), key, {
    sentAt: at.steady,
    ...(isContrary && { told: [...told, at.steady].slice(-TOLD_OFTEN) }),
    ...(isChange && came_back && { awaitedSince: at.steady, awaitedFor: 0, turning: null }),
  });
  return give(part, output, null, at);
}

function noteIfSwitchedBack(part: OutputsPart, output: ConfirmingOutput, at: Clocks): OutputsPart {
  const { key, confirm } = output;
  const { told, isChoiceOn } = passingOf(part, key);
  const sent = lastSent(part.kept.devices, key);
  const { payload = "", last_answer = null, choice = "", answer, stuck = null } = sent ?? {};
  const isKept = answer === "contrary" && confirm.keep && isChoiceOn;
  if (!isKept || stuck !== null || !isOftenTold(told, at)) return part;
  const tellings = `Told ${describeOutput(output)} ${quotePayload(payload)} ${TOLD_OFTEN} times in an hour`;
  const shown = quotePayload(last_answer ?? "");
  const [first = 0] = told;
  const isSilent = isAway(sent) || reportsOf(part, key, at).liveAt < first;
  const found = isSilent
    ? `but ${placeOfReports(confirm)} has reported nothing since ${shown}. vigie goes on every ten minutes. Check that the device has power and a connection`
    : `and something switches it back: ${placeOfReports(confirm)} reported ${shown}. vigie goes on every ten minutes. Find what switches it; to let it, disable the rule ${choice}`;
  const starts = `${tellings}, ${found}`;
  const noted = withKept(
    part,
    recordOf(part.kept.devices, key, { stuck: "switched back" }),
    "with the next save",
  );
  return say(noted, { problem: `answer ${key}`, starts });
}

function giveUp(before: OutputsPart, output: ConfirmingOutput): OutputsPart {
  const { key } = output;
  const noted = noteNewestAnswer(before, output);
  const missed = recordOf(noted.kept.devices, key, { answer: "missed", stuck: "missed" });
  return sayMissed(withPassingOf(withKept(noted, missed, "now"), key, { awaitedSince: null }), output);
}

function sayMissed(part: OutputsPart, output: ConfirmingOutput): OutputsPart {
  const { key, confirm } = output;
  const {
    payload = "",
    expect = null,
    last_answer = null,
    tries = 1,
  } = lastSent(part.kept.devices, key) ?? {};
  const howOften = tries === 1 ? "once" : `${tries} times`;
  const starts = `Sent ${quotePayload(payload)} to ${describeOutput(output)} ${howOften}, but in ${describeLength(confirm.for)} ${placeOfReports(confirm)} never reported ${quotePayload(expect ?? "")}: ${adviceFor(part, output, last_answer)}`;
  return say(part, { problem: `answer ${key}`, starts });
}

function adviceFor(
  part: OutputsPart,
  { key, confirm }: ConfirmingOutput,
  last_answer: string | null,
): string {
  const { failure, tellingFailure } = passingOf(part, key);
  const known = tellingFailure ?? failure;
  if (known !== null) return known;
  if (last_answer !== null)
    return `it last reported ${quotePayload(last_answer)}. Check the device, and what this output expects`;
  return confirm.from.kind === "mqtt"
    ? `check that the device is connected to the broker, and that vigie may read ${confirm.from.topic}`
    : "its answers hold no such value. Check confirm.url and confirm.path";
}

/** Milliseconds. */
const HOUR = 3_600_000;
const SHORTEST_GAP = 10_000;
const TOLD_OFTEN = 5;
