import { stringify } from "yaml";
import { generateScenario } from "./generate-scenario.ts";
import { runHousehold } from "./household.ts";
import { addCounts, type Count, type Violation } from "./judges/judge.ts";
import { judge } from "./judges/judges.ts";
import type { Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";

interface RunOptions {
  seeds: Iterable<{ seed: number; days?: number }>;
  /** Whether the time for households is over: the one that lives then is judged by what has happened. */
  isTimeOver: () => boolean;
  /** Milliseconds that may be spent to make one that failed smaller. */
  shrinkFor: number;
  /** Called with each that failed, at once. */
  onFailure: (report: string) => void;
}

interface RunOutcome {
  households: number;
  /** That they lived together. */
  days: number;
  failed: number;
  /** How many things each judge has judged in them. */
  counts: ReadonlyMap<string, Count>;
}

/** Lives one household after the other, and tells what is wrong in it. */
export async function runHouseholds(options: RunOptions): Promise<RunOutcome> {
  const counts = new Map<string, Count>();
  const outcome: RunOutcome = { households: 0, days: 0, failed: 0, counts };
  for (const { seed, days } of options.seeds) {
    if (options.isTimeOver()) break;
    const scenario = await generateScenario(seed, days === undefined ? {} : { days });
    // Who lives a season must not live on for minutes.
    const trace = await runHousehold(scenario, options.isTimeOver);
    const verdict = judge(trace);
    const [violation] = verdict.violations;
    addCounts(counts, verdict.counts);
    outcome.households += 1;
    outcome.days += (trace.events.at(-1)?.steady ?? 0) / DAY;
    if (!violation) continue;
    outcome.failed += 1;
    const end = performance.now() + options.shrinkFor;
    const shrunk = await shrink(scenario, violation, findViolation, () => performance.now() > end);
    options.onFailure(describeFailure(seed, shrunk));
  }
  return outcome;
}

/** What is wrong first in this household; undefined: nothing. */
export async function findViolation(scenario: Scenario): Promise<Violation | undefined> {
  const [first] = judge(await runHousehold(scenario)).violations;
  return first;
}

function describeFailure(
  seed: number,
  { scenario, violation }: { scenario: Scenario; violation: Violation },
): string {
  const { configs, devices, events, ...rest } = scenario;
  const shown = { ...rest, devices: devices.length > 0 ? devices : undefined };
  return [
    `Household ${seed}: ${violation.judge}, ${timeAt(scenario, violation.at / 1000)}: ${violation.sentence}`,
    `smallest household found: ${JSON.stringify(shown)}`,
    ...configs.flatMap((config, index) => [
      `configuration ${index}:`,
      indent(stringify(config, { lineWidth: 120 })),
    ]),
    "events:",
    ...events.map(({ at, ...event }) => `  ${timeAt(scenario, at)} ${JSON.stringify(event)}`),
    `as data: ${JSON.stringify(scenario)}`,
  ].join("\n");
}

function timeAt({ from }: Scenario, seconds: number): string {
  return new Date(Date.parse(from) + seconds * 1000).toISOString();
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}

const DAY = 86_400_000;
