import type { Clocks } from "../calendar/clocks.ts";
import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { Output } from "./output.ts";
import {
  type Delivered,
  lastSent,
  type OutputsState,
  recordOf,
  type Sending,
  type Sent,
  type ToldDay,
} from "./outputs-state.ts";

// A message is read by people: it is sent once when its choice begins, and once more for each later day for which that choice is ON.

/** A message as the rules want it now. */
export type WantedMessage = Sending & { day: IsoDate | null };

/**
 * Why nothing is chosen. "nothing": all rules are OFF. "unknown": the first rule that is not OFF is unknown, and nothing is sent for
 * that. "as before": it is so because of vigie itself, or only for some seconds.
 */
export type NotChosen = "nothing" | "unknown" | "as before";

/** What is sent now, or what changes of what was sent last. */
export interface Decision {
  send?: Sending;
  change?: Partial<Sent>;
}

/** `facts`: the real ones, also while a simulation runs. */
interface DecidedBy {
  facts: Facts;
  at: Instant;
}

export function decideMessage(
  output: Output,
  wanted: WantedMessage | NotChosen,
  before: Sent | undefined,
  by: DecidedBy,
): Decision {
  if (typeof wanted === "string") return before ? stopTrying(wanted, before, by.facts) : {};
  return decideWanted(output, wanted, before && readAsMessage(before, wanted), by);
}

function decideWanted(
  output: Output,
  wanted: WantedMessage,
  before: Sent | undefined,
  { facts, at }: DecidedBy,
): Decision {
  const { day, ...send } = wanted;
  const color = (day === null ? null : factsOfDay(facts, day)?.color) ?? null;
  const fresh: Sending = { ...send, message: { day, color, begun: at } };
  if (!before) return { send: fresh };
  const sent = followColors(readEarlier(before, wanted, color), wanted, facts);
  if (isGoingOn(sent, wanted)) {
    if (!isNews(sent, wanted)) return goOn(output, sent);
  } else {
    const told = findTold(output, sent, wanted, at);
    if (told === "long ago") return { change: { ...sent, stands: false } };
    if (told) return goOn(output, recordAgain(sent, told, { ...wanted, color }));
  }
  return isOften(sent, at) ? { change: { ...sent, stands: false } } : { change: sent, send: fresh };
}

/**
 * The output may have been for a device since the last message: whether that one arrived is found among what people have read. What
 * the device did not take is not wanted any more.
 */
function readAsMessage(before: Sent, wanted: WantedMessage): Sent {
  if (before.told_days !== null) return before;
  const last = before.delivered.findLast(({ begun }) => begun === before.at);
  const sent = last ? { ...before, tries: last.tries, acknowledged: last.taken } : before;
  const isOther = last ? !last.taken && sent.payload !== wanted.payload : isOfDevice(sent, wanted);
  return isOther ? { ...sent, stands: false, told_days: {} } : sent;
}

/**
 * It was not taken by a device that was at this topic or address before: people are not sent that, and have read nothing of it. If it
 * is a text that an earlier version did not deliver, they get the one of now.
 */
function isOfDevice({ acknowledged, payload, tries }: Sent, wanted: WantedMessage): boolean {
  return !acknowledged && (payload !== wanted.payload || tries > TRIES_OF_EARLIER_VERSIONS);
}

/** None of its choices is ON as far as is known: it is not tried any more. */
function stopTrying(wanted: NotChosen, sent: Sent, facts: Facts): Decision {
  if (wanted === "as before" || (wanted === "unknown" && sent.told_days === null)) return {};
  return { change: { ...followColors(sent, null, facts), stands: false } };
}

/** No new message: the last one is tried again until it has arrived, or is given up. */
function goOn(output: Output, sent: Sent): Decision {
  if (sent.acknowledged || isGivenUp(output, sent)) return { change: sent };
  const { id, key } = output;
  const { payload, expect, choice, because, pretended, day, color, at: begun } = sent;
  const message = { day, color, begun };
  const why = { choice: choice ?? "unknown", because: because ?? "what was sent last stands" };
  return { change: sent, send: { key, id, message, payload, expect, pretended, ...why } };
}

function isInForce({ stands, choice, pretended }: Sent, wanted: Sending): boolean {
  return stands && choice === wanted.choice && pretended === wanted.pretended;
}

/** What has not arrived tells of no other day than the one that decides now. */
function isGoingOn(sent: Sent, wanted: WantedMessage): boolean {
  return isInForce(sent, wanted) && (sent.acknowledged || sent.day === wanted.day);
}

/** While its choice stays ON. */
function isNews(sent: Sent, wanted: WantedMessage): boolean {
  return isLaterDay(sent, wanted) || isUntrue(sent, wanted);
}

/** Later than all that were told of this choice, and than the one that is about to be. */
function isLaterDay({ day, told_days }: Sent, { choice, day: wanted }: WantedMessage): boolean {
  if (wanted === null) return false;
  return wanted > (day ?? "") && wanted > (toldOf(told_days, choice)?.day ?? "");
}

/** The text of this day would be another one now: nobody can have read it yet, or its official colour is another one than people read. */
function isUntrue(sent: Sent, { payload, choice, day }: WantedMessage): boolean {
  if (sent.payload === payload) return false;
  const told = toldOf(sent.told_days, choice);
  return (!sent.acknowledged && sent.tries === 0) || (told?.day === day && told.has_changed);
}

/**
 * The message that has told what is wanted: the last one, or an earlier one. "long ago": which one it was is not kept any more.
 * undefined: people have to be told.
 */
function findTold(
  output: Output,
  sent: Sent,
  wanted: WantedMessage,
  at: Instant,
): Delivered | "the last one" | "long ago" | undefined {
  const recent = sent.delivered.filter((one) => isRecent(one, at));
  const told = toldOf(sent.told_days, wanted.choice);
  const isSameDay = told !== undefined && told.day === wanted.day;
  if (isSameDay && !told.has_changed) {
    const last = recent.findLast(({ choice, day }) => choice === wanted.choice && day === wanted.day);
    if (last) return last;
    return sent.choice === wanted.choice && sent.day === wanted.day ? "the last one" : "long ago";
  }
  if (isTried(sent, wanted, at) && !isGivenUp(output, sent)) return "the last one";
  if (isSameDay) return undefined;
  const isOlder = told !== undefined && wanted.day !== null && told.day > wanted.day;
  const index = recent.findLastIndex(({ payload, choice, day }) => {
    if (payload !== wanted.payload) return false;
    // Earlier versions do not say of which day it was.
    if (wanted.day === null || choice === null || isOlder) return true;
    // The days of each choice are not kept while the output is for a device.
    return day === wanted.day && (choice !== wanted.choice || told === undefined);
  });
  const same = recent[index];
  return same && !isOutdated(same, recent.slice(index + 1)) ? same : undefined;
}

/** The text that is wanted is tried already, and has not arrived as far as is known. */
function isTried(sent: Sent, wanted: WantedMessage, at: Instant): boolean {
  if (sent.acknowledged || sent.choice !== wanted.choice || sent.pretended !== wanted.pretended) return false;
  return sent.day === wanted.day && sent.payload === wanted.payload && isRecent(sent, at);
}

/** People have read something else since. What is only pretended says so itself. */
function isOutdated({ payload, pretended }: Delivered, later: readonly Delivered[]): boolean {
  return later.some((one) => one.payload !== payload && (pretended || !one.pretended));
}

/** Nothing is sent: what people were told by that message counts for this choice, too. */
function recordAgain(
  sent: Sent,
  told: Delivered | "the last one",
  { choice, because, pretended, day, color }: WantedMessage & Pick<Sent, "color">,
): Sent {
  const again = { ...sent, choice, because, pretended, day, color, stands: true };
  if (told === "the last one") return again;
  const { payload, begun, tries, taken } = told;
  const told_days = withTold(sent.told_days, { choice, day, color });
  return { ...again, payload, at: begun, tries, acknowledged: taken, told_days };
}

/** Nobody reads more than six messages an hour. */
function isOften(sent: Sent, at: Instant): boolean {
  return oftenUntil(sent, at) !== null;
}

/** Until when no new message is sent, as there were six within an hour; null: one may be. */
export function oftenUntil({ delivered }: Pick<Sent, "delivered">, at: Instant): Instant | null {
  const lastHour = delivered.filter((one) => Math.abs(at - one.at) < HOUR);
  const first = lastHour.at(-MOST_AN_HOUR);
  return first ? first.at + HOUR : null;
}

/**
 * What is told of days, with the official colours of now. One that is not the colour that people read makes the day news if its
 * choice is not in force, or its text would be another one now.
 */
function followColors(sent: Sent, wanted: WantedMessage | null, facts: Facts): Sent {
  const isNow = wanted !== null && isInForce(sent, wanted);
  const color = (isNow && sent.day !== null ? officialColor(facts, sent.day) : null) ?? sent.color;
  let told_days = sent.told_days;
  for (const [choice, told] of Object.entries(told_days ?? {})) {
    const official = officialColor(facts, told.day);
    if (official === null || official === told.color) continue;
    const isSameDay = isNow && wanted.choice === choice && wanted.day === told.day;
    const isTold = isSameDay && wanted.payload === sent.payload;
    const has_changed = told.has_changed || !isTold;
    told_days = { ...told_days, [choice]: { day: told.day, color: official, has_changed } };
  }
  return { ...sent, color, told_days };
}

/** null: it has none so far, or the facts do not hold this day. */
function officialColor(facts: Facts, date: IsoDate): Color | null {
  const day = factsOfDay(facts, date);
  return day?.official ? day.color : null;
}

function factsOfDay({ moment }: Facts, date: IsoDate) {
  const days = moment ? [moment.now, moment.next, ...Object.values(moment.days)] : [];
  return days.find((one) => one.date === date);
}

/**
 * A state file of an earlier version does not name the days. What is in force since then counts as told of the day of now, if the
 * text is the same: that version told no second day. What it had given up after three tries is given up.
 */
function readEarlier(sent: Sent, wanted: WantedMessage, color: Color | null): Sent {
  if (sent.told_days !== null) return sent;
  const { day, choice } = wanted;
  if (!isInForce(sent, wanted)) return { ...sent, told_days: {} };
  const isGivenUp = !sent.acknowledged && sent.tries >= TRIES_OF_EARLIER_VERSIONS;
  const isOfNow = !sent.acknowledged || sent.payload === wanted.payload;
  const isTold = day !== null && isOfNow && (sent.acknowledged || sent.tries > 0);
  return {
    ...sent,
    day: isOfNow ? day : null,
    color,
    told_days: isTold ? { [choice]: { day, color, has_changed: false } } : {},
    tries: isGivenUp ? MOST_TRIES : sent.tries,
  };
}

/** The message of this output has arrived, or may have: `isTaken` tells which. It is not told again soon. */
export function recordArrival(
  state: OutputsState,
  key: string,
  { isTaken, at }: { isTaken: boolean; at: Instant },
): OutputsState {
  const sent = lastSent(state, key);
  if (!sent) return state;
  const { payload, choice, day, color, pretended, at: begun, told_days } = sent;
  const tries = sent.tries + 1;
  const others = sent.delivered.filter((one) => one.begun !== begun && isRecent(one, at));
  const delivered = [...others, { payload, choice, day, pretended, begun, at, tries, taken: isTaken }];
  return recordOf(state, key, {
    tries,
    acknowledged: isTaken || sent.acknowledged,
    delivered,
    told_days: withTold(withContradicted(told_days, sent), { choice, day, color }),
  });
}

/** What another choice told of the same day is news again: this text says something else, or names no day. */
function withContradicted(
  before: Sent["told_days"],
  { choice: by, day, payload, pretended, delivered }: Sent,
): Sent["told_days"] {
  if (!before || pretended) return before;
  const entries = Object.entries(before).map(([choice, told]): [string, ToldDay] => {
    const own = delivered.findLast((one) => one.choice === choice && one.day === told.day);
    const isOther = choice !== by && (day ?? told.day) === told.day && own?.payload !== payload;
    return [choice, isOther ? { ...told, has_changed: true } : told];
  });
  return Object.fromEntries(entries);
}

/** The latest day of each choice is kept. */
function withTold(
  before: Sent["told_days"],
  { choice, day, color }: Pick<Sent, "choice" | "day" | "color">,
): Sent["told_days"] {
  if (choice === null || day === null) return before;
  const told = toldOf(before, choice);
  const isKnown = told?.day === day && told.color === color && !told.has_changed;
  if (told && (told.day > day || isKnown)) return before;
  return { ...before, [choice]: { day, color, has_changed: false } };
}

/** Milliseconds from a try that may have arrived to the next one. */
export function pauseAfter(output: Output, tries: number): number {
  const pause = PAUSES[tries - 1] ?? LONGEST_IF_READ_ONCE;
  return isReadOnce(output) ? Math.min(pause, LONGEST_IF_READ_ONCE) : pause;
}

/** When a message is tried again that may have arrived before vigie was started or its choice ended; by the steady clock. */
export function nextTryOf(
  output: Output,
  { at: begun, delivered, tries }: Sent,
  { now, steady }: Clocks,
): number {
  const last = delivered.findLast((one) => one.begun === begun);
  if (!last) return steady;
  const pause = pauseAfter(output, tries);
  return steady + Math.min(Math.max(0, last.at + pause - now), pause);
}

/** Nobody has said that it arrived, and it is not tried any more. */
export function isGivenUp(
  output: Output,
  { acknowledged, tries }: Pick<Sent, "acknowledged" | "tries">,
): boolean {
  return !acknowledged && tries >= MOST_TRIES && !isReadOnce(output);
}

/** Each message has an address of its own, so the service recognises one that it has already: people read it once. Matrix does so. */
function isReadOnce({ to }: Output): boolean {
  return to.kind === "http" && to.method === "PUT" && to.url.includes("{id}");
}

function toldOf(told: Sent["told_days"], choice: string): ToldDay | undefined {
  return told && Object.hasOwn(told, choice) ? told[choice] : undefined;
}

function isRecent({ at }: { at: Instant }, now: Instant): boolean {
  return Math.abs(now - at) < SAME_TEXT_AFTER;
}

/** Milliseconds. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SAME_TEXT_AFTER = 6 * HOUR;
const MOST_AN_HOUR = 6;
const PAUSES = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
/** A message that is read once, however often it is tried, is never given up. */
const LONGEST_IF_READ_ONCE = 10 * MINUTE;
/** The first one, and one after each pause. */
export const MOST_TRIES = PAUSES.length + 1;
const TRIES_OF_EARLIER_VERSIONS = 3;
