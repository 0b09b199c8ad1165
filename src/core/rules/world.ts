import { addDays, datesBetween, dayStart } from "../calendar/dates.ts";
import { inOrder, placeAfter } from "../calendar/instants.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { Simulation } from "../facts/facts.ts";
import { simulateView } from "../facts/simulation.ts";
import { type View, viewAt } from "../facts/view.ts";
import { beatsBetween, nextBeat } from "./beats.ts";
import { type Frame, frameAt } from "./frame.ts";
import { LONGEST_SHIFT } from "./rule.ts";
import type { Ticks } from "./ticks.ts";

/** What rules are asked about: what is known, seen from any instant from two days ago to the last known day. */
export interface World {
  at: Instant;
  knownDays: KnownDays;
  tariff: Tariff;
  /** The end of the last tariff day of the horizon of which a colour is known. */
  until: Instant;
  frame: (at: Instant) => Frame;
  /** When such a condition can turn next after an instant; infinite where it cannot, so far as is known. */
  tickAfter: (ticks: Ticks, instant: Instant) => Instant;
  /** The same instants, with another book. */
  withKnownDays: (knownDays: KnownDays) => World;
}

export interface WorldOptions {
  at: Instant;
  knownDays: KnownDays;
  tariff: Tariff;
  /** The book as it looks from an instant; a simulated colour is painted in here. */
  look: (knownDays: KnownDays, at: Instant) => View;
  /** When else what is looked at changes by itself: the end of a simulation. */
  edges?: readonly Instant[];
}

export function openWorld(options: WorldOptions): World {
  const { at, knownDays, tariff, edges } = options;
  const until = endOfKnown(options.look(knownDays, at));
  const after = at - LOOKING_BACK;
  const beats = beatsBetween(after, until + LONGEST_SHIFT, tariff, edges);
  const { days, midnights, periods, shifts } = beats;
  const starts = inOrder([after, at, ...days, ...midnights, ...periods, ...shifts, ...beats.edges]);
  const open = (known: KnownDays): World => ({
    at,
    knownDays: known,
    tariff,
    until,
    frame: framesOf(starts, (start) => frameAt(start, options.look(known, start))),
    tickAfter: (ticks, instant) => nextBeat(ticks, beats, instant),
    withKnownDays: open,
  });
  return open(knownDays);
}

/** The world as it is shown: with the colour that is pretended, while it is. */
export function openShownWorld({ simulation, ...options }: ShownWorldOptions): World {
  const { tariff } = options;
  return openWorld({
    ...options,
    look: (known, instant) => simulateView(viewAt(known, instant, tariff), simulation),
    edges: simulation ? [simulation.begun, simulation.until] : [],
  });
}

interface ShownWorldOptions extends Pick<WorldOptions, "at" | "knownDays" | "tariff"> {
  simulation: Simulation | null;
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
    const index = Math.max(0, placeAfter(starts, at) - 1);
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

/** A lag of a day, and as long a sleep before it. */
const LOOKING_BACK = 2 * LONGEST_SHIFT;
