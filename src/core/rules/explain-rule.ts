import { isoInstant } from "../calendar/dates.ts";
import type { ConditionResult } from "./condition-kind.ts";
import { kindOf } from "./condition-kinds.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import type { VerdictForecast } from "./forecast-verdicts.ts";
import { describeCircumstances } from "./reasons.ts";
import type { Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** A verdict as `vigie explain` shows it. Plain data. */
export interface Explanation {
  id: string;
  /** true is ON, false OFF, null unknown. */
  state: Truth;
  sure: boolean;
  at: string;
  /** When the rule next becomes ON, or OFF, as far as the days are known. */
  next_on: string | null;
  next_off: string | null;
  /** What decides beside the conditions: disabled, when_unknown, a hold, a lead, a lag. */
  notes: string[];
  tree: Branch;
}

export interface Branch {
  state: Truth;
  /** What the condition tests. */
  asks: string;
  /** What it found; null of `all`, `any` and `not`. */
  saw: string | null;
  parts: Branch[];
}

export function explainRule(
  verdict: Verdict,
  forecast: VerdictForecast,
  now: Pick<EvaluationInput, "at" | "tariff">,
): Explanation {
  const { next_on, next_off } = forecast;
  return {
    id: verdict.rule.id,
    state: verdict.state,
    sure: verdict.sure,
    at: isoInstant(now.at),
    next_on: next_on === null ? null : isoInstant(next_on),
    next_off: next_off === null ? null : isoInstant(next_off),
    notes: describeCircumstances(verdict, now),
    tree: branchOf(verdict.conditions, verdict.threshold),
  };
}

/** The same as a tree of lines; `local` writes an instant as a local time. */
export function formatExplanation(explained: Explanation, local: (instant: string) => string): string {
  const { id, state, sure, next_on, next_off, notes, tree } = explained;
  const changes = [
    ...(next_on === null || state === true ? [] : [`ON at ${local(next_on)}`]),
    ...(next_off === null || state === false ? [] : [`OFF at ${local(next_off)}`]),
  ];
  const certainty = state === null || sure ? "" : "  (a forecast decides)";
  const lines = [
    `${id}  ${word(state)}${certainty}${changes.length > 0 ? `  next ${changes.join(", ")}` : ""}`,
    ...notes.map((note) => `  ! ${note}`),
    ...formatBranch(tree, "  "),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function branchOf(result: ConditionResult, threshold: number | null): Branch {
  if ("parts" in result) {
    const { condition, truth, parts } = result;
    const asks = condition.kind === "not" ? "not" : `${condition.kind} of`;
    return { state: truth, asks, saw: null, parts: parts.map((part) => branchOf(part, threshold)) };
  }
  const { condition, truth } = result;
  const asks = kindOf(condition).describe(condition, threshold);
  return { state: truth, asks, saw: result.describeFinding(), parts: [] };
}

function formatBranch({ state, asks, saw, parts }: Branch, indent: string): string[] {
  const mark = state === null ? "?" : state ? "✔" : "✘";
  const line = `${indent}${mark} ${asks}${saw === null ? "" : `: ${saw}`}`;
  return [line, ...parts.flatMap((part) => formatBranch(part, `${indent}  `))];
}

function word(truth: Truth): string {
  return truth === null ? "unknown" : truth ? "ON" : "OFF";
}
