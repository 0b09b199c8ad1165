import { HOUR, MINUTE } from "../calendar.ts";
import { countUntil, isKind, type Trace, within } from "../trace.ts";
import { type Chosen, isTextOf, SIMULATION, wasPretended } from "./chosen-payload.ts";
import type { OutputText } from "./house-outputs.ts";
import type { Finding, Judge } from "./judge.ts";
import { judgeOutputs, type Look, type OutputLife } from "./output-life.ts";
import {
  countDayWords,
  isOtherDay,
  looksAtOneDay,
  mayNameNoDay,
  reachesOtherDay,
  wereRulesEdited,
} from "./rules-on-days.ts";
import { isLater, type Sending, targetOf } from "./sendings.ts";
import { BASE, readTopics, type TopicHistory } from "./topics.ts";

/**
 * A message is read by people: sent when its choice begins, at most six times if nobody knows whether it has arrived, after longer
 * and longer pauses; not again within six hours with the same text if nothing else was read since; at most six in an hour; and
 * marked if it is only pretended. Rules that look at one day are told anew for another day: that is for another judge.
 */
export const messageJudges: readonly Judge[] = [
  judgeOutputs("tries of a message", tries),
  judgeOutputs("pauses between tries", pauses),
  judgeOutputs("messages in an hour", often),
  judgeOutputs("same text again", repeated),
  judgeOutputs("one text for one choice", changedText),
  judgeOutputs("message at its beginning", unsent),
  judgeOutputs("message of its choice", notChosen),
  judgeOutputs("message tried again", untried),
  judgeOutputs("mark without a simulation", wronglyMarked),
  judgeOutputs("mark in a simulation", unmarked),
];

export function sendingsOf(life: OutputLife): { sending: Sending; output: OutputText }[] {
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

/** A try of a message, after those of it that may have arrived. */
interface Try {
  sending: Sending;
  output: OutputText;
  perhaps: readonly Sending[];
  /** The text may be that of a new message, or vigie does not know the tries before. */
  isUnclear: boolean;
}

function triesOf(look: Look): Try[] {
  let perhaps: Sending[] = [];
  return sendingsOf(look.life).map(({ sending, output }): Try => {
    const last = perhaps.at(-1);
    const isAgain = last !== undefined && isSameMessage(look.life, last, sending);
    const isUnclear = isAgain && isUnclearFrom(look, output, last, sending);
    if (!isAgain || isUnclear) perhaps = [];
    const before = perhaps;
    if (mayHaveArrived(sending) && !isReadOnce(output)) perhaps = [...perhaps, sending];
    return { sending, output, perhaps: before, isUnclear };
  });
}

function isSameMessage(life: OutputLife, last: Sending, { payload, sendingId, steady }: Sending): boolean {
  if (last.payload !== payload || last.sendingId !== sendingId || last.takenAt !== null) return false;
  if (wasElsewhere(life, last, steady)) return false;
  // Without a name the same text is the next message if its choice had ended.
  return sendingId !== undefined || (life.chosen(last.steady, steady) ?? []).every(isChoice);
}

function isUnclearFrom(
  look: Look,
  output: OutputText,
  last: Sending,
  { sendingId, steady }: Sending,
): boolean {
  if (mayHaveForgotten(look.trace, last.steady, steady)) return true;
  if (sendingId !== undefined) return false;
  return look.life.chosen(last.steady, steady) === null || mayTellOtherDay(look, output, last.steady, steady);
}

function isChoice({ kind }: Chosen): boolean {
  return kind === "choice";
}

/** None of them is known to have arrived. */
function tries(look: Look): Finding[] {
  return triesOf(look).flatMap(({ sending, output, perhaps, isUnclear }): Finding[] => {
    if (!mayHaveArrived(sending) || isReadOnce(output)) return [];
    if (isUnclear) return ["skipped"];
    const first = perhaps[0];
    if (!first) return [];
    const count = perhaps.length + 1;
    const kills = countEnds(look.trace, first.steady, sending.steady);
    if (count <= MOST + kills) return ["right"];
    const sentence = `${look.life.id}: ${sending.payload} was sent ${count} times, with ${kills} kills`;
    return [{ at: sending.steady, sentence }];
  });
}

/** The service knows a message that it has: it is tried without end. */
function isReadOnce({ to }: OutputText): boolean {
  return to.kind === "http" && to.isPut && to.url.includes("{id}");
}

/** From a try that may have arrived to the next one. */
function pauses({ trace, life, calm }: Look): Finding[] {
  return triesOf({ trace, life, calm }).flatMap(({ sending, perhaps, isUnclear }): Finding[] => {
    const { steady, payload } = sending;
    const last = perhaps.at(-1);
    const pause = PAUSES[perhaps.length - 1];
    if (isUnclear) return ["skipped"];
    if (!last || pause === undefined) return [];
    const from = last.overAt ?? last.steady;
    const isInterrupted = within(trace.events, from - SLACK, steady).some((event) =>
      isKind(event, "jump", "suspend"),
    );
    if (isInterrupted || !isBegunOnce(life.chosen(last.steady - AROUND, steady))) return ["skipped"];
    if (steady - from >= pause - EARLY) return ["right"];
    const sentence = `${life.id}: ${payload} was sent again ${((steady - from) / 1000).toFixed(0)} s after try ${perhaps.length}, which may have arrived`;
    return [{ at: steady, sentence }];
  });
}

/** From its beginning on, which may be the first of these instants, only one choice decides. */
function isBegunOnce(chosen: readonly Chosen[] | null): boolean {
  const begun = chosen?.findIndex(isChoice) ?? -1;
  return chosen !== null && begun >= 0 && isOneChoice(chosen.slice(begun));
}

/** Six messages an hour, whatever flaps. */
function often({ trace, life, calm }: Look): Finding[] {
  const begun: Sending[] = [];
  return sendingsOf(life).flatMap(({ sending }, index, all): Finding[] => {
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
    if (lastHour.length <= MOST + countEnds(trace, steady - HOUR, steady)) return ["right"];
    if (!calm.isSure(steady - HOUR, steady) || mayBeUnsaved(trace, steady - HOUR, steady)) return ["skipped"];
    return [{ at: steady, sentence: `${life.id}: ${lastHour.length} messages within an hour` }];
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
export function mayTellOtherDay(look: Look, output: OutputText, from: number, to: number): boolean {
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
export function mayHaveArrived({ how, failure, hasArrived, takenAt, overAt }: Sending): boolean {
  if (takenAt !== null) return true;
  if (how === "mqtt") return hasArrived && failure !== "refused";
  return failure === "perhaps written" || (overAt === null && hasArrived);
}

/** After it was delivered, the same text comes again after six hours at the earliest. */
function repeated(look: Look): Finding[] {
  const { trace, calm, life } = look;
  const delivered: Sending[] = [];
  const perhaps: Sending[] = [];
  return sendingsOf(look.life).flatMap(({ sending, output }): Finding[] => {
    const { steady, payload } = sending;
    const same = delivered.filter((one) => one.payload === payload && one.target === sending.target);
    const text = payload.replaceAll(`${MARK} `, "");
    const ownChoices = output.choose.filter((choice) => isTextOf(choice.payload, text));
    const own = { ...output, choose: ownChoices };
    // Each of its days may be told once. A rule that can be ON by a condition that names no day may send the text once more.
    const days = countDayWords(trace, own, steady);
    const before = same.at(-Math.max(1, days > 0 && mayNameNoDay(trace, own, steady) ? days + 1 : days));
    const since = perhaps.filter((one) => one.steady > (before?.steady ?? 0) && one.payload !== payload);
    if (sending.takenAt !== null) delivered.push(sending);
    if (mayHaveArrived(sending)) perhaps.push(sending);
    const takenAt = before?.takenAt ?? null;
    if (!before || takenAt === null || steady < takenAt) return [];
    const isOutdated = since.some((one) => one.takenAt !== null && one.takenAt <= steady);
    if (isOutdated || steady - takenAt >= SIX_HOURS - SLACK || wasElsewhere(life, before, steady))
      return ["right"];
    const isOpen =
      since.length > 0 ||
      isNewDay(look, own, takenAt, steady) ||
      // That it was delivered may not be saved; and by a clock that is set six hours are other hours.
      !calm.isSure(takenAt - SLACK, steady) ||
      countEnds(trace, takenAt - SLACK, takenAt + SAVED) > 0 ||
      mayBeUnsaved(trace, takenAt, steady);
    if (isOpen) return ["skipped"];
    const sentence = `${life.id}: ${payload} was sent again ${((steady - takenAt) / 60_000).toFixed(1)} min after it was delivered`;
    return [{ at: steady, sentence }];
  });
}

/** While one choice is in force, and no other day decides, only one text is sent, whatever happens to its placeholders. */
function changedText(look: Look): Finding[] {
  const { trace, life, calm } = look;
  const pretended = readTopics(trace);
  return sendingsOf(look.life).flatMap(({ sending, output }, index, all): Finding[] => {
    // What nobody can have read says what is so when it is tried again.
    const before = all.slice(0, index).findLast((one) => mayHaveArrived(one.sending))?.sending;
    const { steady, payload } = sending;
    if (!before || before.target !== sending.target) return [];
    // The topic by which the rule turns may come after the message.
    const chosen = life.chosen(before.steady, steady + AROUND);
    if (chosen && !isOneChoice(chosen)) return [];
    const isOpen =
      !chosen ||
      !calm.isThrough(before.steady - AROUND, steady) ||
      mayTellOtherDay(look, ofChoices(output, chosen), before.steady, steady) ||
      pretended.changes([SIMULATION], before.steady - AROUND, steady).length > 0;
    if (isOpen) return ["skipped"];
    if (before.payload === payload) return ["right"];
    const sentence = `${life.id}: ${payload} was sent after ${before.payload}, by the same choice`;
    return [{ at: steady, sentence }];
  });
}

/** This output, with the choices alone that decided. */
function ofChoices(output: OutputText, chosen: readonly Chosen[]): OutputText {
  const rules = chosen.flatMap((one) => ("rule" in one ? [one.rule] : []));
  return { ...output, choose: output.choose.filter(({ when }) => rules.includes(when)) };
}

/** The same choice decides all the time. */
function isOneChoice([first, ...others]: readonly Chosen[]): boolean {
  return first?.kind === "choice" && others.every((one) => "rule" in one && one.rule === first.rule);
}

/** When its choice begins, it is sent, unless the same was delivered not long ago. */
function unsent({ trace, life, calm }: Look): Finding[] {
  return [...new Set(life.turns)].flatMap((steady): Finding[] => {
    const output = life.at(steady);
    const end = steady + BEGINS;
    const [before, ...after] = life.chosen(steady - 1, end) ?? [];
    const begun = after[0];
    if (!output?.isMessage || !before || begun?.kind !== "choice") return [];
    if (before.kind === "choice" && before.rule === begun.rule) return [];
    const isOpen =
      !isOneChoice(after) ||
      !calm.isThrough(steady - AROUND, end) ||
      !life.isSame(steady - AROUND, end) ||
      // What a wrong clock says for some seconds ends no choice.
      within(trace.events, steady - JUDGED_WITHIN, end).some((event) => isKind(event, "jump"));
    if (isOpen) return ["skipped"];
    const sendings = life.sendings(steady);
    const sent = within(sendings, steady - AROUND, end);
    if (sent.some(({ payload }) => isTextFor(begun, output, payload))) return ["right"];
    const told = sendings.filter((one) => one.steady <= steady - AROUND && mayHaveArrived(one));
    // After six in an hour it follows when the hour is over.
    const isOften = told.filter((one) => one.steady > steady - HOUR - SLACK).length >= MOST;
    const isTold = looksAtOneDay(trace, ofChoices(output, after), steady)
      ? told.length > 0
      : isLastRead(trace, told, after, steady);
    if (isTold || isOften) return ["skipped"];
    const sentence = `${life.id}: its choice has begun, and no ${begun.payload} was sent within ${BEGINS / 1000} s`;
    return [{ at: end, sentence }];
  });
}

/** One of these texts may have arrived in the six hours before, and vigie knows of no other text that was delivered after it. */
function isLastRead(
  trace: Trace,
  told: readonly Sending[],
  chosen: readonly Chosen[],
  steady: number,
): boolean {
  const isText = (payload: string) =>
    payload.includes(MARK) || chosen.some((one) => "payload" in one && one.payload === payload);
  const last = told.findLastIndex(({ payload }) => isText(payload));
  if (last < 0 || told[last]!.steady <= steady - SIX_HOURS - AROUND) return false;
  const since = told.slice(last + 1);
  return !since.some((one) => one.takenAt !== null && !mayHaveForgotten(trace, one.steady, steady));
}

/** Whatever its placeholders say, and whether it is marked or not. */
function isTextFor(chosen: Chosen, { choose, unknown }: OutputText, payload: string): boolean {
  const text = payload.replaceAll(`${MARK} `, "");
  const said =
    chosen.kind === "unknown" ? unknown : choose.find((one) => "rule" in chosen && one.when === chosen.rule);
  return said !== undefined && isTextOf(said.payload, text);
}

/** It says what a choice says that is in force about then. */
function notChosen({ life, calm }: Look): Finding[] {
  return sendingsOf(life).map(({ sending, output }): Finding => {
    const { steady, payload, how } = sending;
    const chosen = life.chosen(steady - AROUND, steady + AROUND);
    // What rules say while the broker is away, nobody sees.
    const isOpen = !chosen || (how === "http" && !calm.isThrough(steady - AROUND, steady + AROUND));
    if (isOpen) return "skipped";
    if (chosen.some((one) => isTextFor(one, output, payload))) return "right";
    return {
      at: steady,
      sentence: `${life.id}: ${payload} was sent, and nothing that says it was in force`,
    };
  });
}

/** What was not taken, as far as is known, is tried again while its choice is ON. */
function untried(look: Look): Finding[] {
  const { trace, life, calm } = look;
  const topics = readTopics(trace);
  const all = sendingsOf(look.life);
  const sendings = all.map(({ sending }) => sending);
  return all.flatMap(({ sending, output }, index): Finding[] => {
    const { steady, failure } = sending;
    const wait = failure === null ? null : pauseAfter(output, sendings, index);
    if (wait === null) return [];
    const end = (sending.overAt ?? steady) + wait + LATE;
    const chosen = life.chosen(steady - AROUND, end);
    if (chosen && !chosen.every(isChoice)) return [];
    const isOpen =
      !chosen ||
      !calm.isThrough(steady - AROUND, end) ||
      // What another choice, another day or a simulation says may have been told before.
      !isOneChoice(life.chosen(steady, end) ?? []) ||
      mayTellOtherDay(look, output, steady, end) ||
      wasPretended(topics, steady - AROUND, end);
    if (isOpen) return ["skipped"];
    const next = sendings[index + 1];
    if (next && next.steady <= end) return ["right"];
    const sentence = `${life.id}: ${sending.payload} was not taken, and not tried again within ${(wait + LATE) / 1000} s`;
    return [{ at: end, sentence }];
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
  if (failure === "refused" && (!isLater(status) || isBusyForLong(all, index))) return PAUSE;
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

/** Nothing is marked if nothing was pretended for as long as a text may be tried. */
function wronglyMarked(look: Look): Finding[] {
  const topics = readTopics(look.trace);
  return sendingsOf(look.life).flatMap(({ sending: { steady, payload } }): Finding[] => {
    if (wasPretended(topics, steady - SIX_HOURS, steady + AROUND)) return ["skipped"];
    if (!payload.includes(MARK)) return ["right"];
    return [{ at: steady, sentence: `${look.life.id}: ${payload} is marked, and nothing is pretended` }];
  });
}

/** It is marked if its rule was not ON until something was pretended, and nothing else happened. */
function unmarked(look: Look): Finding[] {
  const topics = readTopics(look.trace);
  return sendingsOf(look.life).flatMap(({ sending: { steady, payload } }, index, all): Finding[] => {
    if (topics.at(SIMULATION, steady) === "auto") return [];
    const [began] = topics.changes([SIMULATION], steady - AROUND, steady);
    const isFirst = !all.slice(0, index).some((one) => one.sending.payload === payload);
    if (began === undefined || !isFirst) return ["skipped"];
    const before = look.life.chosen(began - AROUND, began - 1);
    const wasOff = before !== null && !before.some(isChoice);
    const isNews = within(look.trace.events, began - AROUND, steady).some(
      (event) =>
        isKind(event, "answer", "reload", "start") ||
        (isKind(event, "heard") && !event.topic.startsWith(BASE)),
    );
    if (!wasOff || isNews || isMinuteBegun(topics, steady)) return ["skipped"];
    if (payload.includes(MARK)) return ["right"];
    return [{ at: steady, sentence: `${look.life.id}: ${payload} is not marked, though it is pretended` }];
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

/** A write failed, or had not ended when a process ended, however short it was. */
function mayBeUnsaved({ events }: Trace, from: number, to: number): boolean {
  const meanwhile = within(events, from - SLACK, to);
  const hasFailed = meanwhile.some((event) => isKind(event, "write") && event.outcome === "failed");
  // While a write hangs, none begins.
  const before = events.slice(0, countUntil(events, from - SLACK)).findLast(isOfWriting);
  const writes = [...(before ? [before] : []), ...meanwhile.filter(isOfWriting)];
  const hangs = writes.some((event, index) => event.kind === "start" && isBegun(writes[index - 1]));
  return hasFailed || hangs;
}

/**
 * vigie was started with a state file that may not hold how often it tried: nothing else tells it. `hasForgotten` asks for more: what
 * vigie does not know of a device it sends once more.
 */
export function mayHaveForgotten(trace: Trace, from: number, to: number): boolean {
  const meanwhile = within(trace.events, from, to);
  if (!meanwhile.some((event) => isKind(event, "start"))) return false;
  return meanwhile.some((event) => isKind(event, "state file")) || mayBeUnsaved(trace, from, to);
}

function isOfWriting(event: Trace["events"][number]): boolean {
  return isKind(event, "write", "start");
}

function isBegun(event: Trace["events"][number] | undefined): boolean {
  return event?.kind === "write" && event.outcome === "begun";
}

/** Milliseconds by which the broker may see a pause shorter than it is. */
const EARLY = 1_000;
/** Milliseconds by which vigie may have pretended it before its topic says so. */
const EARLIER = 1_000;
const MARK = "[simulation]";
/** Tries of a message, and messages in an hour. */
const MOST = 6;
const SIX_HOURS = 6 * HOUR;
const SLACK = 10_000;
/** Milliseconds in which that it was delivered is saved. */
const SAVED = 5_000;
const AROUND = 12_000;
const BEGINS = 30_000;
/** Milliseconds in which a clock that jumped is found right or wrong. */
const JUDGED_WITHIN = 20_000;
const EVERY = 30_000;
/** After a try that may have arrived. */
const PAUSES = [30_000, 120_000, 600_000, 1_800_000, HOUR];
const PAUSE = 600_000;
/** Milliseconds: a host that hangs holds each request for ten seconds. */
const LATE = 45_000;
