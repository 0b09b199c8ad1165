import { COLORS } from "../calendar/tariff.ts";
import type { DayFacts, Facts, MomentFacts } from "../facts/facts.ts";
import { percent, plain, rate, type Value } from "../facts/format-value.ts";

/** A payload as it is sent: what is not known reads `None`, as on vigie's own topics; never empty, never a guess. */
export function fillPlaceholders(payload: string, facts: Facts): string {
  return payload.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const read = READ.get(name);
    return read ? plain(read(facts)) : whole;
  });
}

/** What stands in braces in a payload and is no JSON: `next.color` of `{next.color}`. */
export function findPlaceholders(payload: string): string[] {
  return [...payload.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
}

type Read = (facts: Facts) => Value;

const PLACEHOLDER = /\{([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\}/gi;

const DAYS: Record<string, (moment: MomentFacts) => DayFacts> = {
  now: ({ now }) => now,
  next: ({ next }) => next,
  today: ({ days }) => days.today,
  tomorrow: ({ days }) => days.tomorrow,
};

const OF_A_DAY: Record<string, (day: DayFacts) => Value> = {
  date: ({ date }) => date,
  color: ({ color }) => color,
  confidence: ({ confidence }) => percent(confidence),
};

const READ = new Map<string, Read>([
  ...Object.entries(DAYS).flatMap(([name, day]) =>
    Object.entries(OF_A_DAY).map(([part, read]): [string, Read] => [
      `${name}.${part}`,
      ({ moment }) => moment && read(day(moment)),
    ]),
  ),
  ["now.period", ({ moment }) => moment?.now.period ?? null],
  ["now.rate", ({ moment }) => moment && rate(moment.now.rate)],
  ["next_rouge.date", ({ dated }) => dated.next_rouge.date],
  ...COLORS.map((color): [string, Read] => [`left.${color}`, ({ dated }) => dated.left?.[color] ?? null]),
  ...COLORS.map((color): [string, Read] => [
    `remaining.${color}`,
    ({ dated }) => dated.season?.remaining[color] ?? null,
  ]),
]);

/** All there are: a closed set. */
export const PLACEHOLDERS: readonly string[] = [...READ.keys()];
