import type { Random } from "../random.ts";
import type { Trace } from "../trace.ts";

/** Changes what a household has shown, so that it breaks a promise of the documents: a judge must complain. */
export interface Lie {
  /** What vigie does wrong in the trace that is changed. */
  name: string;
  /** The promise, word by word. */
  breaks: { document: string; sentence: string };
  /** The name of the judge that must complain. */
  judge: string;
  /** Why the judge does not complain today. A lie that the judge sees must not have it. */
  isSurvived?: string;
  /** It is told of the topics as they were called, in place of the usual names for them. */
  isOfNames?: true;
  /** A trace with the lie at one random place. null: the trace has no place for it. The given trace stays as it is. */
  tell: (trace: Trace, random: Random) => Trace | null;
}

/** `placesIn`: all places at which the lie breaks the promise for certain. `change`: the trace with the lie at one of them. */
export function tellAtOne<Place>(
  placesIn: (trace: Trace) => readonly Place[],
  change: (trace: Trace, place: Place) => Trace,
): Lie["tell"] {
  return (trace, random) => {
    const places = placesIn(trace);
    const place = places[Math.floor(random() * places.length)];
    return place === undefined ? null : change(trace, place);
  };
}
