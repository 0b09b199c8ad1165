/** What a rule or condition says; `None` is unknown. */
export type Truth = "ON" | "OFF" | "None";

/**
 * All that it may say, if the documents or the trace leave it open: the sum of these. Mostly it is one. It is a number, as a judge of a
 * day asks millions of times.
 */
export type Possible = number;

export const ON: Possible = 1;
export const OFF: Possible = 2;
export const UNKNOWN: Possible = 4;
export const ANY: Possible = ON + OFF + UNKNOWN;

const NAMED: readonly (readonly [Truth, Possible])[] = [
  ["ON", ON],
  ["OFF", OFF],
  ["None", UNKNOWN],
];

/** By its place in this list each number is the list of what it allows. */
const TRUTHS: readonly (readonly Truth[])[] = Array.from({ length: ANY + 1 }, (_, given) =>
  NAMED.filter(([, one]) => (given & one) > 0).map(([truth]) => truth),
);

export function truthsOf(given: Possible): readonly Truth[] {
  return TRUTHS[given]!;
}

/** What the topic of a rule says that holds this payload; nothing if somebody else wrote it. */
export function saidBy(payload: string): Possible {
  return NAMED.find(([truth]) => truth === payload)?.[1] ?? 0;
}

export function when(condition: boolean): Possible {
  return condition ? ON : OFF;
}

export function either(given: readonly Possible[]): Possible {
  return given.reduce((found, one) => found | one, 0);
}

export function not(given: Possible): Possible {
  return (given & UNKNOWN) | (given & ON ? OFF : 0) | (given & OFF ? ON : 0);
}

/** ON when at least `least` are; OFF when ON and unknown together are fewer; else unknown. */
export function atLeast(least: number, given: readonly Possible[]): Possible {
  let counts = new Map([["0/0", { on: 0, unknown: 0 }]]);
  for (const one of given) {
    const next = new Map<string, { on: number; unknown: number }>();
    for (const { on, unknown } of counts.values())
      for (const truth of truthsOf(one)) {
        const count = { on: on + Number(truth === "ON"), unknown: unknown + Number(truth === "None") };
        next.set(`${count.on}/${count.unknown}`, count);
      }
    counts = next;
  }
  return either(
    [...counts.values()].map(({ on, unknown }) => {
      if (on >= least) return ON;
      return on + unknown < least ? OFF : UNKNOWN;
    }),
  );
}

export function all(given: readonly Possible[]): Possible {
  return not(any(given.map(not)));
}

/** The same as `atLeast(1, given)`, and faster: it is asked most. */
export function any(given: readonly Possible[]): Possible {
  const some = either(given);
  const areAll = (allowed: Possible) => given.every((one) => (one & allowed) > 0);
  const mayBeOpen = (some & UNKNOWN) > 0 && areAll(OFF | UNKNOWN);
  return (some & ON) | (areAll(OFF) ? OFF : 0) | (mayBeOpen ? UNKNOWN : 0);
}
