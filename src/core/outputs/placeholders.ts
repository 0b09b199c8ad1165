import { dayInWords, type Language } from "../calendar/day-in-words.ts";
import { COLORS } from "../calendar/tariff.ts";
import { CIVIL_DAYS, type DayFacts, type Facts, type MomentFacts } from "../facts/facts.ts";
import { payloadOf, percent, rate, type Value } from "../facts/format-value.ts";
import type { Json, Template } from "./output.ts";

/** The payload to send. In a text an unknown value becomes `None`, as on vigie's own topics. */
export function fillPlaceholders(template: Template, facts: () => Facts, language: Language): string {
  const known: Sayable = {
    get facts() {
      return facts();
    },
    language,
  };
  return typeof template === "string" ? fillText(template, known) : JSON.stringify(fillJson(template, known));
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

/** What placeholders say, and in which language a day is said in words. */
interface Sayable {
  /** Derived when a placeholder is read. */
  readonly facts: Facts;
  language: Language;
}

function fillText(text: string, known: Sayable): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const read = READ.get(name);
    return read ? payloadOf(read(known)) : whole;
  });
}

/** A text that is one placeholder becomes the value of the fact: `{ left: "{left.rouge}" }` is `{"left":21}`. */
function fillJson(value: Json, known: Sayable): Json {
  if (typeof value === "string") {
    const [name] = WHOLE_PLACEHOLDER.exec(value)?.slice(1) ?? [];
    const read = READ.get(name ?? "");
    return read ? read(known) : fillText(value, known);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => fillJson(item, known));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, known)]));
}

type Read = (known: Sayable) => Value;

const PLACEHOLDER = /\{([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\}/gi;
const WHOLE_PLACEHOLDER = /^\{([a-z0-9_.]+)\}$/i;

const READ = new Map<string, Read>([
  ...ofDay("now", ({ now }) => now),
  ...ofDay("next", ({ next }) => next),
  ...CIVIL_DAYS.flatMap((name) => ofDay(name, ({ days }) => days[name])),
  ["now.period", ({ facts: { moment } }) => moment?.now.period ?? null],
  ["now.rate", ({ facts: { moment } }) => moment && rate(moment.now.rate)],
  ["next_rouge.date", ({ facts: { dated } }) => dated.next_rouge.date],
  [
    "next_rouge.day",
    ({ facts: { dated }, language }) => dated.next_rouge.date && dayInWords(dated.next_rouge.date, language),
  ],
  ...COLORS.map((color): [string, Read] => [
    `left.${color}`,
    ({ facts: { dated } }) => dated.left?.[color] ?? null,
  ]),
  ...COLORS.map((color): [string, Read] => [
    `remaining.${color}`,
    ({ facts: { dated } }) => dated.season?.remaining[color] ?? null,
  ]),
]);

function ofDay(name: string, day: (moment: MomentFacts) => DayFacts): [string, Read][] {
  return [
    [`${name}.date`, ({ facts: { moment } }) => moment && day(moment).date],
    [`${name}.day`, ({ facts: { moment }, language }) => moment && dayInWords(day(moment).date, language)],
    [`${name}.color`, ({ facts: { moment } }) => moment && day(moment).color],
    [`${name}.confidence`, ({ facts: { moment } }) => moment && percent(day(moment).confidence)],
  ];
}

/** All that exist. */
export const PLACEHOLDERS: readonly string[] = [...READ.keys()];
