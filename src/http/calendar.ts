import { showValue } from "../config/shown-value.ts";
import { addDays, dayStart, isoInstant } from "../core/calendar/dates.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import { COLORS, type Color, type Instant, type Tariff } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import type { KnownDay } from "../core/days/known-days.ts";
import { endOfCorrections } from "../core/days/official-words.ts";
import { daysAt } from "../core/facts/days-view.ts";
import type { DayFacts } from "../core/facts/facts.ts";
import { percent, text } from "../core/facts/format-value.ts";
import type { PageView } from "./page-view.ts";

export const CALENDAR_TYPE = "text/calendar; charset=utf-8";

/** Which days are in the calendar. */
export interface CalendarQuery {
  colors: readonly Color[];
  /** Forecasts that are sure to so many percent; null: official days only. */
  forecast: number | "all" | null;
}

/** From the query of the address: `?colors=rouge,blanc&forecast=80`. A wrong one gives a sentence that says what is right. */
export function readCalendarQuery(parameters: URLSearchParams): CalendarQuery | { problem: string } {
  const words: readonly string[] = parameters.get("colors")?.split(",") ?? COLORS;
  const colors = COLORS.filter((color) => words.includes(color));
  const forecast = parameters.get("forecast");
  const isRight =
    [...parameters.keys()].every((name) => name === "colors" || name === "forecast") &&
    colors.length === new Set(words).size &&
    /^(\d{1,2}|100|all)$/.test(forecast ?? "all");
  if (isRight)
    return { colors, forecast: forecast === null || forecast === "all" ? forecast : Number(forecast) };
  // What a person typed, or anybody: it is cut off, and has no line ends.
  const got = showValue(decodeURIComponent(`?${parameters}`), ["query"]);
  return {
    problem: `The address of the calendar is wrong: expected colors=, with one or more of ${COLORS.join(",")}, and forecast=, with a percentage from 0 to 100 or all, such as "?colors=rouge,blanc&forecast=80"; got ${got}`,
  };
}

/**
 * An event for each tariff day of the season whose colour is known: the official days, and forecasts from the day in force on
 * where they are asked for. Never a colour that is pretended. The same known days give the same text.
 */
export function renderCalendar(
  { instance, tariff, factsInput }: PageView,
  { colors, forecast, language }: CalendarQuery & { language: Language },
): string {
  const { knownDays, clock, isInvented } = factsInput;
  const words = { ...WORDS[language], invented: isInvented ? WORDS[language].invented : "" };
  const { now, last, day } = daysAt(knownDays, clock.at, tariff);
  const { start } = seasonOf(now);
  const counts = (facts: DayFacts): facts is DayFacts & { color: Color } => {
    if (facts.color === null || !colors.includes(facts.color)) return false;
    if (facts.official) return true;
    if (forecast === null || facts.date < now || facts.date > last) return false;
    return forecast === "all" || (percent(facts.confidence) ?? -1) >= forecast;
  };
  const events = Object.entries(knownDays.days)
    .filter(([date]) => date >= start)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([date, knownDay]) => {
      const facts = day(date);
      return counts(facts)
        ? eventLines(instance, facts, changedAt(facts, knownDay, tariff), words, tariff)
        : [];
    });
  const name = words.name(instance) + words.invented;
  const lines: Line[] = [
    ["BEGIN", "VCALENDAR"],
    ["VERSION", "2.0"],
    ["PRODID", "-//vigie//calendar//EN"],
    ["NAME", escapeText(name)],
    ["X-WR-CALNAME", escapeText(name)],
    ["REFRESH-INTERVAL;VALUE=DURATION", "PT1H"],
    ["X-PUBLISHED-TTL", "PT1H"],
    ...(events.length > 0 ? events : NO_EVENTS),
    ["END", "VCALENDAR"],
  ];
  return lines.map(([key, value]) => `${fold(`${key}:${value}`)}\r\n`).join("");
}

type Line = readonly [name: string, value: string];

function eventLines(
  instance: string,
  facts: DayFacts & { color: Color },
  changed: Instant,
  words: Words,
  tariff: Tariff,
): Line[] {
  const { date, color, official } = facts;
  const modified = utc(changed);
  const share = percent(facts.confidence);
  const title = `${SIGNS[color]} ${words.day(color)}${official ? "" : words.forecast(share)}${words.invented}`;
  return [
    ["BEGIN", "VEVENT"],
    ["UID", escapeText(`${date}@${instance}.vigie`)],
    ["DTSTAMP", modified],
    ["LAST-MODIFIED", modified],
    // Greater with each change, as clients expect it; in minutes, as seconds outgrow 32 bits in 2038.
    ["SEQUENCE", String(Math.floor(changed / 60_000))],
    ["DTSTART", utc(dayStart(date, tariff))],
    ["DTEND", utc(dayStart(addDays(date, 1), tariff))],
    ["SUMMARY", escapeText(title)],
    ["DESCRIPTION", escapeText(describeDay(facts, words) + words.invented)],
    ["CATEGORIES", color],
    ["STATUS", official ? "CONFIRMED" : "TENTATIVE"],
    // Nobody is busy because of it.
    ["TRANSP", "TRANSPARENT"],
    ["END", "VEVENT"],
  ];
}

/** `20260105T050000Z` */
function utc(at: Instant): string {
  return isoInstant(at).replaceAll("-", "").replaceAll(":", "");
}

function describeDay({ official, official_by, revised_from, explanation }: DayFacts, words: Words): string {
  // What explains a forecast goes on changing after the colour is official.
  if (!official) return [words.tentative, text(explanation) ?? ""].join("\n").trim();
  const contradiction = official_by ? words.contradiction(official_by) : "";
  const revision = revised_from === null ? "" : words.revised(revised_from);
  return [words.official, revision, contradiction].filter((sentence) => sentence !== "").join("\n");
}

/** When the colour that is shown was said, or replaced another one. */
function changedAt(facts: DayFacts, { forecast, service_word, rte_word }: KnownDay, tariff: Tariff): Instant {
  if (!facts.official) return forecast?.seen_at ?? 0;
  const said = [service_word, rte_word].flatMap((word) => word ?? []);
  // Where the sources contradict each other, a confirmation can change the colour. No word is new then.
  const decided =
    facts.official_by && said.some(({ confirmed }) => confirmed) ? endOfCorrections(facts.date, tariff) : 0;
  return Math.max(decided, ...said.map(({ first_said }) => first_said));
}

interface Words {
  name: (instance: string) => string;
  day: (color: Color) => string;
  forecast: (percent: number | null) => string;
  official: string;
  tentative: string;
  revised: (before: Color) => string;
  contradiction: (words: { service: Color; rte: Color }) => string;
  /** Behind each text, where the days are invented. */
  invented: string;
}

const WORDS: Record<Language, Words> = {
  en: {
    name: (instance) => `${instance}: colour days`,
    day: (color) => `${capital(color)} day`,
    forecast: (share) => (share === null ? ", forecast" : `, forecast ${share} %`),
    official: "The colour is official.",
    tentative: "The colour is not official yet.",
    revised: (before) => `It was ${before} before it was corrected.`,
    contradiction: ({ service, rte }) => `The service says ${service}, RTE says ${rte}.`,
    invented: " (INVENTED by the simulator)",
  },
  fr: {
    name: (instance) => `${instance} : jours de couleur`,
    day: (color) => `Jour ${color}`,
    forecast: (share) => (share === null ? ", prévu" : `, prévu à ${share} %`),
    official: "La couleur est officielle.",
    tentative: "La couleur n'est pas encore officielle.",
    revised: (before) => `Le jour était ${before} avant une correction.`,
    contradiction: ({ service, rte }) => `Le service dit ${service}, RTE dit ${rte}.`,
    invented: " (INVENTÉ par le simulateur)",
  },
};

const SIGNS: Record<Color, string> = { bleu: "🔵", blanc: "⚪", rouge: "🔴" };

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A calendar must have a component: one that says nothing, as all times are in UTC. */
const NO_EVENTS: readonly Line[] = [
  ["BEGIN", "VTIMEZONE"],
  ["TZID", "Etc/UTC"],
  ["BEGIN", "STANDARD"],
  ["DTSTART", "19700101T000000"],
  ["TZOFFSETFROM", "+0000"],
  ["TZOFFSETTO", "+0000"],
  ["END", "STANDARD"],
  ["END", "VTIMEZONE"],
];

/** RFC 5545, 3.3.11. No other control character than a tab is allowed. */
export function escapeText(value: string): string {
  return value
    .replaceAll(/[\\;,]/g, "\\$&")
    .replaceAll(/\r\n|[\r\n]/g, "\\n")
    .replaceAll(/(?!\t)\p{Cc}|\p{Surrogate}/gu, "\u{FFFD}");
}

/** RFC 5545, 3.1: lines of at most 75 octets, divided between characters. */
export function fold(line: string): string {
  if (Buffer.byteLength(line) <= LONGEST_LINE) return line;
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LONGEST_LINE) {
      folded += "\r\n ";
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}

const LONGEST_LINE = 75;
