import { COLORS } from "../calendar/tariff.ts";
import type { DayFacts, Facts, MomentFacts } from "../facts/facts.ts";
import { payloadOf, percent, rate, type Value } from "../facts/format-value.ts";

/** The payload to send: an unknown value becomes `None`, as on vigie's own topics. */
export function fillPlaceholders(payload: string, facts: Facts): string {
  return payload.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const read = READ.get(name);
    return read ? payloadOf(read(facts)) : whole;
  });
}

/** The names in braces, whether they exist or not: `next.color` of `{next.color}`. JSON braces are not placeholders. */
export function findPlaceholders(payload: string): string[] {
  return [...payload.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
}

type Read = (facts: Facts) => Value;

const PLACEHOLDER = /\{([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\}/gi;

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
