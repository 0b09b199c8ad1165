import { listOf, type Scalar, type ValueText } from "../house.ts";
import { readDuration } from "./duration.ts";
import { either, OFF, ON, type Possible, UNKNOWN, when } from "./possible.ts";

/** A payload that vigie has heard on a topic, or its own beginning: then nothing was heard. */
export interface Heard {
  /** As `steady`. */
  from: number;
  payload: string | null;
  /** Since when its age counts, as `steady`: the documents leave some cases open, so it is one of the instants between these two. */
  earliest: number;
  latest: number;
}

/** What the condition may say of a value, if vigie looks at it at some time between these two instants. */
export function testValue(test: ValueText, heard: readonly Heard[], from: number, to: number): Possible {
  const first = Math.max(
    0,
    heard.findLastIndex((one) => one.from <= from),
  );
  const limit = test.max_age === undefined ? Number.POSITIVE_INFINITY : readDuration(test.max_age);
  const found: Possible[] = [];
  for (let index = first; index < heard.length && (heard[index]!.from <= to || index === first); index += 1) {
    const { payload, earliest, latest, from: since } = heard[index]!;
    const begin = Math.max(from, since);
    const end = Math.min(to, heard[index + 1]?.from ?? to);
    if (begin - latest <= limit) found.push(payload === null ? UNKNOWN : testPayload(test, payload));
    if (test.max_age !== undefined && end - earliest >= limit) found.push(UNKNOWN);
  }
  return found.length === 0 ? UNKNOWN : either(found);
}

function testPayload(test: ValueText, payload: string): Possible {
  // What bytes that are no UTF-8 are read as.
  if (payload === "" || payload.includes("\u{FFFD}")) return UNKNOWN;
  if (test.path === undefined) return testText(test, payload);
  let value: unknown;
  try {
    value = test.path
      .split(".")
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], JSON.parse(payload));
  } catch {
    return UNKNOWN;
  }
  if (value === undefined || value === null || typeof value === "object") return UNKNOWN;
  return typeof value === "number" ? testNumber(test, value) : unclear(testText(test, String(value)));
}

function testText(test: ValueText, text: string): Possible {
  if (test.equals === undefined) {
    if (/^-?\d+(\.\d+)?$/.test(text)) return testNumber(test, Number(text));
    // How else a number may be written is not said.
    return Number.isFinite(Number(text)) ? unclear(testNumber(test, Number(text))) : UNKNOWN;
  }
  const wanted = listOf(test.equals);
  if (DEAD.has(text) && !wanted.includes(text)) return UNKNOWN;
  const isPlain = (one: Scalar) => typeof one === "string" && !/^[-\d{["]|^(true|false|null)$/.test(one);
  const found = when(wanted.some((one) => String(one) === text));
  return wanted.every(isPlain) && isPlain(text) ? found : unclear(found);
}

/** What Home Assistant says of a sensor that is dead: known only if it is asked for. */
const DEAD: ReadonlySet<string> = new Set(["unavailable", "unknown", "None"]);

function testNumber({ above, below, at_most, at_least, equals }: ValueText, value: number): Possible {
  if (equals !== undefined) return unclear(when(listOf(equals).some((one) => Number(one) === value)));
  return when(isWithin(value, { above, below, at_most, at_least }));
}

export function isWithin(
  value: number,
  {
    above,
    below,
    at_most,
    at_least,
  }: Partial<Record<"above" | "below" | "at_most" | "at_least", number | undefined>>,
): boolean {
  return (
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (at_most === undefined || value <= at_most) &&
    (at_least === undefined || value >= at_least)
  );
}

function unclear(given: Possible): Possible {
  return either([given, ON, OFF, UNKNOWN]);
}
