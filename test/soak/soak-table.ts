import { GROWTH_LIMIT } from "../season/season-heap.ts";
import type { SeasonOutcome } from "../season/season-run.ts";
import { WRONGS } from "../season/season-tally.ts";
import { FAULTS } from "../support/service-faults.ts";

export interface Row {
  seed: number;
  seconds: number;
  outcome: SeasonOutcome;
}

/** The first six must be 0, and the heap's growth stay below its limit. */
const COLUMNS: [first: string, second: string, read: (outcome: SeasonOutcome) => number][] = [
  ["wrong", "colours", ({ wrongs }) => wrongs.colour],
  ["missed", "rouge", ({ missedRouge }) => missedRouge],
  ["late", "boundaries", ({ wrongs }) => wrongs.boundary],
  ["orphan", "topics", ({ wrongs }) => wrongs.orphan],
  ["wrong", "rules", ({ wrongs }) => wrongs.rule],
  ["clock", "unnoticed", ({ wrongs }) => wrongs.clock],
  ["rouge", "mornings", ({ rougeMornings }) => rougeMornings],
  ["", "polls", ({ polls }) => polls],
  ["", "checks", ({ checks }) => checks],
  ["", "kills", ({ starts }) => starts - 1],
  ["connec-", "tions", ({ connections }) => connections],
  ["clock", "steps", ({ clockSteps }) => clockSteps],
];
const HEAP = ["heap, bytes", "a poll"];
const MOST_DIGITS = 6;

export const TITLES = [0, 1]
  .map((line) => {
    const titles = COLUMNS.map((column) => String(column[line]));
    return formatLine(["", "season"][line] ?? "", titles, HEAP[line] ?? "", ["", "seconds"][line] ?? "");
  })
  .join("\n");

export function formatRow({ seed, seconds, outcome }: Row): string {
  const cells = COLUMNS.map(([, , read]) => String(read(outcome)));
  const growth = outcome.heapGrowth === null ? "-" : String(Math.round(outcome.heapGrowth));
  return formatLine(String(seed), cells, growth, String(Math.round(seconds)));
}

export function formatTotal(rows: readonly Row[]): string {
  const sums = COLUMNS.map(([, , read]) => String(rows.reduce((sum, { outcome }) => sum + read(outcome), 0)));
  const growths = rows.flatMap(({ outcome }) => outcome.heapGrowth ?? []);
  const most = growths.length > 0 ? `${Math.round(Math.max(...growths))} ≤ ${GROWTH_LIMIT}` : "-";
  return formatLine("total", sums, most, "");
}

function formatLine(name: string, cells: readonly string[], growth: string, seconds: string): string {
  const padded = cells.map((cell, index) => {
    const [first = "", second = ""] = COLUMNS[index] ?? [];
    return cell.padStart(Math.max(first.length, second.length, MOST_DIGITS));
  });
  const widest = HEAP[0]?.length ?? 0;
  return [name.padStart(6), ...padded, growth.padStart(widest), seconds.padStart(7)].join("  ").trimEnd();
}

export function isClean({ outcome }: Row): boolean {
  const { wrongs, missedRouge, heapGrowth } = outcome;
  return WRONGS.every((kind) => wrongs[kind] === 0) && missedRouge === 0 && (heapGrowth ?? 0) <= GROWTH_LIMIT;
}

/** Prints how often each fault changed an answer; false where one never did. */
export function printMetFaults(rows: readonly Row[], say: (line: string) => void): boolean {
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
