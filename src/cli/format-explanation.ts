import type { Branch, Explanation } from "../core/rules/explain-rule.ts";
import { nameTruth } from "../core/rules/truth.ts";

/** An explanation as a tree of lines; `local` writes an instant as a local time. */
export function formatExplanation(explained: Explanation, local: (instant: string) => string): string {
  const { id, state, sure, certain_until, next_on, next_off, notes, tree } = explained;
  const perhaps = (isUnsure?: true) => (isUnsure ? "perhaps " : "");
  const changes = [
    ...(next_on === null || state === true
      ? []
      : [`${perhaps(explained.next_on_unsure)}ON at ${local(next_on)}`]),
    ...(next_off === null || state === false
      ? []
      : [`${perhaps(explained.next_off_unsure)}OFF at ${local(next_off)}`]),
  ];
  const doubt = state === null || sure ? "" : `  (${describeDoubt(explained)})`;
  const certainty = certain_until === undefined ? doubt : `  certain until ${local(certain_until)}`;
  const lines = [
    `${id}  ${nameTruth(state)}${certainty}${changes.length > 0 ? `  next ${changes.join(", ")}` : ""}`,
    ...notes.map((note) => `  ! ${note}`),
    ...formatBranch(tree, { indent: "  ", isWanted: true }),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Without a forecast: an announcement can change it. */
function describeDoubt({ by_value, by_forecast }: Explanation): string {
  if (by_value) return "a value of the house decides";
  return by_forecast ? "a forecast decides" : "not certain yet";
}

/** As the page does: what is needed and not so says it. `isWanted`: no `not` stands above it. */
function formatBranch(
  { state, asks, saw, parts }: Branch,
  { indent, isWanted }: { indent: string; isWanted: boolean },
): string[] {
  const mark = state === null ? "?" : state ? "✔" : "✘";
  const isMissing = isWanted && state !== true && parts.length === 0;
  const line = `${indent}${mark} ${isMissing ? "needed: " : ""}${asks}${saw === null ? "" : `; found: ${saw}`}`;
  const below = { indent: `${indent}  `, isWanted: isWanted && asks !== "not" };
  return [line, ...parts.flatMap((part) => formatBranch(part, below))];
}
