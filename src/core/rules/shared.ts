import type { Ask } from "./conditions.ts";
import type { Leaf } from "./rule.ts";

/** Conditions that several rules ask, by what they say. */
export type SharedAsks = Map<string, Ask>;

/** One for all that ask the same: within a frame it looks once. */
export function shareAsk(condition: Leaf, shared: SharedAsks, make: () => Ask): Ask {
  const key = JSON.stringify(condition);
  const known = shared.get(key);
  if (known) return known;
  const ask = shared.size < MANY ? lookOnce(make()) : make();
  shared.set(key, ask);
  return ask;
}

function lookOnce(ask: Ask): Ask {
  return (frame, at, threshold) => {
    const known = frame.looks.get(ask);
    // A threshold is a rule's own.
    if (known?.threshold === threshold) return known.seen;
    const seen = ask(frame, at, threshold);
    frame.looks.set(ask, { threshold, seen });
    return seen;
  };
}

/** Beyond so many, few are equal, and what was seen would only fill the memory. */
const MANY = 1000;
