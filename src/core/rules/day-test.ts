import type { Color } from "../calendar/tariff.ts";
import { percent } from "../facts/format-value.ts";
import type { DayCondition } from "./rule.ts";
import type { Sight } from "./seen.ts";
import { both, type Truth } from "./truth.ts";

/** What one day gives. `confidence` in percent, as asked at this time. */
export function testDay(asked: DayCondition, sight: Sight, confidence: number | null): Truth {
  const { facts } = sight;
  let truth: Truth = true;
  if (asked.color) truth = testColor(asked.color, sight);
  if (confidence !== null) truth = both(truth, testConfidence(sight, confidence));
  if (asked.official !== null) truth = both(truth, facts.official === asked.official);
  if (asked.stage) truth = both(truth, facts.stage === null ? null : asked.stage.includes(facts.stage));
  if (asked.known !== null) truth = both(truth, (facts.color !== null) === asked.known);
  return truth;
}

/** The same, counting only what no forecast can change: an official colour, and what the laws forbid. */
export function assureDay(asked: DayCondition, sight: Sight, truth: Truth): Truth {
  const { official, stage } = sight.facts;
  // An announced day becomes final by being seen once more.
  if (official) return asked.stage && stage !== "final" ? null : truth;
  return asked.color && !isAnyPossible(asked.color, sight) ? false : null;
}

function testColor(colors: readonly Color[], sight: Sight): Truth {
  const { color } = sight.facts;
  if (color !== null) return colors.includes(color);
  return isAnyPossible(colors, sight) ? null : false;
}

function isAnyPossible(colors: readonly Color[], { possible }: Sight): boolean {
  return colors.some((color) => possible.includes(color));
}

/** Held against the same whole percent that is published. An official colour always passes. */
function testConfidence({ facts }: Sight, least: number): Truth {
  if (facts.official) return true;
  if (facts.color === null) return null;
  const given = percent(facts.confidence);
  return given !== null && given >= least;
}
