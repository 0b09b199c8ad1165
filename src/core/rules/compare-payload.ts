import { numberOf, parseJson, valueAtPath } from "../contract/parse-json.ts";
import { describeLength } from "../log/duration.ts";
import { describeBounds, isWithin } from "./bounds.ts";
import type { MqttCondition } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** What a condition gives for a payload; `problem` says why it is unknown; `value` is what it compared. */
interface PayloadResult {
  truth: Truth;
  problem: PayloadProblem | null;
  value: string;
}

export type PayloadProblem =
  | "not JSON"
  | "not in its JSON"
  | "not text"
  | "said to be unknown"
  | "no single value"
  | "not a number";

/** Anybody may publish the payload: it may have any shape and size. */
export function testPayload({ path, test }: MqttCondition, payload: string): PayloadResult {
  const unknown = (problem: PayloadProblem, value: unknown) => ({
    truth: null,
    problem,
    value: shorten(value),
  });
  let value: unknown = payload;
  if (path !== null) {
    const json = parseJson(payload);
    if (json === undefined) return unknown("not JSON", payload);
    value = valueAtPath(json, path);
    if (value === undefined) return unknown("not in its JSON", payload);
  }
  if (typeof value === "string" && value.includes(NO_TEXT)) return unknown("not text", value);
  if (test.kind === "equals") {
    // `null` is what a device reports that does not know yet.
    if (typeof value === "object") return unknown("no single value", value);
    const truth = test.values.some((one) => isSameScalar(value, one));
    if (!truth && isSaidUnknown(value)) return unknown("said to be unknown", value);
    return { truth, problem: null, value: shorten(value) };
  }
  if (isSaidUnknown(value)) return unknown("said to be unknown", value);
  const number = numberOf(value);
  if (number === null) return unknown("not a number", value);
  return { truth: isWithin(number, test.bounds), problem: null, value: shorten(value) };
}

/**
 * Names a condition in the state file. Words would not do: `t x is above 3` may mean the topic `t x`, or the place `x` in
 * the payload of `t`.
 */
export function keyOfMqtt({ topic, path, test, max_age }: MqttCondition): string {
  return JSON.stringify([topic, path, test, max_age]);
}

/** What a condition tests, in words. */
export function describeMqtt({ topic, path, test, max_age }: MqttCondition): string {
  const place = path === null ? topic : `${topic} ${path.join(".")}`;
  // In quotes a text: to YAML `no` and `off` are texts, and false is none.
  const tested =
    test.kind === "bounds"
      ? describeBounds(test.bounds)
      : test.values.map((one) => JSON.stringify(one)).join(" or ");
  return `${place} is ${tested}${max_age === null ? "" : `, at most ${describeLength(max_age)} old`}`;
}

/** What reads as a number is compared as one: "18" equals 18.0. All else exactly. */
function isSameScalar(value: unknown, wanted: string | number | boolean): boolean {
  const [number, wantedNumber] = [numberOf(value), numberOf(wanted)];
  if (number !== null && wantedNumber !== null) return number === wantedNumber;
  return String(value) === String(wanted);
}

/** Home Assistant publishes these when a sensor is dead: that nobody answers does not say that nobody is home. */
function isSaidUnknown(value: unknown): boolean {
  return value === "unavailable" || value === "unknown" || value === "None";
}

/** What a deep object holds is not written: that would take more stack than there is. */
function shorten(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** What bytes that are no UTF-8 are read as. */
const NO_TEXT = "\u{FFFD}";
const LONGEST_SHOWN = 60;
