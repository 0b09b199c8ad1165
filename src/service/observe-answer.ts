import { describeValue } from "./clean-text.ts";
import { rawColor, readColor } from "./read-color.ts";
import { readConfidence, scaleOf } from "./read-confidence.ts";
import { readDecimal } from "./read-decimal.ts";
import { readRate } from "./read-rates.ts";
import type { Bounds, Observed, Terms } from "./reading-terms.ts";

/** The values of one answer as they were sent. */
export interface Sent {
  colors: readonly unknown[];
  confidences: readonly unknown[];
  rates: readonly unknown[];
}

/** What an answer was made of, and what of it an owner should hear about. */
export function observe(sent: Sent, terms: Terms): { observed: Observed; notices: string[] } {
  const scale = scaleOf(sent.confidences, terms.confidence, terms.percent);
  const bounds = boundsOf(sent.confidences);
  const observed: Observed = {
    colors: seenColors(sent.colors, terms),
    confidence: bounds === null ? null : { ...bounds, scale },
    rates: boundsOf(sent.rates),
    official: null,
  };
  const notices = [
    ...unknownColors(sent.colors, terms),
    ...odd(sent.rates, (value) => readRate(value, terms.rate_unit) !== null).map(
      (value) =>
        `The service says the price ${value}, which cannot be ${terms.rate_unit}: not used (service.rate_unit)`,
    ),
    ...odd(sent.confidences, (value) => readConfidence(value, scale) !== null).map(
      (value) =>
        `The service says the confidence ${value}, which is no ${scale}: not used (service.confidence)`,
    ),
  ];
  return { observed, notices };
}

function boundsOf(values: readonly unknown[]): Bounds | null {
  const numbers = values.map(readDecimal).filter((number) => number !== null);
  if (numbers.length === 0) return null;
  const low = numbers.reduce((one, other) => Math.min(one, other));
  const high = numbers.reduce((one, other) => Math.max(one, other));
  return { low, high };
}

function seenColors(values: readonly unknown[], terms: Terms): Observed["colors"] {
  const seen = new Map(
    values.map((value) => [rawColor(value) ?? "nothing", readColor(value, terms.spellings).color]),
  );
  return [...seen].slice(0, MOST).map(([said, color]) => ({ said, color }));
}

function unknownColors(values: readonly unknown[], terms: Terms): string[] {
  return odd(values, (value) => readColor(value, terms.spellings).color !== null, true).map(
    (value) => `The service says ${value} where a colour should be: the day stays unknown (service.colors)`,
  );
}

/** The first few different values that were sent and are not understood. */
function odd(
  values: readonly unknown[],
  isUnderstood: (value: unknown) => boolean,
  absentToo = false,
): string[] {
  const told = values.filter((value) => absentToo || (value !== undefined && value !== null));
  return [...new Set(told.filter((value) => !isUnderstood(value)).map(describeValue))].slice(0, MOST);
}

const MOST = 8;
