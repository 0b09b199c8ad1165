import { numberOf, parseJson, valueAtPath } from "../contract/parse-json.ts";
import { text } from "../facts/format-value.ts";

/** Whether the report of a device says what is expected after a payload. */
export function isConfirmedBy(report: string, expected: string, path?: string): boolean {
  const json = parseJson(expected);
  const value = path === undefined ? readReport(report, json) : valueIn(report, path);
  return isObject(json) ? contains(value, json) : isSameText(textOf(value), expected);
}

/**
 * What people are shown of a report: the value at this path; of a JSON object the keys that are expected; the whole report
 * where there is none of these. Long texts are cut, and a thermostat reports thirty keys.
 */
export function shownReport(report: string, expected: string, path?: string): string {
  const value = path === undefined ? expectedKeysOf(report, parseJson(expected)) : valueIn(report, path);
  return text(textOf(value) ?? report) ?? "";
}

function expectedKeysOf(report: string, expected: unknown): unknown {
  const json = isObject(expected) ? parseJson(report) : undefined;
  if (!(isObject(expected) && isObject(json))) return undefined;
  const shown = Object.entries(json).filter(([key]) => Object.hasOwn(expected, key));
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** A report is JSON only where JSON is expected: `null` may be a word of the device. */
function readReport(report: string, expected: unknown): unknown {
  return isObject(expected) ? parseJson(report) : report;
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
function contains(value: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return false;
    return expected.every((item, index) => contains(value[index], item));
  }
  if (isObject(expected)) {
    if (!isObject(value)) return false;
    return Object.entries(expected).every(
      ([key, item]) => Object.hasOwn(value, key) && contains(value[key], item),
    );
  }
  return value === expected || isSameNumber(value, expected);
}

function isSameText(text: string | undefined, expected: string): boolean {
  return text === expected || isSameNumber(text, expected);
}

/** `"18"` and 18.0 are the same number, `"18 °C"` is none. */
function isSameNumber(one: unknown, other: unknown): boolean {
  const [left, right] = [numberOf(one), numberOf(other)];
  return left !== null && left === right;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
