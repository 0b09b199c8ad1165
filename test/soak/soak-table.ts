import { FAULTS } from "../../src/simulator/faults.ts";
import { GROWTH_LIMIT } from "../support/season-heap.ts";
import type { SeasonOutcome } from "../support/season-run.ts";
import { WRONGS } from "../support/season-tally.ts";

export interface Row {
  seed: number;
  seconds: number;
  outcome: SeasonOutcome;
}

/** The first six must be 0; the heap's growth stay below its limit. */
const COLUMNS: [title: string, read: (outcome: SeasonOutcome) => number][] = [
  ["wrong colours", ({ wrongs }) => wrongs.colour],
  ["missed rouge", ({ missedRouge }) => missedRouge],
  ["late boundaries", ({ wrongs }) => wrongs.boundary],
  ["orphan topics", ({ wrongs }) => wrongs.orphan],
  ["wrong rules", ({ wrongs }) => wrongs.rule],
  ["clock unnoticed", ({ wrongs }) => wrongs.clock],
  ["rouge mornings", ({ rougeMornings }) => rougeMornings],
  ["polls", ({ polls }) => polls],
  ["checks", ({ checks }) => checks],
  ["kills", ({ lives }) => lives - 1],
  ["connections", ({ connections }) => connections],
  ["clock steps", ({ clockSteps }) => clockSteps],
];
const HEAP = "heap, bytes a poll";
const SECONDS = "seconds";

export const TITLES = ["season", ...COLUMNS.map(([title]) => title), HEAP, SECONDS].join("  ");

export function tellRow({ seed, seconds, outcome }: Row): string {
  const cells = COLUMNS.map(([title, read]) => String(read(outcome)).padStart(title.length));
  const heap = outcome.heapGrowth === null ? "-" : String(Math.round(outcome.heapGrowth));
  const last = [heap.padStart(HEAP.length), String(Math.round(seconds)).padStart(SECONDS.length)];
  return [String(seed).padStart(6), ...cells, ...last].join("  ");
}

export function tellTotal(rows: readonly Row[]): string {
  const sums = COLUMNS.map(([title, read]) =>
    String(rows.reduce((sum, { outcome }) => sum + read(outcome), 0)).padStart(title.length),
  );
  const growths = rows.flatMap(({ outcome }) => outcome.heapGrowth ?? []);
  const most = growths.length > 0 ? `≤ ${Math.round(Math.max(...growths))} of ${GROWTH_LIMIT}` : "-";
  return [" total", ...sums, most.padStart(HEAP.length)].join("  ");
}

export function isClean({ outcome }: Row): boolean {
  const { wrongs, missedRouge, heapGrowth } = outcome;
  return WRONGS.every((kind) => wrongs[kind] === 0) && missedRouge === 0 && (heapGrowth ?? 0) <= GROWTH_LIMIT;
}

/** Prints how often each fault changed an answer; false where one never did. */
export function tellMet(rows: readonly Row[], say: (line: string) => void): boolean {
  const met = FAULTS.map((fault) => ({
    fault,
    times: rows.reduce((sum, { outcome }) => sum + outcome.met[fault], 0),
  }));
  say("\nfaults met (answers that each one, alone in force, made another)");
  say(met.map(({ fault, times }) => `${fault} ${times}`).join(", "));
  const unmet = met.filter(({ times }) => times === 0);
  if (unmet.length > 0) say(`NEVER MET: ${unmet.map(({ fault }) => fault).join(" ")}`);
  return unmet.length === 0;
}
