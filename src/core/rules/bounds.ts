import type { Bounds } from "./rule.ts";

export function isWithin(value: number, { above, below, at_most, at_least }: Bounds): boolean {
  return (
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (at_most === undefined || value <= at_most) &&
    (at_least === undefined || value >= at_least)
  );
}

export function describeBounds({ above, below, at_most, at_least }: Bounds): string {
  const words = { above, "at least": at_least, below, "at most": at_most };
  const given = Object.entries(words).filter(([, bound]) => bound !== undefined);
  return given.map(([word, bound]) => `${word} ${bound}`).join(" and ");
}
