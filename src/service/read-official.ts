import { z } from "zod";
import { addDays, civilDate } from "../core/calendar/dates.ts";
import { COLORS, type Color, type Instant, type IsoDate, type Tariff } from "../core/calendar/tariff.ts";
import { isColorAllowed } from "../core/calendar/tariff-laws.ts";
import { seasonWithLabel } from "../core/calendar/tariff-season.ts";
import type { OfficialAnswer, OfficialRequest } from "../core/contract/answer.ts";
import { OFFICIAL_WORDS, officialSchema } from "../core/contract/endpoints.ts";
import { describeValue } from "./clean-text.ts";
import { AnswerUnreadable } from "./service-errors.ts";

export interface OfficialReadSettings {
  /** The request in words, for messages: `GET /tempoLight`. */
  operation: string;
  tariff: Pick<Tariff, "time_zone" | "laws">;
  /** The true time at which the answer came. */
  now: Instant;
}

export interface OfficialReading {
  answer: OfficialAnswer;
  /** Why the answer counts as a failure although its words count; null where it does not. */
  failure: AnswerUnreadable | null;
  /** What could not be used of it: sentences for the log. */
  warnings: string[];
}

/**
 * Of a key that comes twice `JSON.parse` keeps the last value: `{"2026-01-06": "RED", "2026-01-06": "BLUE"}` would be bleu. A
 * date with different words gets all of them as one, `RED and BLUE`, which is none that vigie knows.
 */
export function parseOfficial(text: string): unknown {
  const [, values = ""] = /"values"\s*:\s*\{([^}]*)\}/.exec(text) ?? [];
  const words = new Map<string, Set<string>>();
  for (const [, date = "", word = ""] of values.matchAll(/"(\d{4}-\d\d-\d\d)"\s*:\s*"?([^",]*)/g)) {
    words.set(date, (words.get(date) ?? new Set()).add(word.trim().toUpperCase()));
  }
  return JSON.parse(text, (key, value) => {
    const all = words.get(key);
    return all && all.size > 1 ? [...all].join(" and ") : value;
  });
}

/** The answer to a request, from its JSON; throws `AnswerUnreadable` for JSON without `values`. */
export function readOfficial(
  request: OfficialRequest,
  json: unknown,
  settings: OfficialReadSettings,
): OfficialReading {
  const { operation, tariff, now } = settings;
  const parsed = officialSchema.safeParse(json);
  if (!parsed.success) {
    const why = `Expected an object with "values", a colour for each date, got ${describeAnswer(json)}`;
    throw new AnswerUnreadable(operation, why, { cause: parsed.error });
  }
  const today = civilDate(now, tariff.time_zone);
  const sent = Object.entries(parsed.data.values).filter(([key]) => z.iso.date().safeParse(key).success);
  const wanted = sent.filter(([date]) => isWanted(date, request, today));
  const words: OfficialAnswer["words"] = [];
  const warnings: string[] = [];
  for (const [date, word] of wanted) {
    const color = toColor(word);
    if (color === null) warnings.push(describeUnknown(date, word));
    else if (!isColorAllowed(date, color, tariff.laws)) warnings.push(describeForbidden(date, color));
    else words.push({ date, color });
  }
  const answer: OfficialAnswer = { kind: request.kind, words };
  const why = whyFailure(request, { sent: sent.map(([date]) => date), words, today });
  const failure = why === null ? null : new AnswerUnreadable(operation, why);
  return { answer, failure, warnings: warnings.slice(0, MOST_WARNINGS) };
}

/** Of a season only days that are over, as light names the others. Of light also days that an old answer names. */
function isWanted(date: IsoDate, request: OfficialRequest, today: IsoDate): boolean {
  if (request.kind === "light") return addDays(today, -OLDEST_LIGHT) <= date && date <= addDays(today, 1);
  const season = seasonWithLabel(request.label);
  return season !== undefined && season.start <= date && date <= season.end && date < today;
}

/** An answer from a cache may be a day old, and one of another season answers another request. */
function whyFailure(
  request: OfficialRequest,
  { sent, words, today }: { sent: readonly IsoDate[]; words: OfficialAnswer["words"]; today: IsoDate },
): string | null {
  const got =
    sent.length === 0 ? "no dates" : `dates from ${sent.toSorted()[0]} to ${sent.toSorted().at(-1)}`;
  if (request.kind === "light") {
    if (words.some(({ date }) => date === today)) return null;
    return `Expected a colour for today, ${today}, got ${got}`;
  }
  const season = seasonWithLabel(request.label);
  if (sent.length === 0 || sent.some((date) => season && season.start <= date && date <= season.end))
    return null;
  return `Expected dates of the season ${request.label}, got ${got}`;
}

function toColor(word: unknown): Color | null {
  if (typeof word !== "string") return null;
  return COLORS.find((color) => OFFICIAL_WORDS[color].toLowerCase() === word.toLowerCase()) ?? null;
}

function describeAnswer(json: unknown): string {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return describeValue(json);
  return "values" in json ? `${describeValue(json.values)} as "values"` : 'an object without "values"';
}

function describeUnknown(date: IsoDate, word: unknown): string {
  const words = Object.values(OFFICIAL_WORDS).join(", ");
  return `The official source sent ${describeValue(word)} for ${date}, which is none of ${words}: it is not used`;
}

function describeForbidden(date: IsoDate, color: Color): string {
  return `The official source sent ${OFFICIAL_WORDS[color]} for ${date}, a date on which the tariff has no ${color} day: it is not used. If your tariff has such days, set tariff.laws: off`;
}

/** In days. What is older is another mistake than an old answer from a cache. */
const OLDEST_LIGHT = 7;

/** A source that sends a new value each time does not fill the log. */
const MOST_WARNINGS = 8;
