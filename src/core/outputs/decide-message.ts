import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { Delivered, Message, Messages, ToldDay } from "./message.ts";
import type { Output } from "./output.ts";

/** A message as the rules want it now. */
export type WantedMessage = Pick<Message, "text" | "choice" | "because" | "day" | "pretended">;

/** `facts`: the real ones, also while a simulation runs. */
interface DecidedBy {
  facts: Facts;
  at: Instant;
  /** false: the broker is away. Nothing begins then: when it is back, the text says what is so by then. */
  mayBegin: boolean;
}

/** What is the last message now, and whether it stands. The same object if nothing changes; undefined: there is none. */
export function decideMessage(
  output: Output,
  wanted: WantedMessage,
  before: Messages | undefined,
  { facts, at, mayBegin }: DecidedBy,
): Messages | undefined {
  const color = (wanted.day === null ? null : factsOfDay(facts, wanted.day)?.color) ?? null;
  const fresh: Message = { ...wanted, color, at, tries: 0, tried_at: null, taken: false };
  if (!before)
    return mayBegin ? { id: output.id, last: fresh, stands: true, delivered: [], told_days: {} } : undefined;
  const messages = followColors(before, wanted, facts);
  if (isGoingOn(messages, wanted)) {
    if (!isNews(messages, wanted)) return messages;
  } else {
    const told = findTold(output, messages, wanted, at);
    if (told === "long ago") return endMessage(messages);
    if (told) return countAgain(messages, told, fresh);
  }
  if (isOften(messages, at)) return endMessage(messages);
  return mayBegin ? { ...messages, last: fresh, stands: true } : messages;
}

/** None of the choices is ON as far as is known: nothing is tried any more. */
export function stopTrying(before: Messages, facts: Facts): Messages {
  return endMessage(followColors(before, null, facts));
}

function endMessage(messages: Messages): Messages {
  return messages.stands ? { ...messages, stands: false } : messages;
}

function isInForce(
  { stands, last }: Messages,
  { choice, pretended }: Pick<WantedMessage, "choice" | "pretended">,
): boolean {
  return stands && last.choice === choice && last.pretended === pretended;
}

/** What has not arrived tells of no other day than the one that decides now. */
function isGoingOn(messages: Messages, wanted: WantedMessage): boolean {
  const { taken, day } = messages.last;
  return isInForce(messages, wanted) && (taken || day === wanted.day);
}

/** While its choice stays ON. */
function isNews(messages: Messages, wanted: WantedMessage): boolean {
  return isLaterDay(messages, wanted) || isUntrue(messages, wanted);
}

/** Later than all that were told of this choice, and than the one that is about to be. */
function isLaterDay({ last, told_days }: Messages, { choice, day }: WantedMessage): boolean {
  if (day === null) return false;
  return day > (last.day ?? "") && day > (toldOf(told_days, choice)?.day ?? "");
}

/** The text of this day would be another one now: nobody can have read it yet, or its official colour is another one than people read. */
function isUntrue({ last, told_days }: Messages, { text, choice, day }: WantedMessage): boolean {
  if (last.text === text) return false;
  const told = toldOf(told_days, choice);
  return (!last.taken && last.tries === 0) || (told?.day === day && told.has_changed);
}

/**
 * The message that has told what is wanted: the last one, or an earlier one. "long ago": which one it was is not kept any more.
 * undefined: people have to be told.
 */
function findTold(
  output: Output,
  { last, delivered, told_days }: Messages,
  wanted: WantedMessage,
  at: Instant,
): Delivered | "the last one" | "long ago" | undefined {
  const recent = delivered.filter((one) => isRecent(one.tried_at, at));
  const told = toldOf(told_days, wanted.choice);
  const isSameDay = told !== undefined && told.day === wanted.day;
  if (isSameDay && !told.has_changed) {
    const same = recent.findLast(({ choice, day }) => choice === wanted.choice && day === wanted.day);
    if (same) return same;
    return last.choice === wanted.choice && last.day === wanted.day ? "the last one" : "long ago";
  }
  if (isTriedAlready(last, wanted, at) && !isGivenUp(output, last)) return "the last one";
  if (isSameDay) return undefined;
  const isOlder = told !== undefined && wanted.day !== null && told.day > wanted.day;
  const index = recent.findLastIndex(({ text, choice, day }) => {
    if (text !== wanted.text) return false;
    if (wanted.day === null || isOlder) return true;
    return day === wanted.day && choice !== wanted.choice;
  });
  const same = recent[index];
  return same && !isOutdated(same, recent.slice(index + 1)) ? same : undefined;
}

/** The text that is wanted is tried already, and has not arrived as far as is known. */
function isTriedAlready(
  last: Message,
  { text, choice, day, pretended }: WantedMessage,
  at: Instant,
): boolean {
  if (last.taken || last.choice !== choice || last.pretended !== pretended) return false;
  return last.day === day && last.text === text && isRecent(last.at, at);
}

/** People have read something else since. What is only pretended says so itself. */
function isOutdated({ text, pretended }: Delivered, later: readonly Delivered[]): boolean {
  return later.some((one) => one.text !== text && (pretended || !one.pretended));
}

/** Nothing new is sent: what people were told by that message counts for this choice, too. */
function countAgain(
  messages: Messages,
  told: Delivered | "the last one",
  { choice, because, pretended, day, color }: Message,
): Messages {
  const as = { choice, because, pretended, day, color };
  if (told === "the last one") return { ...messages, last: { ...messages.last, ...as }, stands: true };
  const told_days = withTold(messages.told_days, as);
  return { ...messages, last: { ...told, ...as }, stands: true, told_days };
}

/** Nobody reads more than six messages an hour. */
function isOften({ delivered }: Messages, at: Instant): boolean {
  return oftenUntil(delivered, at) !== null;
}

/** Until when no new message is sent, as there were six within an hour; null: one may be. */
export function oftenUntil(delivered: readonly Delivered[], at: Instant): Instant | null {
  const lastHour = delivered.filter(({ tried_at }) => Math.abs(at - tried_at) < HOUR);
  const first = lastHour.at(-MOST_AN_HOUR);
  return first ? first.tried_at + HOUR : null;
}

/**
 * What is told of days, with the official colours of now. One that is not the colour that people read makes the day news if its
 * choice is not in force, or its text would be another one now.
 */
function followColors(messages: Messages, wanted: WantedMessage | null, facts: Facts): Messages {
  const { last } = messages;
  const isNow = wanted !== null && isInForce(messages, wanted);
  const color = (isNow && last.day !== null ? officialColor(facts, last.day) : null) ?? last.color;
  let { told_days } = messages;
  for (const [choice, told] of Object.entries(told_days)) {
    const official = officialColor(facts, told.day);
    if (official === null || official === told.color) continue;
    const isSameDay = isNow && wanted.choice === choice && wanted.day === told.day;
    const isTold = isSameDay && wanted.text === last.text;
    const has_changed = told.has_changed || !isTold;
    told_days = { ...told_days, [choice]: { day: told.day, color: official, has_changed } };
  }
  if (color === last.color && told_days === messages.told_days) return messages;
  return { ...messages, last: { ...last, color }, told_days };
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

/** The last message has arrived, or may have: `isTaken` tells which. It is not told again soon. */
export function recordArrival(
  { last, delivered, told_days, ...rest }: Messages,
  { isTaken, at }: { isTaken: boolean; at: Instant },
): Messages {
  const {
    because: _,
    color: __,
    ...tried
  } = {
    ...last,
    tries: last.tries + 1,
    tried_at: at,
    taken: last.taken || isTaken,
  };
  const others = delivered.filter((one) => one.at !== last.at && isRecent(one.tried_at, at));
  return {
    ...rest,
    last: { ...last, ...tried },
    delivered: [...others, tried],
    told_days: withTold(withContradicted(told_days, last, delivered), last),
  };
}

/** What another choice told of the same day is news again: this text says something else, or names no day. */
function withContradicted(
  before: Messages["told_days"],
  { choice: by, day, text, pretended }: Message,
  delivered: readonly Delivered[],
): Messages["told_days"] {
  if (pretended) return before;
  const entries = Object.entries(before).map(([choice, told]): [string, ToldDay] => {
    const own = delivered.findLast((one) => one.choice === choice && one.day === told.day);
    const isOther = choice !== by && (day ?? told.day) === told.day && own?.text !== text;
    return [choice, isOther ? { ...told, has_changed: true } : told];
  });
  return Object.fromEntries(entries);
}

/** The latest day of each choice is kept. */
function withTold(
  before: Messages["told_days"],
  { choice, day, color }: Pick<Message, "choice" | "day" | "color">,
): Messages["told_days"] {
  if (day === null) return before;
  const told = toldOf(before, choice);
  const isKnown = told?.day === day && told.color === color && !told.has_changed;
  if (told && (told.day > day || isKnown)) return before;
  return { ...before, [choice]: { day, color, has_changed: false } };
}

/** The last message is wanted, and has not arrived as far as is known. */
export function isTried(output: Output, { stands, last }: Messages): boolean {
  return stands && !last.taken && !isGivenUp(output, last);
}

/** Nobody has said that it arrived, and it is not tried any more. */
export function isGivenUp(output: Output, { taken, tries }: Pick<Message, "taken" | "tries">): boolean {
  return !taken && tries >= MOST_TRIES && !isReadOnce(output);
}

/** Milliseconds from a try that may have arrived to the next one. */
export function pauseAfter(output: Output, tries: number): number {
  const pause = PAUSES[tries - 1] ?? LONGEST_IF_READ_ONCE;
  return isReadOnce(output) ? Math.min(pause, LONGEST_IF_READ_ONCE) : pause;
}

/** Each message has an address of its own, so the service recognises one that it has already: people read it once. Matrix does so. */
function isReadOnce({ to }: Output): boolean {
  return to.kind === "http" && to.method === "PUT" && to.url.includes("{id}");
}

function toldOf(told: Messages["told_days"], choice: string): ToldDay | undefined {
  return Object.hasOwn(told, choice) ? told[choice] : undefined;
}

function isRecent(instant: Instant, now: Instant): boolean {
  return Math.abs(now - instant) < SAME_TEXT_AFTER;
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
