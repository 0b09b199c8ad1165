import { localTime } from "../calendar/dates.ts";
import { type DayResult, daysIn, type SimpleResult } from "./condition-types.ts";
import { decidingConditions, decidingDay } from "./deciding-conditions.ts";
import { kindOf } from "./evaluate-condition.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import type { Verdict } from "./verdict.ts";

/** Why a verdict is as it is. */
interface Reasons {
  /** The day that decides, as the rule names it; null if none does. */
  day: string | null;
  deciding: DayResult | null;
  /** Every day that the conditions look at is known. */
  complete: boolean;
  /** Sentences. */
  because: string[];
}

export const OWN_ERROR = "an error of vigie itself";

/** When a verdict was given, and the time zone in which its times are told. */
type Now = Pick<EvaluationInput, "at" | "tariff">;

export function reasonsOf(verdict: Verdict, now: Now): Reasons {
  const { reason, threshold } = verdict;
  const { conditions, decided_at } = verdict.hold?.held ?? verdict;
  const deciding = reason === "disabled" || !conditions ? [] : decidingConditions(conditions);
  const dayResult = deciding.find(({ condition }) => condition.kind === "day");
  const at = decided_at === now.at ? "" : `at ${timeOf(decided_at, now)}: `;
  return {
    day: dayResult?.condition.kind === "day" ? dayResult.condition.day : null,
    deciding: dayResult ? decidingDay(dayResult) : null,
    complete: reason !== "error" && daysIn(verdict.conditions).every(({ facts }) => facts.color !== null),
    because: [
      ...describeCircumstances(verdict, now),
      ...deciding.map((simple) => `${at}${describeResult(simple, threshold)}`),
    ],
  };
}

/** What decides beside the conditions. That a value holds a rule would be two more messages for each change of that value. */
export function describeCircumstances(verdict: Verdict, now: Now): string[] {
  const { reason, rule, enabled_until, hold } = verdict;
  const { decided_at } = hold?.held ?? verdict;
  if (reason === "disabled")
    return [enabled_until === null ? "disabled" : `disabled until ${timeOf(enabled_until, now)}`];
  if (reason === "error") return [OWN_ERROR];
  const counted = rule.when_unknown === "on" ? "ON" : "OFF";
  return [
    ...(reason === "when_unknown" ? [`unknown, which counts as ${counted} (when_unknown)`] : []),
    ...(reason === "waiting" ? ["as before: the values that the broker holds have not arrived yet"] : []),
    ...(hold?.held && (!hold.isOfValue || hold.held.conditions === null)
      ? [`held until ${timeOf(hold.until, now)}: a ${hold.isOfValue ? "value" : "forecast"} has changed`]
      : []),
    ...(decided_at > now.at ? [`lead: the conditions at ${timeOf(decided_at, now)} decide`] : []),
    ...(decided_at < now.at ? [`lag: the conditions at ${timeOf(decided_at, now)} decide`] : []),
  ];
}

/** One condition with what it found. */
export function describeResult(result: SimpleResult, threshold: number | null): string {
  const { condition, truth } = result;
  const finding = result.describeFinding();
  // `rule night is OFF`, not `not so: rule night is ON (it is OFF)`.
  if (condition.kind === "rule") return `rule ${condition.rule} ${finding.replace(/^it /, "")}`;
  const not = truth === false ? "not so: " : "";
  return `${not}${kindOf(condition).describe(condition, threshold)} (${finding})`;
}

function timeOf(instant: number, { at, tariff }: Now): string {
  return localTime(instant, at, tariff.time_zone);
}
