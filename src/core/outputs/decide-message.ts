import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";
import type { Facts } from "../facts/facts.ts";
import type { Message, Messages, ToldDay, TriedMessage } from "./message.ts";
import type { Output } from "./output.ts";

/** A message as the rules want it now. */
export type WantedMessage = Pick<Message, "text" | "choice" | "because" | "day" | "pretended">;

/** The messages of an output that has had one. */
type Told = Messages & { last: Message };

/**
 * Which message is due, and whether the last one stands. The same object if nothing changes. `wanted`: null if no choice is ON as far as
 * is known, and nothing is tried any more then. `facts`: the real ones, also while a simulation runs. `mayBegin`: false while the
 * broker is away; when it is back, the text says what is so by then.
 */
export function decideMessage(
  output: Output,
  wanted: WantedMessage | null,
  before: Messages,
  { facts, at, mayBegin }: { facts: Facts; at: Instant; mayBegin: boolean },
): Messages {
  const messages = followColors(before, wanted, facts);
  if (!wanted) return withDue(endLast(messages), null);
  const color = (wanted.day === null ? null : factsOfDay(facts, wanted.day)?.color) ?? null;
  const fresh: Message = { ...wanted, color, at, tries: 0, tried_at: null, taken: false };
  const told = isTold(messages) ? findInForce(output, messages, fresh) : null;
  if (told || !mayBegin) return withDue(told ?? messages, null);
  const { due } = messages;
  return withDue(messages, due && isSame(due, fresh) && due.color === color ? due : fresh);
}

export function withDue(messages: Messages, due: Message | null): Messages {
  return messages.due === due ? messages : { ...messages, due };
}

function endLast(messages: Messages): Messages {
  return messages.stands ? { ...messages, stands: false } : messages;
}

function isTold(messages: Messages): messages is Told {
  return messages.last !== null;
}

function isSame(one: Message, { choice, day, text, pretended }: Message): boolean {
  return one.choice === choice && one.pretended === pretended && one.day === day && one.text === text;
}

/** What people were told counts, or there were too many messages; null: they have to be told. */
function findInForce(output: Output, messages: Told, wanted: Message): Messages | null {
  if (isGoingOn(messages, wanted)) {
    if (!isNews(messages, wanted)) return messages;
  } else {
    const told = findTold(output, messages, wanted);
    if (told === "long ago") return endLast(messages);
    if (told) return countAgain(messages, told, wanted);
  }
  return oftenUntil(messages.tried, wanted.at) === null ? null : endLast(messages);
}

function isInForce({ stands, last }: Messages, { choice, pretended }: WantedMessage): boolean {
  return stands && last?.choice === choice && last.pretended === pretended;
}

/** What has not arrived tells of no other day than the one that decides now. */
function isGoingOn(messages: Told, wanted: WantedMessage): boolean {
  const { taken, day } = messages.last;
  return isInForce(messages, wanted) && (taken || day === wanted.day);
}

/** While its choice stays ON. */
function isNews(messages: Told, wanted: WantedMessage): boolean {
  return isLaterDay(messages, wanted) || isUntrue(messages, wanted);
}

/** Later than all that were told of this choice, and than the one that is about to be. */
function isLaterDay({ last, told_days }: Told, { choice, day }: WantedMessage): boolean {
  if (day === null) return false;
  return day > (last.day ?? "") && day > (toldOf(told_days, choice)?.day ?? "");
}

/** The text of this day would be another one now: nobody can have read it yet, or its official colour is another one than people read. */
function isUntrue({ last, told_days }: Told, { text, choice, day }: WantedMessage): boolean {
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
  { last, tried, told_days }: Told,
  wanted: Message,
): TriedMessage | "the last one" | "long ago" | undefined {
  const recent = tried.filter((one) => isRecent(one.tried_at, wanted.at));
  const told = toldOf(told_days, wanted.choice);
  const isSameDay = told !== undefined && told.day === wanted.day;
  if (isSameDay && !told.has_changed) {
    const same = recent.findLast(({ choice, day }) => choice === wanted.choice && day === wanted.day);
    if (same) return same;
    return last.choice === wanted.choice && last.day === wanted.day ? "the last one" : "long ago";
  }
  if (isTriedAlready(last, wanted) && !isGivenUp(output, last)) return "the last one";
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
function isTriedAlready(last: Message, wanted: Message): boolean {
  return !last.taken && isSame(last, wanted) && isRecent(last.at, wanted.at);
}

/** People have read something else since. What is only pretended says so itself. */
function isOutdated({ text, pretended }: TriedMessage, later: readonly TriedMessage[]): boolean {
  return later.some((one) => one.text !== text && (pretended || !one.pretended));
}

/** Nothing new is sent: what people were told by that message counts for this choice, too. */
function countAgain(
  messages: Told,
  told: TriedMessage | "the last one",
  { choice, because, pretended, day, color }: Message,
): Messages {
  const as = { choice, because, pretended, day, color };
  if (told === "the last one") return { ...messages, last: { ...messages.last, ...as }, stands: true };
  const told_days = withTold(messages.told_days, as);
  return { ...messages, last: { ...told, ...as }, stands: true, told_days };
}

/** When the time ends in which no new message is sent, because nobody reads more than six an hour; null: one may be sent. */
export function oftenUntil(tried: readonly TriedMessage[], at: Instant): Instant | null {
  const lastHour = tried.filter(({ tried_at }) => Math.abs(at - tried_at) < HOUR);
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
  const color = isNow && last?.day ? officialColor(facts, last.day) : null;
  let { told_days } = messages;
  for (const [choice, told] of Object.entries(told_days)) {
    const official = officialColor(facts, told.day);
    if (official === null || official === told.color) continue;
    const isSameDay = isNow && wanted.choice === choice && wanted.day === told.day;
    const has_changed = told.has_changed || !(isSameDay && wanted.text === last?.text);
    told_days = { ...told_days, [choice]: { day: told.day, color: official, has_changed } };
  }
  const colored = last && color !== null && color !== last.color ? { ...last, color } : last;
  if (colored === last && told_days === messages.told_days) return messages;
  return { ...messages, last: colored, told_days };
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

/** What was due was tried. */
export function beginDue(messages: Messages): Messages {
  const { due } = messages;
  return due ? { ...messages, last: due, stands: true, due: null } : messages;
}

/** What was due when vigie was killed may have gone out. */
export function recordKilled(messages: Messages): Messages {
  const { due } = messages;
  return due ? recordTry(messages, { isTaken: false, at: due.at }) : messages;
}

/** What was due, or else the last message, has arrived, or may have: `isTaken` tells which. It is not told again soon. */
export function recordTry(before: Messages, { isTaken, at }: { isTaken: boolean; at: Instant }): Messages {
  const messages = beginDue(before);
  const { last, told_days } = messages;
  if (!last) return messages;
  const tried = { ...last, tries: last.tries + 1, tried_at: at, taken: last.taken || isTaken };
  const others = messages.tried.filter((one) => one.at !== last.at && isRecent(one.tried_at, at));
  return {
    ...messages,
    last: tried,
    tried: [...others, tried],
    told_days: withTold(withContradicted(told_days, last, messages.tried), last),
  };
}

/** What another choice told of the same day is news again: this text says something else, or names no day. */
function withContradicted(
  before: Messages["told_days"],
  { choice: by, day, text, pretended }: Message,
  tried: readonly TriedMessage[],
): Messages["told_days"] {
  if (pretended) return before;
  const entries = Object.entries(before).map(([choice, told]): [string, ToldDay] => {
    const own = tried.findLast((one) => one.choice === choice && one.day === told.day);
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

/** The message that is wanted, and has not arrived as far as is known; null: there is none. */
export function pendingMessage(output: Output, { due, stands, last }: Messages): Message | null {
  if (due) return due;
  return stands && last && !last.taken && !isGivenUp(output, last) ? last : null;
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
