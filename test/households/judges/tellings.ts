import { HOUR } from "../calendar.ts";
import { countUntil, isKind, within } from "../trace.ts";
import { isOutOfReach } from "./absence-of-device.ts";
import type { Calm } from "./calm.ts";
import type { Chosen } from "./chosen-payload.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import {
  expectedOf,
  isStill,
  judgeOutputs,
  type Look,
  type OutputLife,
  TRIPS,
  targetsOf,
} from "./output-life.ts";
import { isLater, type Sending } from "./sendings.ts";

/**
 * How often a device is told the same again: not sooner than `every`, five times an hour and then every ten minutes if it did what
 * it was told and does something else, and only the payload of a choice that is ON; and so often it is.
 */
export const tellingJudges: readonly Judge[] = [
  judgeOutputs("told again too soon", toldTooSoon),
  judgeOutputs("told again too often", toldTooOften),
  judgeOutputs("told again before 5 s", toldBefore5s),
  judgeOutputs("told again though not kept", toldThoughNotKept),
  judgeOutputs("told again though it had confirmed", toldThoughConfirmed),
  judgeOutputs("not tried again", notTriedAgain),
  judgeOutputs("not told though it does something else", (look) => notTold(look, contraries(look))),
  judgeOutputs("not told though it came back", (look) => notTold(look, returns(look))),
  judgeOutputs("not told though it reports again", (look) => notTold(look, reportsAgain(look))),
  judgeOutputs("not told at a new connection", (look) => notTold(look, connections(look))),
];

/** The same payload twice, one after the other. */
export interface Again {
  first: Sending;
  second: Sending;
  output: OutputText;
  /** There may be something between them that is a reason of its own. */
  isUnclear: boolean;
}

/** There is certainly no other order between them. */
export function sentAgain({ life, calm }: Look): Again[] {
  return targetsOf(life).flatMap((sendings) =>
    sendings.flatMap((second, index): Again[] => {
      const first = sendings[index - 1];
      const output = first && life.at(first.steady);
      if (!output || first.payload !== second.payload) return [];
      const lag = calm.lag(second.steady);
      const chosen = life.chosen(first.steady + lag, second.steady);
      // A message whose choice has ended and begun again is another one.
      const isStillDue = (one: Chosen) =>
        isStill(one, first.payload) && !(output.isMessage && one.kind === "stands");
      if (chosen?.every(isStillDue) === false) return [];
      const isUnclear =
        chosen === null ||
        !calm.isThrough(first.steady, second.steady) ||
        !life.isSame(first.steady, second.steady) ||
        // Its choice may have ended and begun again unseen.
        (!calm.isSeen(first.steady - SAVED, second.steady) && life.isOrderedAnew(first, second, calm));
      return [{ first, second, output, isUnclear }];
    }),
  );
}

/** Not sooner than `every`; than ten minutes after a refusal; than an address has asked for. */
function toldTooSoon(look: Look): Finding[] {
  return sentAgain(look).map(({ first, second, output, isUnclear }): Finding => {
    if (isUnclear) return "skipped";
    const gap = second.steady - (first.overAt ?? first.steady);
    // The broker may take the next repetition of what it has taken before.
    const state = look.life.stateAt(first.steady);
    const isRepeated = first.how === "mqtt" && (state === "waiting" || state === "contrary");
    const wait = isRepeated ? (output.confirm?.every ?? USUAL) : waitOf(output, first);
    const least = Math.max(wait, (first.retryAfter ?? 0) * 1_000);
    const lag = output.to.kind === "mqtt" ? lagOf(look.calm, first, second) : SLACK;
    if (gap > Math.min(least, PAUSE) - lag) return "right";
    const sentence = `${look.life.id} was told ${first.payload} again after ${gap / 1000} s, at the earliest after ${least / 1000}`;
    return { at: second.steady, sentence };
  });
}

/** By how much two sendings may seem too close: if the broker was slow as it took the first one, and is quick again. */
function lagOf(calm: Calm, first: Sending, second: Sending): number {
  return Math.max(calm.lag(first.steady), calm.lag(second.steady));
}

/** Milliseconds after which this may be tried again. */
function waitOf({ confirm }: OutputText, { status, failure }: Sending): number {
  const every = confirm?.every ?? USUAL;
  const isRefused = failure === "refused" && !isLater(status);
  return isRefused ? Math.max(every, PAUSE) : every;
}

/** In any hour five times, then every ten minutes, if the device had done it and does something else. */
function toldTooOften(look: Look): Finding[] {
  const { life, calm } = look;
  const again = sentAgain(look)
    // What vigie tells a device that is away, or that comes back, does not count: that is another judge's.
    .filter(({ second }) => life.presences[countUntil(life.presences, second.steady) - 1]?.isThere !== false)
    .filter(({ first, second }) => !hasComeBack(life, first, second))
    .filter(({ second }) => isTelling(second))
    .filter(({ second }) => wasTold(life, calm, second))
    // What an address has certainly not taken is tried again like any sending, which is no further telling.
    .filter(
      ({ first }) => first.how === "mqtt" || first.failure === null || first.failure === "perhaps written",
    )
    .sort((one, other) => one.second.steady - other.second.steady);
  const clear = again.filter(({ isUnclear }) => !isUnclear);
  const found = clear.slice(MOST).flatMap(({ second, output }, index): Finding[] => {
    const fifth = clear[index]!.second.steady;
    const before = clear[index + MOST - 1]!.second;
    // With each order the count begins anew.
    if ((life.sentAt(second.steady) ?? second.steady) > fifth) return [];
    const least = Math.max(PAUSE, output.confirm?.every ?? 0);
    const gap = second.steady - before.steady;
    if (second.steady - fifth >= HOUR - SLACK || gap >= least - lagOf(calm, before, second)) return ["right"];
    // What another state file holds of them is not known.
    if (!calm.isSure(fifth, second.steady)) return ["skipped"];
    const sentence = `${life.id} was told ${second.payload} again six times within ${((second.steady - fifth) / 60_000).toFixed(0)} min, the last time after ${gap / 1000} s`;
    return [{ at: second.steady, sentence }];
  });
  return [...found, ...again.filter(({ isUnclear }) => isUnclear).map(() => "skipped" as const)];
}

/** What is refused, or for which the address takes no connection, does not reach the device. */
function isTelling({ failure }: Sending): boolean {
  return failure !== "refused" && failure !== "not written";
}

export function hasComeBack(life: OutputLife, first: Sending, second: Sending): boolean {
  return within(life.presences, first.steady - AROUND, second.steady).some(({ isThere }) => isThere);
}

/** It had confirmed it, or said something else since: this is no repetition of what was not confirmed. */
function wasTold(life: OutputLife, calm: Calm, { steady }: Sending): boolean {
  const before = life.stateAt(steady - 1);
  const isSettled = life.stateAt(steady - calm.lag(steady)) === before;
  return isSettled && (before === "confirmed" || before === "contrary");
}

/** What it does else has stood for 5 s; it may be that the device came back, or that vigie connected anew. */
function toldBefore5s(look: Look): Finding[] {
  const { life, calm } = look;
  return sentAgain(look).flatMap(({ first, second, output, isUnclear }): Finding[] => {
    const expected = output.confirm ? expectedOf(output, first.payload) : null;
    if (expected === null || !wasTold(life, calm, second)) return [];
    if (within(life.presences, first.steady, second.steady).length > 0) return [];
    const reports = within(life.reports, first.steady, second.steady).filter(
      ({ meaning }) => meaning(expected) !== "nothing",
    );
    const last = reports.findLastIndex(({ meaning }) => meaning(expected) === "expected");
    const other = reports[last + 1];
    if (last < 0 || !other) return [];
    const stood = second.steady - other.steady;
    if (stood >= STANDS - SLACK) return ["right"];
    // It did what it was told for too short a time to count.
    if (isUnclear || life.stateAt(other.steady) === "contrary") return ["skipped"];
    const sentence = `${life.id} was told ${first.payload} again ${stood / 1000} s after it began to do something else`;
    return [{ at: second.steady, sentence }];
  });
}

/** Never for `else` or `unknown`, and never without `keep` or `online`, when the device has confirmed it. */
function toldThoughNotKept(look: Look): Finding[] {
  const { life, calm } = look;
  return sentAgain(look).flatMap(({ first, second, output, isUnclear }): Finding[] => {
    if (!wasTold(life, calm, second)) return [];
    const lag = calm.lag(second.steady);
    const chosen = life.chosen(first.steady + lag, second.steady + lag);
    const isKept = output.confirm?.keep || output.confirm?.online;
    if (isUnclear || (isKept && chosen === null)) return ["skipped"];
    const isChoice = chosen === null || chosen.some(({ kind }) => kind === "choice");
    if (isChoice && isKept) return ["right"];
    const why = isChoice ? "has neither keep nor online" : "is no choice whose rule is ON";
    const sentence = `${life.id} was told ${first.payload} again after it was confirmed, but ${why}`;
    return [{ at: second.steady, sentence }];
  });
}

/** "On each new connection vigie sends the payload once more": what was chosen when a slow broker had just let vigie in may count before it. */
function isFirstAtConnection({ trace, calm }: Look, { steady }: Sending): boolean {
  const isSlow = calm.latency(steady) > 1;
  return isSlow && within(trace.events, steady - JUST, steady).some(({ kind }) => kind === "connected");
}

const JUST = 5_000;

/** Not when it has confirmed it since it was sent the first time, whether the sending was answered or not. */
function toldThoughConfirmed(look: Look): Finding[] {
  const { life, calm } = look;
  return sentAgain(look).flatMap(({ first, second, output, isUnclear }): Finding[] => {
    const expected = output.confirm ? expectedOf(output, first.payload) : null;
    if (expected === null || (life.sentAt(second.steady) ?? second.steady) > first.steady + SAVED) return [];
    const until = second.steady - calm.lag(second.steady);
    const reports = within(life.reports, first.steady, second.steady);
    const last = reports.findLast(({ meaning }) => meaning(expected) !== "nothing");
    const isConfirmed =
      last !== undefined &&
      last.isLive === "yes" &&
      last.steady < until &&
      last.meaning(expected) === "expected" &&
      reports.every(({ meaning }) => meaning(expected) !== "other");
    if (!isConfirmed) return ["right"];
    // That it is there, as a slow broker held it, counts when all that it held is read.
    const read = TRIPS * calm.latency(second.steady);
    const cameBack = within(life.presences, first.steady - read, second.steady).length > 0;
    if (isUnclear || cameBack || isFirstAtConnection(look, first)) return ["skipped"];
    const sentence = `${life.id} was told ${first.payload} again ${(second.steady - last.steady) / 1000} s after it had confirmed it`;
    return [{ at: second.steady, sentence }];
  });
}

/** What is not confirmed or not taken is tried again; what is kept is told again; who comes back is told. */
function notTriedAgain({ life, calm }: Look): Finding[] {
  return targetsOf(life).flatMap((sendings) =>
    sendings.flatMap((sending, index): Finding[] => {
      const { steady, payload } = sending;
      const output = life.at(steady);
      if (!output || output.isMessage) return [];
      const from = sending.overAt ?? steady;
      const open = from + calm.lag(from);
      const next = sendings[index + 1];
      const every = waitOf(output, sending);
      const longest = Math.max(PAUSE, every);
      const wait = Math.min(Math.max(every, (sending.retryAfter ?? 0) * 1_000), longest);
      // Once the time for it is over, every ten minutes.
      const isFailed = life.stateAt(from + wait + LATE) === "failed";
      const end = from + (isFailed ? longest : wait) + LATE;
      if (next && next.steady <= end)
        return next.payload === payload && isOpen(life, open, next.steady - 1) ? ["right"] : [];
      if (!isOpen(life, open, end)) return [];
      const chosen = life.chosen(steady, end);
      if (chosen === null || !calm.isThrough(steady - AROUND, end) || !life.isSame(steady, end))
        return ["skipped"];
      // What was sent last stands while nobody knows what is to be sent. Nobody asks for ever that `else` is done.
      const fails = isFailed || life.statesBetween(open, end).includes("failed");
      const isWanted = chosen.every((one) =>
        fails ? one.kind === "choice" && one.payload === payload : isStill(one, payload),
      );
      if (!isWanted) return [];
      const sentence = `${life.id} is ${life.stateAt(end)}, and ${payload} was not tried again for ${(end - from) / 1000} s`;
      return [{ at: end, sentence }];
    }),
  );
}

/** All the time its state was one in which it is tried again. */
function isOpen(life: OutputLife, from: number, to: number): boolean {
  return life.statesBetween(from, to).every((state) => state === "waiting" || state === "failed");
}

/** A device that does something else, or comes back, is told in time. */
function notTold(look: Look, reasons: readonly Reason[]): Finding[] {
  const { life, calm } = look;
  return reasons.flatMap((reason): Finding[] => {
    const { steady, what } = reason;
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const sendings = life.sendings(steady);
    const last = sendings[countUntil(sendings, steady) - 1];
    if (!output?.confirm || payload === undefined || last?.payload !== payload) return [];
    const end = latestTelling(look, reason, output, last);
    const [told] = within(sendings, what === "goes on doing something else" ? steady : steady - 1_000, end);
    if (told) return told.payload === payload ? [isRepeatedAgain(look, reason, told)] : [];
    if (isOver(look, output, { payload, from: steady, to: end, what })) return [];
    const from = what === "is there at a new connection" ? steady : steady - AROUND;
    const chosen = life.chosen(from + 1_000, end);
    const isKnown = calm.isThrough(from, end) && life.isSame(steady, end) && calm.isAwake(last.steady, end);
    if (chosen === null || !isKnown) return ["skipped"];
    const isAlsoElse = what === "reports again" || isUntaken(look, last, steady);
    const isWanted = (one: Chosen) =>
      "payload" in one && one.payload === payload && (isAlsoElse || one.kind === "choice");
    if (!chosen.every(isWanted)) return [];
    const sentence = `${life.id} ${what}, and was not told ${payload} again within ${((end - steady) / 1000).toFixed(0)} s`;
    return [{ at: end, sentence }];
  });
}

/** "To a device that came back, vigie sends the payload every `every` until it is confirmed, for as long as `for`": it is `waiting`. */
function isRepeatedAgain(
  { life, calm }: Look,
  { what }: Reason,
  { steady, payload, takenAt }: Sending,
): Finding {
  const settled = steady + SETTLES + calm.lag(steady);
  const isJudged = what === "reports again" && takenAt !== null && calm.isThrough(steady - AROUND, settled);
  if (!isJudged || life.stateAt(settled) !== "failed") return "right";
  return { at: settled, sentence: `${life.id} was told ${payload}, as it ${what}, and is still failed` };
}

/** "What it has not taken is sent at once, also if that is `else`": only over HTTP it is known what a device has not taken. */
function isUntaken({ life }: Look, { how, takenAt }: Sending, steady: number): boolean {
  const state = life.stateAt(steady);
  return how === "http" && takenAt === null && (state === "waiting" || state === "failed");
}

/** By when it has to be told for this reason. */
function latestTelling(
  look: Look,
  { steady, what, soon }: Reason,
  output: OutputText,
  last: Sending,
): number {
  const { life, calm } = look;
  const gap = Math.max(output.confirm?.every ?? USUAL, SHORTEST);
  // With each order the count begins anew.
  const countedFrom = Math.max(steady - HOUR - soon, (life.sentAt(steady) ?? 0) - 1_000);
  const recent = within(life.sendings(steady), countedFrom, steady).filter(
    (one) => isTelling(one) && mayCount(look, one),
  );
  // vigie counts the hour by a clock that stands still while the machine sleeps.
  const isClear = calm.isSure(steady - 2 * HOUR, steady) && calm.isAwake(steady - 2 * HOUR, steady);
  const isOften = recent.length >= MOST || !isClear;
  // Power cuts, however many there are, delay nothing.
  const isGone =
    isOutOfReach(look, steady) !== "no" ||
    within(life.presences, steady, steady + gap + LATE).some(({ isThere }) => !isThere);
  const isSlow = ELSE.includes(what) && (isOften || isGone);
  const pause = isSlow ? Math.max(gap, PAUSE) : gap;
  const waited = Math.max(pause, (last.retryAfter ?? 0) * 1_000, waitOf(output, last));
  // What it has not confirmed is repeated, as it would be without this reason.
  const repeats = (waitedUntil(life, steady, last) ?? 0) + gap;
  const after = (last.overAt ?? last.steady) + Math.min(waited, Math.max(gap, PAUSE));
  return Math.max(steady + soon, repeats, after) + LATE;
}

/** "Only those times count: neither power cuts, nor `online`": nor what it is told while it is away. */
function mayCount(look: Look, { steady }: Sending): boolean {
  const [before, last] = look.life.presences.slice(0, countUntil(look.life.presences, steady)).slice(-2);
  const isReturn = before?.isThere === false && last?.isThere === true && last.isLive === "yes";
  const isForReturn = isReturn && steady - last.steady < SETTLES;
  return !isForReturn && isOutOfReach(look, steady) !== "yes";
}

/** Until when it waited for a report last; it also waits, without a new sending, if `confirm` is added, perhaps only now. */
function waitedUntil({ states, at }: OutputLife, steady: number, sent: Sending): number | null {
  const before = states.slice(0, countUntil(states, steady));
  if (!at(sent.steady)?.confirm || before.at(-1)?.state === "sent") return steady;
  const last = before.findLastIndex(({ state }) => state === "waiting");
  return last < 0 ? null : Math.min(states[last + 1]?.steady ?? steady, steady);
}

interface Reason {
  steady: number;
  what:
    | "does something else"
    | "goes on doing something else"
    | "came back"
    | "reports again"
    | "is there at a new connection";
  /** Milliseconds in which it has to be told, if it was not told just before. */
  soon: number;
}

const ELSE: readonly Reason["what"][] = ["does something else", "goes on doing something else"];

/** What is kept is told again, and once more if that was in vain. */
function contraries({ life }: Look): Reason[] {
  const begins = life.states.flatMap(({ steady, state }, index): Reason[] => {
    const isNew = state === "contrary" && life.states[index - 1]?.state !== "contrary";
    return isNew ? [{ steady, what: "does something else", soon: 0 }] : [];
  });
  const inVain = targetsOf(life)
    .flat()
    .filter(({ steady }) => life.stateAt(steady) === "contrary")
    .map(({ steady }): Reason => ({ steady, what: "goes on doing something else", soon: 0 }));
  return [...begins, ...inVain].filter(({ steady }) => life.at(steady)?.confirm?.keep);
}

/** One that failed, was silent for ten minutes or from the sending on, and reports something else that is no answer, is back. */
function reportsAgain({ life, calm }: Look): Reason[] {
  return life.reports.flatMap(({ steady, isLive, meaning }): Reason[] => {
    const output = life.at(steady);
    const payload = life.payloadAt(steady);
    const sentAt = life.sentAt(steady);
    const sendings = life.sendings(steady);
    const last = sendings[countUntil(sendings, steady) - 1];
    if (output?.confirm?.from.kind !== "mqtt" || payload === undefined || sentAt === null || !last) return [];
    // null: an edit has taken the payload away.
    const expected = expectedOf(output, payload);
    const lag = calm.lag(steady);
    const silentFrom = Math.max(sentAt, steady - SILENT) - lag;
    const isReturn =
      isLive === "yes" &&
      expected !== null &&
      meaning(expected) === "other" &&
      // What nobody has taken is sent again in any case.
      last.takenAt !== null &&
      life.statesBetween(steady - lag, steady - 1).every((state) => state === "failed") &&
      within(life.reports, silentFrom, steady - 1).length === 0 &&
      steady > (last.overAt ?? last.steady) + ANSWERS + lag;
    return isReturn ? [{ steady, what: "reports again", soon: 0 }] : [];
  });
}

/** Who comes back is told. */
function returns({ trace, life, calm }: Look): Reason[] {
  const lost = trace.events.filter((event) => isKind(event, "kill", "crash", "yield"));
  return life.presences.flatMap(({ steady, isThere, isLive }, index): Reason[] => {
    const before = life.presences[index - 1];
    if (!isThere || before?.isThere !== false) return [];
    if (calm.isThrough(before.steady, steady))
      return isLive === "yes" ? [{ steady, what: "came back", soon: 0 }] : [];
    // That it was away is known after a restart in order.
    const isKnown =
      within(lost, before.steady, steady).length === 0 &&
      calm.isSure(before.steady, steady) &&
      calm.isThrough(before.steady, before.steady + STANDS + calm.lag(steady)) &&
      life.isSame(before.steady, steady);
    return isKnown
      ? [{ steady, what: "is there at a new connection", soon: READ + TRIPS * calm.latency(steady) }]
      : [];
  });
}

/** After a new connection, and after a kill, nobody knows whether a device that is there was away meanwhile. */
function connections({ trace, life, calm }: Look): Reason[] {
  let isOrderly = true;
  let isReloading = false;
  let isConnected = false;
  return trace.events.flatMap((event): Reason[] => {
    const { steady } = event;
    if (isKind(event, "kill", "crash")) isOrderly = false;
    // A frozen broker closes the connection of a vigie that was ended only afterwards.
    if (isKind(event, "disconnected") && isConnected) isOrderly = false;
    if (isKind(event, "stopped", "state file")) isOrderly = true;
    if (isKind(event, "connected", "start", "stopped")) isConnected = event.kind === "connected";
    if (isKind(event, "start", "reload")) isReloading = event.kind === "reload";
    if (!isKind(event, "connected")) return [];
    // A reload makes a new connection, at a slow broker long after the reload is done. vigie may tell devices then, and need not.
    const wasOrderly = isOrderly || isReloading;
    isOrderly = false;
    isReloading = false;
    // What is heard after a reload is heard at another connection.
    const heard = life.presences.filter(
      (one) => one.steady >= steady && one.steady < steady + READ && calm.isThrough(steady, one.steady),
    );
    if (wasOrderly || heard.length === 0 || !heard.every(({ isThere }) => isThere)) return [];
    return [
      {
        steady: heard[0]!.steady,
        what: "is there at a new connection",
        soon: READ + TRIPS * calm.latency(steady),
      },
    ];
  });
}

/** Meanwhile the device does what it was told again, or is gone again. */
function isOver(
  { life }: Look,
  output: OutputText,
  { payload, from, to, what }: { payload: string; from: number; to: number; what: Reason["what"] },
): boolean {
  if (!ELSE.includes(what)) {
    const isGone = within(life.presences, from, to).some(({ isThere }) => !isThere);
    return isGone || life.statesBetween(from, to).slice(1).includes("confirmed");
  }
  const expected = expectedOf(output, payload) ?? "";
  // One that flaps does what it was told again for two minutes before that counts.
  const since = what === "does something else" ? from - 6_000 : from - FLAPS;
  return (
    life.statesBetween(from, to).some((state) => state !== "contrary") ||
    within(life.reports, since, to).some(({ meaning }) => meaning(expected) === "expected")
  );
}

const MOST = 5;
const STANDS = 5_000;
const SETTLES = 2_000;
const FLAPS = 135_000;
const SILENT = 600_000;
/** Milliseconds: a report so soon after a sending is an answer to it. */
const ANSWERS = 60_000;
const PAUSE = 600_000;
const USUAL = 30_000;
const SHORTEST = 10_000;
/** Milliseconds by which vigie may tell earlier than it seems. */
const SLACK = 100;
/** Milliseconds by which vigie may be late: a request that is under way may take ten seconds, and a save five. */
const LATE = 45_000;
const AROUND = 12_000;
/** Milliseconds in which what the broker holds is read after a connection. */
const READ = 15_000;
/** Milliseconds that a save takes at most. */
const SAVED = 6_000;
