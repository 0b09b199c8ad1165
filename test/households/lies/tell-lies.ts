import { withUsualNames } from "../judges/usual-names.ts";
import { randomFrom } from "../random.ts";
import type { Trace } from "../trace.ts";
import { complains } from "./complaints.ts";
import type { Lie } from "./lie.ts";

export interface Outcome {
  lie: Lie;
  /** How often the lie was told. */
  told: number;
  /** How often its judge complained. */
  killed: number;
  /** Traces in which the judge did not complain. */
  survivedIn: readonly string[];
}

/** How often a lie is told in each trace. */
const TIMES = 3;

/** Tells the lie in these traces, at random places that are always the same. */
export function tellLie(lie: Lie, traces: ReadonlyMap<string, Trace>): Outcome {
  let told = 0;
  const survivedIn: string[] = [];
  for (const [name, lived] of traces) {
    const trace = lie.isOfNames ? lived : withUsualNames(lived);
    for (let time = 0; time < TIMES; time += 1) {
      const lied = lie.tell(trace, randomFrom(`${lie.name}/${name}/${time}`));
      if (!lied) break;
      told += 1;
      if (!complains(lied, lie.judge)) survivedIn.push(name);
    }
  }
  return { lie, told, killed: told - survivedIn.length, survivedIn };
}

/** How often the judge complained of how many, the judge, the lie, and the sentence that it breaks. */
export function describeOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes
    .map(({ lie, told, killed, survivedIn }) => {
      const { document, sentence } = lie.breaks;
      return [
        `${`${killed} of ${told}`.padStart(9)}  ${lie.judge}: ${lie.name}`,
        `${document}: ${fold(sentence)}`,
        ...(lie.isSurvived === undefined ? [] : [`survives: ${lie.isSurvived}`]),
        ...(survivedIn.length === 0 ? [] : [`not seen in ${[...new Set(survivedIn)].join(", ")}`]),
      ].join(`\n${" ".repeat(11)}`);
    })
    .join("\n");
}

/** With one space for each line break and the blanks around it. */
export function fold(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
