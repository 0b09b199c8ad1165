/** What a report says of what is expected, as docs/outputs.md has it. */
export type Meaning = "expected" | "other" | "nothing";

export function meaningOf(report: string, expected: string, path: string | undefined): Meaning {
  if (path !== undefined) {
    const value = valueAt(jsonOf(report), path);
    if (value === undefined || value === null) return "nothing";
    if (typeof value === "object") return contains(value, jsonOf(expected)) ? "expected" : "nothing";
    return isSame(String(value), expected) ? "expected" : "other";
  }
  const wanted = jsonOf(expected);
  if (isObject(wanted)) {
    const given = jsonOf(report);
    if (!isObject(given)) return "nothing";
    if (contains(given, wanted)) return "expected";
    const keys = Object.keys(wanted).filter((key) => (given[key] ?? null) !== null);
    return keys.some((key) => !contains(given[key], wanted[key])) ? "other" : "nothing";
  }
  if (report === "") return "nothing";
  return isSame(report, expected) ? "expected" : "other";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** Households have no lists in their payloads. */
function contains(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return value === wanted;
  return isObject(value) && Object.entries(wanted).every(([key, one]) => contains(value[key], one));
}

function isSame(one: string, other: string): boolean {
  return one === other || (isNumber(one) && isNumber(other) && Number(one) === Number(other));
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
