/** What a rule or condition says; `None` is unknown. */
export type Truth = "ON" | "OFF" | "None";

/** All that it may say, if the documents or the trace leave it open. Mostly it is one. */
export type Possible = ReadonlySet<Truth>;

export const ON: Possible = new Set<Truth>(["ON"]);
export const OFF: Possible = new Set<Truth>(["OFF"]);
export const UNKNOWN: Possible = new Set<Truth>(["None"]);
export const ANY: Possible = new Set<Truth>(["ON", "OFF", "None"]);

export function when(condition: boolean): Possible {
  return condition ? ON : OFF;
}

export function either(given: Iterable<Possible>): Possible {
  return new Set([...given].flatMap((one) => [...one]));
}

export function mapTruth(given: Possible, map: (truth: Truth) => Truth): Possible {
  return new Set([...given].map(map));
}

export function not(given: Possible): Possible {
  return mapTruth(given, (truth) => (truth === "None" ? "None" : truth === "ON" ? "OFF" : "ON"));
}

/** ON when at least `least` are; OFF when ON and unknown together are fewer; else unknown. */
export function atLeast(least: number, given: readonly Possible[]): Possible {
  let counts = new Map([["0/0", { on: 0, unknown: 0 }]]);
  for (const one of given) {
    const next = new Map<string, { on: number; unknown: number }>();
    for (const { on, unknown } of counts.values())
      for (const truth of one) {
        const count = { on: on + Number(truth === "ON"), unknown: unknown + Number(truth === "None") };
        next.set(`${count.on}/${count.unknown}`, count);
      }
    counts = next;
  }
  return new Set(
    [...counts.values()].map(({ on, unknown }): Truth => {
      if (on >= least) return "ON";
      return on + unknown < least ? "OFF" : "None";
    }),
  );
}

export function all(given: readonly Possible[]): Possible {
  return not(any(given.map(not)));
}

/** The same as `atLeast(1, given)`, and faster: it is asked most. */
export function any(given: readonly Possible[]): Possible {
  const found = new Set<Truth>();
  if (given.some((one) => one.has("ON"))) found.add("ON");
  if (given.every((one) => one.has("OFF"))) found.add("OFF");
  const mayBeOpen = given.some((one) => one.has("None"));
  if (mayBeOpen && given.every((one) => one.has("OFF") || one.has("None"))) found.add("None");
  return found;
}
