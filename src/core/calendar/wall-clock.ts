import { wallTime } from "./dates.ts";
import { inOrder, placeAfter } from "./instants.ts";
import type { Instant } from "./tariff.ts";

/** The wall between two instants, in stretches in which it runs as evenly as the time: zone arithmetic is dear. */
export interface Wall {
  starts: readonly Instant[];
  stretches: readonly Stretch[];
}

interface Stretch {
  start: Instant;
  end: Instant;
  /** What the wall shows at the start, in milliseconds since midnight. */
  shows: number;
  /** The clocks are moved at its start. */
  jumps: boolean;
}

/** `midnights` and `shifts` of the clocks as they are between these instants, the last one included. */
export function wallBetween(
  [first, last]: readonly [Instant, Instant],
  midnights: readonly Instant[],
  shifts: readonly Instant[],
  timeZone: string,
): Wall {
  const starts = inOrder([first, ...midnights, ...shifts]);
  const stretches = starts.map((start, index) => ({
    start,
    end: starts[index + 1] ?? last + 1,
    shows: wallClock(start, timeZone),
    jumps: shifts.includes(start),
  }));
  return { starts, stretches };
}

/** The first instant after one at which the wall reaches one of these times, or jumps; infinite where none is near. */
export function nextWallEdge(times: readonly number[], { starts, stretches }: Wall, after: Instant): Instant {
  if (times.length === 0) return Number.POSITIVE_INFINITY;
  for (let index = Math.max(0, placeAfter(starts, after) - 1); index < stretches.length; index += 1) {
    const stretch = stretches[index];
    const edge = stretch ? edgeWithin(stretch, times, after) : Number.POSITIVE_INFINITY;
    if (edge !== Number.POSITIVE_INFINITY) return edge;
  }
  return Number.POSITIVE_INFINITY;
}

function edgeWithin(
  { start, end, shows, jumps }: Stretch,
  times: readonly number[],
  after: Instant,
): Instant {
  if (jumps && start > after) return start;
  let first = Number.POSITIVE_INFINITY;
  for (const time of times) {
    // Not before the start: it is a jump, or midnight, or the first of all.
    const at = start + time - shows;
    if (at > after && at < end && at < first) first = at;
  }
  return first;
}

/** Milliseconds that a wall shows since midnight. */
export function wallClock(at: Instant, timeZone: string): number {
  return sinceMidnight(wallTime(at, timeZone).slice(TIME_FROM)) + (((at % SECOND) + SECOND) % SECOND);
}

/** `06:30` or `06:30:15` as milliseconds since midnight. */
export function sinceMidnight(time: string): number {
  const [hours, minutes, seconds] = [time.slice(0, 2), time.slice(3, 5), time.slice(6, 8)];
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
}

const SECOND = 1000;
const TIME_FROM = "2026-01-05T".length;
