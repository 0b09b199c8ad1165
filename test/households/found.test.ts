import { afterAll, expect, test } from "vitest";
import { LONG } from "../support/long.ts";
import { FOUND } from "./found.ts";
import { runHousehold } from "./household.ts";
import { addCounts, type Count, describeCounts, idleIn } from "./judges/judge.ts";
import { judge } from "./judges/judges.ts";

const counts = new Map<string, Count>();
let lived = 0;

// `$what` would be cut off after forty characters.
test.each(FOUND.map(({ what, scenario }) => [what, scenario] as const))(
  "not again: %s",
  async (_, scenario) => {
    const verdict = judge(await runHousehold(scenario));
    expect(verdict.violations).toEqual([]);
    addCounts(counts, verdict.counts);
    lived += 1;
  },
);

test("each judge has judged something in them", ({ skip }) => {
  if (lived < FOUND.length) skip("not all of them were lived");
  expect(idleIn(counts)).toEqual([]);
});

afterAll(() => {
  if (LONG) console.log(describeCounts(counts));
});
