import { endpoints, type ValidationError } from "../core/contract/endpoints.ts";

/** What the service calls the start and the end of a range: the interface does not say. */
export interface RangeNames {
  start: string;
  end: string;
}

/** The names worth trying, in order: what worked before comes first. */
export function candidateNames(setting: "auto" | RangeNames, learned: RangeNames | null): RangeNames[] {
  if (setting !== "auto") return [setting];
  const names = learned === null ? KNOWN : [learned, ...KNOWN];
  return names.filter((one, index) => names.findIndex((other) => sameNames(one, other)) === index);
}

/**
 * What a refusal says of the names: the two it asks for, `"others"` where ours may be wrong, or `"ours"` where it
 * understood them and dislikes a value.
 */
export function namesWanted(
  details: ValidationError["detail"],
  sent: RangeNames,
): RangeNames | "others" | "ours" {
  const ours = [sent.start, sent.end];
  const wanted = details.flatMap(queryName).filter((name) => !ours.includes(name));
  const [first, second] = [...new Set(wanted)];
  if (first !== undefined && second !== undefined) return inOrder(first, second);
  const understood = details.some(
    (one) => queryName(one).some((name) => ours.includes(name)) && !isUnknownName(one),
  );
  return understood && first === undefined ? "ours" : "others";
}

export function sameNames(one: RangeNames, other: RangeNames): boolean {
  return one.start === other.start && one.end === other.end;
}

const KNOWN: readonly RangeNames[] = [
  endpoints.history.parameters,
  { start: "start", end: "end" },
  { start: "from", end: "to" },
];

type Detail = ValidationError["detail"][number];

/** `["query", NAME]`. */
function queryName({ loc }: Detail): string[] {
  const [where, name] = loc;
  return where === "query" && typeof name === "string" ? [name] : [];
}

/** Servers that refuse names they do not know; a missing one of ours is no news, since it was sent. */
function isUnknownName({ type }: Detail): boolean {
  return /extra|unexpected|unknown|missing/i.test(type);
}

/** Most services list the start first; a name that tells itself decides. */
function inOrder(first: string, second: string): RangeNames {
  const swapped = ENDS.test(first) && !ENDS.test(second);
  return swapped ? { start: second, end: first } : { start: first, end: second };
}

const ENDS = /end|until|before|stop|last|max|fin|^to$|^to_|_to$/i;
