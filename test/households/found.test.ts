import { afterAll, expect, test } from "vitest";
import { LONG } from "../support/long.ts";
import type { Found } from "./found/shared.ts";
import { FOUND } from "./found.ts";
import { runHousehold } from "./household.ts";
import { addCounts, type Count, describeCounts, idleIn } from "./judges/judge.ts";
import { judge } from "./judges/judges.ts";

const counts = new Map<string, Count>();
let lived = 0;

/** Not in `npm test`: in these a judge was wrong, not vigie. */
const isOfJudge = ({ what }: Found) => what.startsWith("a judge ");
const MENDED = FOUND.filter((found) => found.stillSeenBy === undefined && (LONG || !isOfJudge(found)));
const STILL_WRONG = FOUND.filter(({ stillSeenBy }) => stillSeenBy !== undefined);

// `$what` would be cut off after forty characters.
test.each(MENDED.map(({ what, scenario }) => [what, scenario] as const))(
  "not again: %s",
  async (_, scenario) => {
    const verdict = judge(await runHousehold(scenario));
    expect(verdict.violations).toEqual([]);
    addCounts(counts, verdict.counts);
    lived += 1;
  },
);

// If nobody complains any more, it is mended, or the judge has become milder.
test.for(STILL_WRONG)("still wrong: $what", async ({ stillSeenBy, scenario }) => {
  const [violation] = judge(await runHousehold(scenario)).violations;
  expect(violation?.judge).toBe(stillSeenBy);
});

if (LONG)
  test("each judge has judged something in them", ({ skip }) => {
    if (lived < MENDED.length) skip("not all of them were lived");
    expect(idleIn(counts)).toEqual([]);
  });

afterAll(() => {
  if (LONG) console.log(describeCounts(counts));
});
