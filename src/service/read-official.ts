import { z } from "zod";
import { COLORS, type Color, type Instant, type IsoDate, type Tariff } from "../core/calendar/tariff.ts";
import { isColorAllowed } from "../core/calendar/tariff-laws.ts";
import { seasonWithLabel } from "../core/calendar/tariff-season.ts";
import type { ColorOfDate, OfficialAnswer, OfficialRequest, WordInAnswer } from "../core/contract/answer.ts";
import { OFFICIAL_WORDS, officialEndpoints, officialSchema } from "../core/contract/endpoints.ts";
import { countingWords, describeDates, whyFailure } from "../core/days/official-answer.ts";
import { describeValue } from "./clean-text.ts";
import { AnswerUnreadable } from "./service-errors.ts";

export interface OfficialReadSettings {
  /** The request in words, for messages: `GET /tempoLight`. */
  operation: string;
  tariff: Pick<Tariff, "laws">;
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

/** The answer to a request, from its JSON; throws `AnswerUnreadable` for JSON without `values`, or of another season. */
export function readOfficial(
  request: OfficialRequest,
  json: unknown,
  { operation, tariff }: OfficialReadSettings,
): OfficialAnswer {
  const parsed = officialSchema.safeParse(json);
  if (!parsed.success) {
    const why = `Expected an object with "values", a colour for each date, got ${describeAnswer(json)}`;
    throw new AnswerUnreadable(operation, why, { cause: parsed.error });
  }
  const sent = Object.entries(parsed.data.values).filter(([key]) => z.iso.date().safeParse(key).success);
  const asked = sent.filter(([date]) => isAskedFor(date, request));
  if (request.kind === "season" && sent.length > 0 && asked.length === 0) {
    const got = describeDates(sent.map(([date]) => date));
    throw new AnswerUnreadable(operation, `Expected dates of the season ${request.label}, got ${got}`);
  }
  return { kind: request.kind, words: asked.map(([date, word]) => readWord(date, word, tariff)) };
}

/** An answer from a cache may be that of another season. */
function isAskedFor(date: IsoDate, request: OfficialRequest): boolean {
  if (request.kind === "light") return true;
  const season = seasonWithLabel(request.label);
  return season !== undefined && season.start <= date && date <= season.end;
}

/**
 * The words of an answer that count now, for those who have no loop; throws `AnswerUnreadable` if the answer is a failure
 * although they count.
 */
export function readWordsNow(
  answer: OfficialAnswer,
  now: Instant,
  tariff: Pick<Tariff, "time_zone">,
): ColorOfDate[] {
  const why = whyFailure(answer, now, tariff);
  if (why !== null) throw new AnswerUnreadable(`GET ${officialEndpoints[answer.kind].path}`, why);
  return countingWords(answer, now, tariff);
}

function readWord(date: IsoDate, word: unknown, { laws }: Pick<Tariff, "laws">): WordInAnswer {
  const color = toColor(word);
  if (color === null) return { date, color, why: describeUnknown(date, word) };
  if (!isColorAllowed(date, color, laws)) return { date, color: null, why: describeForbidden(date, color) };
  return { date, color };
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
