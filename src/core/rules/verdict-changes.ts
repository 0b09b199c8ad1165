import type { Color, IsoDate } from "../calendar/tariff.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import { reasonsOf } from "./reasons.ts";
import { entryOf, type RulesState } from "./rules-state.ts";
import { nameTruth, type Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** A rule has become ON, OFF or unknown. */
export interface VerdictChange {
  rule: string;
  state: Truth;
  /** The day that decides; null if none does. */
  date: IsoDate | null;
  color: Color | null;
  because: string[];
}

/**
 * The rules whose verdict is another than before. The first verdict of a rule is no change, and neither is an error of vigie
 * itself: the log has it.
 */
export function findVerdictChanges(
  previous: RulesState,
  verdicts: readonly Verdict[],
  now: Pick<EvaluationInput, "at" | "tariff">,
): VerdictChange[] {
  return verdicts.flatMap((verdict) => {
    const { state, rule, reason } = verdict;
    const before = entryOf(previous.rules, rule.id);
    if (!before || before.state === state || reason === "error") return [];
    const { deciding, because } = reasonsOf(verdict, now);
    const { date = null, color = null } = deciding?.facts ?? {};
    return [{ rule: rule.id, state, date, color, because }];
  });
}

/** A change as the log says it. */
export function describeVerdictChange({ rule, state, because }: VerdictChange): string {
  return `Rule ${rule} is ${nameTruth(state)}: ${because.join("; ")}`;
}

/** A change as the `event` topic has it; null if it has none: a rule became unknown. */
export function verdictChangeEvent({
  rule,
  state,
  date,
  color,
}: VerdictChange): Record<string, string> | null {
  if (state === null) return null;
  return {
    event_type: state ? "rule_on" : "rule_off",
    rule,
    ...(date !== null && { date }),
    ...(color !== null && { color }),
  };
}
