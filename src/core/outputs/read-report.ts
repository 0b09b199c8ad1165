import { numberOf, parseJson, valueAtPath } from "../contract/parse-json.ts";
import { text } from "../facts/format-value.ts";

/** `nothing`: it does not tell what is asked for, so it contradicts nothing. */
export type ReportMeaning = "expected" | "other" | "nothing";

/** What the report of a device says about what is expected after a payload. */
export function readReport(report: string, expected: string, path?: string): ReportMeaning {
  const json = parseJson(expected);
  const isObjectExpected = isObject(json);
  if (path === undefined && !isObjectExpected) {
    if (report === "") return "nothing";
    return isSameText(report, expected) ? "expected" : "other";
  }
  const value = path === undefined ? parseJson(report) : valueIn(report, path);
  if (isObjectExpected) return isObject(value) ? compare(value, json) : "nothing";
  if (value !== undefined && isSameText(textOf(value), expected)) return "expected";
  const isScalar = value !== undefined && typeof value !== "object";
  return isScalar ? "other" : "nothing";
}

export function isConfirmedBy(report: string, expected: string, path?: string): boolean {
  return readReport(report, expected, path) === "expected";
}

/**
 * What people are shown of a report: the value at this path; of a JSON object the keys that are expected; the whole report
 * where there is none of these. Long texts are cut, and a thermostat reports thirty keys.
 */
export function shownReport(report: string, expected: string, path?: string): string {
  const value = path === undefined ? expectedKeysOf(report, parseJson(expected)) : valueIn(report, path);
  return text(textOf(value) ?? report) ?? "";
}

/** What a report says of which only what people are shown is known: of JSON the value itself, and of a long text its beginning. */
export function readShown(shown: string, expected: string): ReportMeaning {
  return shown === text(expected) ? "expected" : readReport(shown, expected);
}

function expectedKeysOf(report: string, expected: unknown): unknown {
  const json = isObject(expected) ? parseJson(report) : undefined;
  if (!(isObject(expected) && isObject(json))) return undefined;
  const shown = Object.entries(json).filter(([key]) => Object.hasOwn(expected, key));
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** undefined where there is nothing at this path, or no JSON. */
function valueIn(report: string, path: string): unknown {
  return valueAtPath(parseJson(report), path.split("."));
}

/** undefined also where it is nested too deeply to be written: any program may publish a report. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Objects may have more keys than expected, at each depth; lists have the same length. */
function compare(value: unknown, expected: unknown): ReportMeaning {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return absentOr(value, "other");
    return together(expected.map((item, index) => compare(value[index], item)));
  }
  if (isObject(expected)) {
    if (!isObject(value)) return absentOr(value, "other");
    return together(
      Object.entries(expected).map(([key, item]) =>
        Object.hasOwn(value, key) ? compare(value[key], item) : "nothing",
      ),
    );
  }
  return value === expected || isSameNumber(value, expected) ? "expected" : absentOr(value, "other");
}

function absentOr(value: unknown, meaning: ReportMeaning): ReportMeaning {
  return value === null ? "nothing" : meaning;
}

/** One part that differs is enough. */
function together(parts: readonly ReportMeaning[]): ReportMeaning {
  if (parts.includes("other")) return "other";
  return parts.includes("nothing") ? "nothing" : "expected";
}

/** A line break at the end of a report says nothing. */
function isSameText(text: string | undefined, expected: string): boolean {
  return text?.replace(/[\r\n]+$/, "") === expected || isSameNumber(text, expected);
}

/** `"18"` and 18.0 are the same number, `"18 °C"` is none. */
function isSameNumber(one: unknown, other: unknown): boolean {
  const [left, right] = [numberOf(one), numberOf(other)];
  return left !== null && left === right;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
