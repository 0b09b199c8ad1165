import { isoInstant } from "../calendar/dates.ts";
import type { Instant } from "../calendar/tariff.ts";
import { describeCondition, describeSight } from "./describe-condition.ts";
import type { Future } from "./forecast-verdicts.ts";
import { circumstances } from "./reasons.ts";
import type { Seen } from "./seen.ts";
import type { Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** A verdict as a person asks for it. Plain data. */
export interface Explanation {
  id: string;
  /** true is ON, false OFF, null not known. */
  state: Truth;
  sure: boolean;
  at: string;
  /** When it next turns, as far as is known. */
  next_on: string | null;
  next_off: string | null;
  /** What stands above the conditions: disabled, when_unknown, a hold, a lead, a lag. */
  notes: string[];
  tree: Branch;
}

export interface Branch {
  state: Truth;
  /** What is asked. */
  asks: string;
  /** What was seen; null of what only joins others. */
  saw: string | null;
  parts: Branch[];
}

export function explainRule(verdict: Verdict, future: Future, at: Instant): Explanation {
  return {
    id: verdict.ready.rule.id,
    state: verdict.state,
    sure: verdict.sure,
    at: isoInstant(at),
    next_on: future.next_on === null ? null : isoInstant(future.next_on),
    next_off: future.next_off === null ? null : isoInstant(future.next_off),
    notes: circumstances(verdict, at),
    tree: branchOf(verdict.seen),
  };
}

/** The same as a tree of lines; `local` shows an instant by the clocks where the tariff holds. */
export function formatExplanation(explained: Explanation, local: (instant: string) => string): string {
  const { id, state, sure, next_on, next_off, notes, tree } = explained;
  const turns = [
    ...(next_on === null || state === true ? [] : [`ON at ${local(next_on)}`]),
    ...(next_off === null || state === false ? [] : [`OFF at ${local(next_off)}`]),
  ];
  const certainty = state === null || sure ? "" : "  (a forecast decides)";
  const lines = [
    `${id}  ${word(state)}${certainty}${turns.length > 0 ? `  next ${turns.join(", ")}` : ""}`,
    ...notes.map((note) => `  ! ${note}`),
    ...formatBranch(tree, "  "),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function branchOf(seen: Seen): Branch {
  const parts = "parts" in seen ? seen.parts.map(branchOf) : [];
  return { state: seen.truth, asks: describeCondition(seen), saw: describeSight(seen), parts };
}

function formatBranch({ state, asks, saw, parts }: Branch, indent: string): string[] {
  const mark = state === null ? "?" : state ? "✔" : "✘";
  const line = `${indent}${mark} ${asks}${saw === null ? "" : `: ${saw}`}`;
  return [line, ...parts.flatMap((part) => formatBranch(part, `${indent}  `))];
}

function word(truth: Truth): string {
  return truth === null ? "unknown" : truth ? "ON" : "OFF";
}
