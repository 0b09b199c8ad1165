import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { JUDGES, judge } from "../judges/judges.ts";
import type { Trace } from "../trace.ts";
import { LIES } from "./lies.ts";
import { describeOutcomes, fold, type Outcome, tellLie } from "./tell-lies.ts";
import { TRACES } from "./traces.ts";

/** A lie counts as seen if its judge complains at this part of its places or more. */
const SEEN = 0.75;
const traces = new Map<string, Trace>();
const outcomes: Outcome[] = [];

beforeAll(async () => {
  for (const { name, live } of TRACES) traces.set(name, await live());
}, 900_000);

afterAll(() => console.log(describeOutcomes(outcomes)));

test.each(TRACES)("no judge complains of $name without a lie", ({ name }) => {
  expect(judge(traces.get(name)!).violations).toEqual([]);
});

// `$name` would be cut off after forty characters.
test.each(LIES.map(({ name, breaks }) => [name, breaks] as const))(
  "a document says what is broken: %s",
  (_, breaks) => {
    const text = readFileSync(join(import.meta.dirname, "../../..", breaks.document), "utf8");
    expect(fold(text)).toContain(fold(breaks.sentence));
  },
);

test.each(JUDGES.map(({ name }) => [name]))("a lie that does not survive is told to the judge %s", (name) => {
  const lies = LIES.filter((lie) => lie.judge === name && lie.isSurvived === undefined);
  expect(lies).not.toEqual([]);
});

describe("a judge complains", () => {
  test.each(LIES.map((lie) => [lie.judge, lie.name, lie] as const))("%s: %s", (_judge, _name, lie) => {
    const outcome = tellLie(lie, traces);
    outcomes.push(outcome);
    const { told, killed } = outcome;
    expect(told, "places for this lie").toBeGreaterThan(0);
    const isSeen = killed >= told * SEEN;
    expect(isSeen, describeOutcomes([outcome])).toBe(lie.isSurvived === undefined);
  });
});
