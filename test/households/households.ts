import { parseArgs } from "node:util";
import { describeCounts, idleIn } from "./judges/judge.ts";
import { runHouseholds } from "./run-households.ts";

// npm run households -- --hours 8 | --minutes 10 | --count 4 [--seeds 1] | --seed 23 [--days 180]
// Without --seeds, new ones each time; one in thirty lives a season. None may fail.
const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "0" },
    minutes: { type: "string", default: "0" },
    count: { type: "string", default: "Infinity" },
    seed: { type: "string" },
    seeds: { type: "string", default: "random" },
    days: { type: "string" },
  },
});

const MINUTE = 60_000;
/** Among so many households each judge has something to judge. */
const MANY = 300;
/** Days: a whole winter. */
const SEASON = 180;
const given = (Number(values.hours) * 60 + Number(values.minutes)) * MINUTE;
const limit = given || Number.POSITIVE_INFINITY;
const begun = performance.now();
const failures: string[] = [];
const outcome = await runHouseholds({
  seeds: values.seed === undefined ? manySeeds() : [{ seed: Number(values.seed), ...days() }],
  isTimeOver: () => performance.now() - begun > limit,
  shrinkFor: 2 * MINUTE,
  onFailure: (report) => {
    failures.push(report);
    console.log(`${report}\n`);
  },
});
console.log(describeCounts(outcome.counts));
console.log(
  `${outcome.households} households lived ${outcome.days.toFixed(1)} days in ${((performance.now() - begun) / 1000).toFixed(0)} s; ${outcome.failed} failed`,
);
// In few households chance decides what happens.
const idle = outcome.households >= MANY ? idleIn(outcome.counts) : [];
// Once more, because the gate shows the last lines only. The first line of a report has the seed.
for (const report of failures) console.log(report.split("\n", 1)[0]);
if (idle.length > 0) console.log(`These judges have judged nothing: ${idle.join(", ")}`);
process.exitCode = outcome.failed > 0 || idle.length > 0 ? 1 : 0;

/** From a random one on, or from the given one. */
function* manySeeds(): Iterable<{ seed: number; days?: number }> {
  const isRandom = values.seeds === "random";
  const first = isRandom ? Math.floor(Math.random() * 1e9) : Number(values.seeds);
  console.log(`households from seed ${first} on`);
  for (let seed = first; seed < first + Number(values.count); seed += 1)
    // By the seed: a slow machine does not live thirty.
    yield { seed, ...(isRandom && seed % 30 === 0 ? { days: SEASON } : days()) };
}

function days(): { days?: number } {
  return values.days === undefined ? {} : { days: Number(values.days) };
}
