import { COLORS, type Color } from "../calendar/tariff.ts";
import { percent, rate } from "../facts/format-value.ts";
import type { Bounds, DayCondition, NumberCondition } from "./rule.ts";
import type { Seen, SeenDay, SeenDays, SeenValue } from "./seen.ts";

/** What a condition asks, as a person reads it. */
export function describeCondition(seen: Seen): string {
  const { condition } = seen;
  switch (condition.kind) {
    case "all":
      return "all of";
    case "any":
      return "any of";
    case "not":
      return "not";
    case "day":
      return describeDay(condition, "confidence" in seen ? seen.confidence : null);
    case "period":
      return `period is ${condition.period}`;
    case "between":
      return `between ${condition.from} and ${condition.to}`;
    case "weekday":
      return `weekday is ${oneOf(condition.days)}`;
    case "rate":
    case "days_remaining":
    case "remaining":
    case "left":
      return describeNumber(condition);
  }
}

/** What it saw; null of what only joins others. */
export function describeSight(seen: Seen): string | null {
  if ("parts" in seen) return null;
  return "days" in seen ? describeDays(seen) : describeValue(seen);
}

/** `2026-01-05 rouge, official`. */
function describeSeenDay({ facts: { date, color, confidence, official, stage, source } }: SeenDay): string {
  if (color === null) return `${date} not known`;
  if (source === "simulation") return `${date} ${color}, simulated`;
  if (official) return `${date} ${color}, ${stage === "announced" ? "announced" : "official"}`;
  const share = percent(confidence);
  return `${date} ${color}, forecast${share === null ? "" : ` ${share} %`}`;
}

function describeDay(asked: DayCondition, confidence: number | null): string {
  const { range, least, color, official, stage, known } = asked;
  const who =
    range === null ? asked.day : least === range ? `every one of ${asked.day}` : `${least} of ${asked.day}`;
  const verb = range === null || least === 1 || least === range ? "is" : "are";
  const moved = asked.confidence === "threshold" ? " (its threshold)" : "";
  const wanted = [
    ...(color ? [oneOf(color)] : []),
    ...(confidence === null ? [] : [`${confidence} % sure${moved}`]),
    ...(official === null ? [] : [official ? "official" : "not official"]),
    ...(stage ? [oneOf(stage)] : []),
    ...(known === null ? [] : [known ? "known" : "not known"]),
  ];
  return `${who} ${verb} ${wanted.join(", ")}`;
}

function describeNumber(condition: NumberCondition): string {
  const bounds = describeBounds(condition.bounds);
  switch (condition.kind) {
    case "rate":
      return `rate is ${bounds}`;
    case "days_remaining":
      return `days remaining are ${bounds}`;
    case "remaining":
    case "left":
      return `${condition.color} ${condition.kind} is ${bounds}`;
  }
}

function describeBounds({ above, below, at_most, at_least }: Bounds): string {
  return [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(at_least === undefined ? [] : [`at least ${at_least}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
    ...(at_most === undefined ? [] : [`at most ${at_most}`]),
  ].join(" and ");
}

function describeDays({ condition, days, truth }: SeenDays): string {
  const [only] = days;
  if (condition.range === null && only) return describeSeenDay(only) + describeLaw(condition, only);
  const matching = days.filter((day) => day.truth === true);
  const unknown = days.filter((day) => day.truth === null).length;
  const shown = matching.slice(0, DAYS_SHOWN).map(describeSeenDay);
  const more = matching.length > DAYS_SHOWN ? [`${matching.length - DAYS_SHOWN} more`] : [];
  const words = matching.length === 0 ? [truth === null ? "none so far" : "none"] : [...shown, ...more];
  return [...words, ...(unknown > 0 ? [`${unknown} of ${days.length} cannot be told`] : [])].join("; ");
}

/** Why a day that nobody announced is none of these colours all the same. */
function describeLaw({ color }: DayCondition, { facts, truth, possible }: SeenDay): string {
  if (facts.color !== null || truth !== false || !color) return "";
  return `, and it can only be ${oneOf(COLORS.filter((one: Color) => possible.includes(one)))}`;
}

function describeValue({ condition, value }: SeenValue): string {
  if (value === null) return "not known";
  if (condition.kind === "between") return wallText(Number(value));
  if (condition.kind === "rate") return `${rate(Number(value))} EUR/kWh`;
  return String(value);
}

function wallText(sinceMidnight: number): string {
  const minutes = Math.floor(sinceMidnight / 60_000);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function oneOf(words: readonly string[]): string {
  return words.join(" or ");
}

const DAYS_SHOWN = 3;
