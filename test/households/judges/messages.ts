import { countUntil, isKind, type Judge, type Trace, type Violation, within } from "../trace.ts";
import { type Calm, readCalm } from "./calm.ts";
import type { OutputText } from "./house-outputs.ts";
import { type OutputLife, readOutputLives } from "./output-life.ts";
import {
  countDayWords,
  isOtherDay,
  looksAtOneDay,
  reachesOtherDay,
  wereRulesEdited,
} from "./rules-on-days.ts";
import { type Sending, targetOf } from "./sendings.ts";
import { BASE, readTopics, type TopicHistory } from "./topics.ts";
import { HOUR, MINUTE } from "./truth/calendar.ts";

/**
 * A message is read by people: sent when its choice begins, at most six times if nobody knows whether it has arrived, after longer
 * and longer pauses; not again within six hours with the same text if nothing else was read since; at most six in an hour; and
 * marked if it is only pretended. Rules that look at one day are told anew for another day: that is for another judge.
 */
export const judgeMessages: Judge = (trace) => {
  const calm = readCalm(trace);
  return readOutputLives(trace).flatMap((life) => {
    const isEverMessage = life.changes.some((steady) => life.at(steady)?.isMessage);
    if (!isEverMessage) return [];
    const look = { trace, life, calm };
    return [
      ...tries(look),
      ...often(look),
      ...repeated(look),
      ...changedText(look),
      ...unsent(look),
      ...untried(look),
      ...tooSoon(look),
      ...marks(look),
    ];
  });
};

interface Look {
  trace: Trace;
  life: OutputLife;
  calm: Calm;
}

function sendingsOf({ life }: Look): { sending: Sending; output: OutputText }[] {
  const lists = new Set(
    life.changes.flatMap((steady) => (life.at(steady)?.isMessage ? [life.sendings(steady)] : [])),
  );
  return [...lists].flatMap((list) =>
    list.flatMap((sending) => {
      const output = life.at(sending.steady);
      return output?.isMessage ? [{ sending, output }] : [];
    }),
  );
}

/** Tries of one message, one after the other, none of which is known to have arrived. */
function tries(look: Look): Violation[] {
  const found: Violation[] = [];
  let perhaps: Sending[] = [];
  for (const { sending, output } of sendingsOf(look)) {
    const last = perhaps.at(-1);
    const isSame = last?.payload === sending.payload && last.sendingId === sending.sendingId;
    const isNext = !isSame || last.takenAt !== null;
    // Without a name the same text may be the next message: its choice had ended.
    const isUnnamed = last !== undefined && sending.sendingId === undefined;
    const chosen = isUnnamed ? look.life.chosen(last.steady, sending.steady) : [];
    const isOther = isUnnamed && mayTellOtherDay(look, output, last.steady, sending.steady);
    const isMoved = last !== undefined && wasElsewhere(look.life, last, sending.steady);
    const isEnded = chosen === null || chosen.some(({ kind }) => kind !== "choice");
    const isForgotten = last !== undefined && hasForgotten(look.trace, last.steady, sending.steady);
    if (isNext || isOther || isMoved || isEnded || isForgotten) perhaps = [];
    found.push(...tooEarly(look, perhaps, sending));
    if (!mayHaveArrived(sending) || isReadOnce(output)) continue;
    perhaps.push(sending);
    const first = perhaps[0]!;
    const kills = countEnds(look.trace, first.steady, sending.steady);
    const sentence = `${look.life.id}: ${sending.payload} was sent ${perhaps.length} times, with ${kills} kills`;
    if (perhaps.length > MOST + kills) found.push({ judge: "messages", at: sending.steady, sentence });
  }
  return found;
}

/** The service knows a message that it has: it is tried without end. */
function isReadOnce({ to }: OutputText): boolean {
  return to.kind === "http" && to.isPut && to.url.includes("{id}");
}

/** A try after one or more that may have arrived. */
function tooEarly(
  { trace, life, calm }: Look,
  perhaps: readonly Sending[],
  { steady, payload }: Sending,
): Violation[] {
  const last = perhaps.at(-1);
  const pause = PAUSES[perhaps.length - 1];
  if (!last || pause === undefined) return [];
  const from = last.overAt ?? last.steady;
  const isInterrupted = within(trace.events, from - SLACK, steady).some((event) =>
    isKind(event, "start", "reload", "kill", "crash", "jump", "suspend"),
  );
  const isOne = life.chosen(last.steady - AROUND, steady)?.every(({ kind }) => kind === "choice") ?? false;
  if (isInterrupted || !isOne || !calm.isDiskQuick(from, steady) || steady - from >= pause - SLACK) return [];
  const sentence = `${life.id}: ${payload} was sent again ${((steady - from) / 1000).toFixed(0)} s after try ${perhaps.length}, which may have arrived`;
  return [{ judge: "messages", at: steady, sentence }];
}

/** Six messages an hour, whatever flaps. */
function often({ trace, life, calm }: Look): Violation[] {
  const begun: Sending[] = [];
  return sendingsOf({ trace, life, calm }).flatMap(({ sending }, index, all): Violation[] => {
    const before = all[index - 1]?.sending;
    const isAgain =
      before?.payload === sending.payload &&
      before.sendingId === sending.sendingId &&
      before.takenAt === null;
    if (isAgain || !mayHaveArrived(sending)) return [];
    begun.push(sending);
    const { steady, target } = sending;
    const lastHour = begun.filter(
      (one) =>
        one.target === target && one.steady > steady - HOUR + SLACK && !wasElsewhere(life, one, steady),
    );
    if (lastHour.length <= MOST + countEnds(trace, steady - HOUR, steady)) return [];
    if (!calm.isSure(steady - HOUR, steady) || isUnsaved(trace, steady - HOUR, steady)) return [];
    const sentence = `${life.id}: ${lastHour.length} messages within an hour`;
    return [{ judge: "messages", at: steady, sentence }];
  });
}

/** Another day may decide, or the colour of one may be another one. */
function isNewDay({ trace, life, calm }: Look, output: OutputText, from: number, to: number): boolean {
  if (!looksAtOneDay(trace, output, to)) return false;
  const [begin, end] = [from - AROUND, to + AROUND];
  // While the broker is away, topics do not say which day it is. The rule may have looked at another day before it was edited.
  if (!calm.isThrough(to, end) || !life.isSame(from, to) || wereRulesEdited(trace, from, to)) return true;
  return isOtherDay(trace, begin, end) || reachesOtherDay(trace, output, begin, end);
}

/** Or it looks at several days, and which one decides is not seen from outside. */
function mayTellOtherDay(look: Look, output: OutputText, from: number, to: number): boolean {
  return countDayWords(look.trace, output, to) > 1 || isNewDay(look, output, from, to);
}

/** Another target was in force since: nothing is kept of what the people at this one were told. */
function wasElsewhere({ changes, at }: OutputLife, { target, steady: from }: Sending, to: number): boolean {
  return changes.some((steady) => {
    const output = steady > from && steady <= to ? at(steady) : undefined;
    return output !== undefined && targetOf(output) !== target;
  });
}

/** The broker had it, or the request was written and nothing was answered. */
function mayHaveArrived({ how, failure, hasArrived, takenAt, overAt }: Sending): boolean {
  if (takenAt !== null) return true;
  if (how === "mqtt") return hasArrived && failure !== "refused";
  return failure === "perhaps written" || (overAt === null && hasArrived);
}

/** After it was delivered, the same text comes again after six hours at the earliest. */
function repeated(look: Look): Violation[] {
  const { trace, calm } = look;
  const delivered: Sending[] = [];
  const perhaps: Sending[] = [];
  return sendingsOf(look).flatMap(({ sending, output }): Violation[] => {
    const { steady, payload } = sending;
    const same = delivered.filter((one) => one.payload === payload && one.target === sending.target);
    // Each of its days may be told once.
    const before = same.at(-Math.max(1, countDayWords(trace, output, steady)));
    const isOutdated = perhaps.some((one) => one.steady > (before?.steady ?? 0) && one.payload !== payload);
    if (sending.takenAt !== null) delivered.push(sending);
    if (mayHaveArrived(sending)) perhaps.push(sending);
    const takenAt = before?.takenAt ?? null;
    if (isOutdated || isNewDay(look, output, takenAt ?? 0, steady)) return [];
    if (!before || takenAt === null || steady - takenAt >= SIX_HOURS - SLACK || steady < takenAt) return [];
    if (wasElsewhere(look.life, before, steady)) return [];
    // That it was delivered may not be saved; and by a clock that is set six hours are other hours.
    if (!calm.isSure(takenAt - SLACK, steady) || countEnds(trace, takenAt - SLACK, takenAt + SAVED) > 0)
      return [];
    if (isUnsaved(trace, takenAt, steady)) return [];
    const sentence = `${look.life.id}: ${payload} was sent again ${((steady - takenAt) / 60_000).toFixed(1)} min after it was delivered`;
    return [{ judge: "messages", at: steady, sentence }];
  });
}

/** While one choice is in force, and no other day decides, only one text is sent, whatever happens to its placeholders. */
function changedText({ trace, life, calm }: Look): Violation[] {
  const pretended = readTopics(trace);
  return sendingsOf({ trace, life, calm }).flatMap(({ sending, output }, index, all): Violation[] => {
    // What nobody can have read says what is so when it is tried again.
    const before = all.slice(0, index).findLast((one) => mayHaveArrived(one.sending))?.sending;
    const { steady, payload } = sending;
    if (!before || before.payload === payload || before.target !== sending.target) return [];
    if (mayTellOtherDay({ trace, life, calm }, output, before.steady, steady)) return [];
    if (!calm.isThrough(before.steady - AROUND, steady) || !life.isSame(before.steady, steady)) return [];
    // The topic by which the rule turns may come after the message.
    if (!isOneChoice(life, before.steady, steady + AROUND)) return [];
    if (pretended.changes([SIMULATION], before.steady - AROUND, steady).length > 0) return [];
    const sentence = `${life.id}: ${payload} was sent after ${before.payload}, by the same choice`;
    return [{ judge: "messages", at: steady, sentence }];
  });
}

/** The same choice decides all the time. */
function isOneChoice(life: OutputLife, from: number, to: number): boolean {
  const [first, ...others] = life.chosen(from, to) ?? [];
  return first?.kind === "choice" && others.every((one) => "rule" in one && one.rule === first.rule);
}

function isPretended(topics: TopicHistory, from: number, to: number): boolean {
  return topics.at(SIMULATION, from) !== "auto" || topics.changes([SIMULATION], from, to).length > 0;
}

/** When its choice begins, it is sent, unless the same was delivered not long ago. */
function unsent(look: Look): Violation[] {
  const { life, calm } = look;
  return life.turns.flatMap((steady): Violation[] => {
    const output = life.at(steady);
    const end = steady + BEGINS;
    if (!output?.isMessage || !calm.isThrough(steady - AROUND, end) || !life.isSame(steady - AROUND, end))
      return [];
    if (looksAtOneDay(look.trace, output, steady)) return [];
    const [before, ...after] = life.chosen(steady - 1, end) ?? [];
    const begun = after[0];
    if (before?.kind !== "nothing" || begun?.kind !== "choice") return [];
    if (!after.every((one) => one.kind === "choice")) return [];
    const sendings = life.sendings(steady);
    const texts = after.map((one) => ("payload" in one ? one.payload : ""));
    const isKnown = (payload: string) => texts.some((text) => payload === text || payload.includes(MARK));
    if (sendings.some((one) => one.steady > steady - AROUND && one.steady <= end)) return [];
    const isDelivered = sendings.some(
      (one) => mayHaveArrived(one) && one.steady > steady - SIX_HOURS - AROUND && isKnown(one.payload),
    );
    // After six in an hour it follows when the hour is over.
    const isOften = within(sendings, steady - HOUR - SLACK, steady).filter(mayHaveArrived).length >= MOST;
    // A file with a secret that cannot be read keeps it from being tried.
    if (isDelivered || isOften || output.needsSecretFile) return [];
    const sentence = `${life.id}: its choice has begun, and no ${texts[0]} was sent within ${BEGINS / 1000} s`;
    return [{ judge: "messages", at: end, sentence }];
  });
}

/** What was not taken, as far as is known, is tried again while its choice is ON. */
function untried(look: Look): Violation[] {
  const { trace, life, calm } = look;
  const topics = readTopics(trace);
  const all = sendingsOf(look);
  return all.flatMap(({ sending, output }, index): Violation[] => {
    const { steady, failure } = sending;
    const isSecret = output.needsSecretFile;
    if (isSecret || failure === null) return [];
    const wait = pauseAfter(
      output,
      all.map((one) => one.sending),
      index,
    );
    if (wait === null) return [];
    const end = (sending.overAt ?? steady) + wait + LATE;
    const next = all[index + 1]?.sending.steady ?? Number.POSITIVE_INFINITY;
    if (next <= end || !calm.isThrough(steady - AROUND, end) || !life.isSame(steady, end)) return [];
    if (!life.chosen(steady - AROUND, end)?.every(({ kind }) => kind === "choice")) return [];
    // What another choice, another day or a simulation says may have been told before.
    if (!isOneChoice(life, steady, end) || mayTellOtherDay(look, output, steady, end)) return [];
    if (isPretended(topics, steady - AROUND, end)) return [];
    const sentence = `${life.id}: ${sending.payload} was not taken, and not tried again within ${(wait + LATE) / 1000} s`;
    return [{ judge: "messages", at: end, sentence }];
  });
}

/** Milliseconds until this try is followed by another one at the latest; null: it is given up. */
function pauseAfter(output: OutputText, all: readonly Sending[], index: number): number | null {
  const { failure, retryAfter, status } = all[index]!;
  const asked = Math.min((retryAfter ?? 0) * 1_000, PAUSE);
  if (failure === "perhaps written") {
    const pause = PAUSES[perhapsUntil(all, index) - 1] ?? (isReadOnce(output) ? PAUSE : null);
    return pause === null ? null : Math.max(pause, asked);
  }
  if (failure === "refused" && (status === null || !LATER.includes(status) || isBusyForLong(all, index)))
    return PAUSE;
  return Math.max(EVERY, asked);
}

/** It has been tried for an hour, and its service said each time that it is busy or broken: it is tried each ten minutes then. */
function isBusyForLong(all: readonly Sending[], index: number): boolean {
  const { payload, target, steady, overAt } = all[index]!;
  const isOther = (one: Sending) => one.payload !== payload || one.target !== target || one.takenAt !== null;
  const first = all[all.slice(0, index).findLastIndex(isOther) + 1]!;
  return (overAt ?? steady) - first.steady >= HOUR;
}

/**
 * How often a message may have arrived at most, with this try. It is the same message after another text that nobody can have read,
 * or that told of another day.
 */
function perhapsUntil(all: readonly Sending[], index: number): number {
  const { payload, target } = all[index]!;
  const same = all.slice(0, index + 1).filter((one) => one.payload === payload && one.target === target);
  const taken = same.findLastIndex(({ takenAt }) => takenAt !== null);
  return same.slice(taken + 1).filter(mayHaveArrived).length;
}

/** Over MQTT, when the connection was lost. */
function tooSoon(look: Look): Violation[] {
  return sendingsOf(look).flatMap(({ sending }, index, all): Violation[] => {
    const before = all[index - 1]?.sending;
    if (before?.how !== "mqtt" || before.target !== sending.target) return [];
    if (before.payload !== sending.payload || before.takenAt !== null || before.failure !== null) return [];
    const chosen = look.life.chosen(before.steady, sending.steady);
    const isSame = chosen?.every(({ kind }) => kind === "choice") ?? false;
    const gap = sending.steady - before.steady;
    if (!isSame || gap >= EVERY - 1_000 || countEnds(look.trace, before.steady, sending.steady) > 0)
      return [];
    const sentence = `${look.life.id}: ${sending.payload} was sent again ${gap / 1000} s later, when the connection was lost`;
    return [{ judge: "messages", at: sending.steady, sentence }];
  });
}

/** Marked in a simulation, and only then. */
function marks(look: Look): Violation[] {
  const topics = readTopics(look.trace);
  return sendingsOf(look).flatMap(({ sending, output }, index, all): Violation[] => {
    const { steady, payload } = sending;
    const isMarked = payload.includes(MARK);
    const hours = output.confirm ? 0 : SIX_HOURS;
    const isEverPretended =
      topics.at(SIMULATION, steady - hours) !== "auto" ||
      topics.changes([SIMULATION], steady - hours, steady + AROUND).length > 0;
    const says = (what: string) => [
      { judge: "messages", at: steady, sentence: `${look.life.id}: ${payload} ${what}` },
    ];
    if (isMarked && !isEverPretended) return says("is marked, and nothing is pretended");
    const [began] = topics.changes([SIMULATION], steady - AROUND, steady);
    const isFirst = !all.slice(0, index).some((one) => one.sending.payload === payload);
    if (isMarked || began === undefined || !isFirst || topics.at(SIMULATION, steady) === "auto") return [];
    // It was OFF until something was pretended, and nothing else happened.
    const wasOff = look.life.chosen(began - AROUND, began - 1)?.every(({ kind }) => kind === "nothing");
    const isNews = within(look.trace.events, began - AROUND, steady).some(
      (event) =>
        isKind(event, "answer", "reload", "start") ||
        (isKind(event, "heard") && !event.topic.startsWith(BASE)),
    );
    return wasOff && !isNews && !isMinuteBegun(topics, steady)
      ? says("is not marked, though it is pretended")
      : [];
  });
}

/** By the clock of the machine: a rule may have turned by that clock since a colour was pretended. */
function isMinuteBegun(topics: TopicHistory, steady: number): boolean {
  const pretended = topics.last(SIMULATION, steady);
  if (!pretended) return false;
  const intoMinute = (pretended.at - EARLIER) % MINUTE;
  return intoMinute + EARLIER + (steady - pretended.steady) >= MINUTE;
}

/** After these nobody may know what was sent. */
function countEnds({ events }: Trace, from: number, to: number): number {
  return within(events, from, to).filter((event) => isKind(event, "kill", "crash")).length;
}

/** A process ended whose disk had failed or hung since. */
function isUnsaved({ events }: Trace, from: number, to: number): boolean {
  const meanwhile = within(events, from - SLACK, to);
  const hasFailed = meanwhile.some((event) => isKind(event, "write") && event.outcome === "failed");
  // While a write hangs, none begins.
  const before = events.slice(0, countUntil(events, from - SLACK)).findLast(isOfWriting);
  const writes = [...(before ? [before] : []), ...meanwhile.filter(isOfWriting)];
  const hangs = writes.some((event, index) => event.kind === "start" && isBegun(writes[index - 1]));
  return hasFailed || hangs;
}

/** vigie was started with a state file that may not hold how often it tried: nothing else tells it. */
function hasForgotten(trace: Trace, from: number, to: number): boolean {
  const meanwhile = within(trace.events, from, to);
  if (!meanwhile.some((event) => isKind(event, "start"))) return false;
  return meanwhile.some((event) => isKind(event, "state file")) || isUnsaved(trace, from, to);
}

function isOfWriting(event: Trace["events"][number]): boolean {
  return isKind(event, "write", "start");
}

function isBegun(event: Trace["events"][number] | undefined): boolean {
  return event?.kind === "write" && event.outcome === "begun";
}

/** Milliseconds by which vigie may have pretended it before its topic says so. */
const EARLIER = 1_000;
const SIMULATION = `${BASE}/simulation/color`;
const MARK = "[simulation]";
/** Tries of a message, and messages in an hour. */
const MOST = 6;
const SIX_HOURS = 6 * HOUR;
const SLACK = 10_000;
/** Milliseconds in which that it was delivered is saved. */
const SAVED = 5_000;
const AROUND = 12_000;
const BEGINS = 30_000;
const EVERY = 30_000;
/** After a try that may have arrived. */
const PAUSES = [30_000, 120_000, 600_000, 1_800_000, HOUR];
const PAUSE = 600_000;
/** Milliseconds: a host that hangs holds each request for ten seconds. */
const LATE = 45_000;
const LATER = [408, 425, 429, 500, 502, 503, 504];
