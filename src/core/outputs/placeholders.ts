import { COLORS } from "../calendar/tariff.ts";
import type { DayFacts, Facts, MomentFacts } from "../facts/facts.ts";
import { payloadOf, percent, rate, type Value } from "../facts/format-value.ts";
import type { Json, Template } from "./output.ts";

/** The payload to send. In a text an unknown value becomes `None`, as on vigie's own topics. */
export function fillPlaceholders(template: Template, facts: Facts): string {
  return typeof template === "string" ? fillText(template, facts) : JSON.stringify(fillJson(template, facts));
}

/**
 * The names in braces, whether they exist or not: `next.color` of `{next.color}`. JSON braces are not placeholders. Of a
 * value of any other shape, those in the texts inside it.
 */
export function findPlaceholders(template: unknown): string[] {
  if (typeof template === "string") return [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(findPlaceholders);
}

function fillText(text: string, facts: Facts): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const read = READ.get(name);
    return read ? payloadOf(read(facts)) : whole;
  });
}

/** A text that is one placeholder becomes the value of the fact: `{ left: "{left.rouge}" }` is `{"left":21}`. */
function fillJson(value: Json, facts: Facts): Json {
  if (typeof value === "string") {
    const [name] = WHOLE_PLACEHOLDER.exec(value)?.slice(1) ?? [];
    const read = READ.get(name ?? "");
    return read ? read(facts) : fillText(value, facts);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => fillJson(item, facts));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, facts)]));
}

type Read = (facts: Facts) => Value;

const PLACEHOLDER = /\{([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\}/gi;
const WHOLE_PLACEHOLDER = /^\{([a-z0-9_.]+)\}$/i;

const READ = new Map<string, Read>([
  ...ofDay("now", ({ now }) => now),
  ...ofDay("next", ({ next }) => next),
  ...ofDay("today", ({ days }) => days.today),
  ...ofDay("tomorrow", ({ days }) => days.tomorrow),
  ["now.period", ({ moment }) => moment?.now.period ?? null],
  ["now.rate", ({ moment }) => moment && rate(moment.now.rate)],
  ["next_rouge.date", ({ dated }) => dated.next_rouge.date],
  ...COLORS.map((color): [string, Read] => [`left.${color}`, ({ dated }) => dated.left?.[color] ?? null]),
  ...COLORS.map((color): [string, Read] => [
    `remaining.${color}`,
    ({ dated }) => dated.season?.remaining[color] ?? null,
  ]),
]);

function ofDay(name: string, day: (moment: MomentFacts) => DayFacts): [string, Read][] {
  return [
    [`${name}.date`, ({ moment }) => moment && day(moment).date],
    [`${name}.color`, ({ moment }) => moment && day(moment).color],
    [`${name}.confidence`, ({ moment }) => moment && percent(day(moment).confidence)],
  ];
}

/** All that exist. */
export const PLACEHOLDERS: readonly string[] = [...READ.keys()];
