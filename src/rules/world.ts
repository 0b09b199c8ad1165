import type { Book } from "../book/book.ts";
import { addDays, clockShifts, dayStart } from "../calendar/day.ts";
import { datesBetween } from "../calendar/season.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { wallEdges } from "../calendar/wall.ts";
import type { View } from "../facts/view.ts";
import { type Frame, frameAt } from "./frame.ts";
import { LONGEST_SHIFT } from "./rule.ts";
import { beatsBetween, inOrder, type Ticks, tickInstants } from "./ticks.ts";

/** What rules are asked about: what is known, seen from any instant from two days ago to the last known day. */
export interface World {
  at: Instant;
  book: Book;
  tariff: Tariff;
  /** The end of the last tariff day of the horizon of which a colour is known. */
  until: Instant;
  frame: (at: Instant) => Frame;
  /** When such a condition can turn, in order. */
  ticks: (ticks: Ticks) => readonly Instant[];
  /** The same instants, with another book. */
  withBook: (book: Book) => World;
}

export interface WorldOptions {
  at: Instant;
  book: Book;
  tariff: Tariff;
  /** The book as it looks from an instant; a simulated colour is painted in here. */
  look: (book: Book, at: Instant) => View;
  /** When else what is looked at changes by itself: the end of a simulation. */
  edges?: readonly Instant[];
}

export function openWorld(options: WorldOptions): World {
  const { at, book, tariff } = options;
  const until = endOfKnown(options.look(book, at));
  const [after, last] = [at - LOOKING_BACK, until + LONGEST_SHIFT];
  const beats = beatsBetween(after, last, tariff);
  const edges = (options.edges ?? []).filter((edge) => edge > after && edge <= last);
  const shifts = clockShifts(after, last, tariff.time_zone);
  const starts = inOrder([
    after,
    at,
    ...beats.days,
    ...beats.midnights,
    ...beats.periods,
    ...shifts,
    ...edges,
  ]);
  const remembered = new Map<string, readonly Instant[]>();
  const ticks = (asked: Ticks) => {
    const known = remembered.get(asked.key);
    if (known) return known;
    const walls = (times: readonly string[]) => [
      ...wallEdges(times, after, last, tariff.time_zone),
      ...edges,
    ];
    const instants = tickInstants(asked, beats, walls);
    remembered.set(asked.key, instants);
    return instants;
  };
  const open = (known: Book): World => ({
    ...{ at, book: known, tariff, until, ticks },
    frame: framesOf(starts, (start) => frameAt(start, options.look(known, start))),
    withBook: open,
  });
  return open(book);
}

/** Rules speak of the days that are known: to the last of them, or of the day in force only. */
function endOfKnown({ now, last, day, tariff }: View): Instant {
  const known = datesBetween(now, last).findLast((date) => day(date).color !== null);
  return dayStart(addDays(known ?? now, 1), tariff);
}

/** Each frame is made when it is first looked at. */
function framesOf(starts: readonly Instant[], make: (start: Instant) => Frame): World["frame"] {
  const frames: (Frame | undefined)[] = [];
  const find = (at: Instant): Frame => {
    const index = Math.max(0, firstAfter(starts, at) - 1);
    const frame = frames[index] ?? make(starts[index] ?? at);
    frames[index] = frame;
    return frame;
  };
  // All rules ask about one instant after another.
  let last: { at: Instant; frame: Frame } | undefined;
  return (at) => {
    if (last?.at !== at) last = { at, frame: find(at) };
    return last.frame;
  };
}

/** The place of the first of these instants that comes after one. */
export function firstAfter(instants: readonly Instant[], at: Instant): number {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instants[middle] ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function firstTick(instants: readonly Instant[], after: Instant): Instant | undefined {
  return instants[firstAfter(instants, after)];
}

/** A lag of a day, and as long a sleep before it. */
const LOOKING_BACK = 2 * LONGEST_SHIFT;
