import type { Color, Rates } from "../core/calendar/tariff.ts";
import type { Answer } from "../core/contract/answer.ts";
import { cleanText, describeValue } from "./clean-text.ts";

type Scale = "ratio" | "percent";

/** How an answer is to be understood: the configuration, and what was learnt of the service. */
export interface ReadSettings {
  /** The request in words, for messages: `GET /v1/public`. */
  operation: string;
  spellings: ReadonlyMap<string, Color>;
  confidence: "auto" | Scale;
  /** A confidence over 1 was seen before. */
  percent: boolean;
  rate_unit: "EUR/kWh" | "c€/kWh";
}

export interface Reading {
  answer: Answer;
  /** What could not be used of it: sentences for the log. */
  warnings: string[];
  /** What was assumed at the points that the interface leaves open, for `vigie check --live`. */
  assumptions: string[];
  /** Its confidences are in percent. */
  isPercent: boolean;
}

export type ValueReader = ReturnType<typeof createValueReader>;

/**
 * Reads the values of one answer, and notes what was sent and what could not be read. `confidences` are all of the
 * answer: one of them can show the scale of the others.
 */
export function createValueReader(settings: ReadSettings, confidences: readonly unknown[]) {
  const { spellings, rate_unit } = settings;
  const scale = scaleOf(confidences, settings);
  const colors = new Map<string, Color | null>();
  const warnings = { color: new Set<string>(), rate: new Set<string>(), confidence: new Set<string>() };
  const numbers = { confidence: [] as number[], rate: [] as number[] };

  function warn(kind: keyof typeof warnings, sentence: string): void {
    if (warnings[kind].size < MOST) warnings[kind].add(sentence);
  }

  /** The colour; or null and, as `raw`, the text that is no known colour. */
  function color(value: unknown): { color: Color | null; raw: string | null } {
    const known = toColor(value, spellings);
    const text = rawText(value);
    colors.set(text ?? "nothing", known);
    if (known !== null) return { color: known, raw: null };
    const sent = `The service sent ${describeValue(value)} as a colour, which vigie does not know`;
    warn("color", `${sent}: that day has no colour. If it means one, add it to service.colors`);
    return { color: null, raw: text };
  }

  /** From 0 to 1. */
  function confidence(value: unknown): number | null {
    const number = toDecimal(value);
    if (number !== null) numbers.confidence.push(number);
    const read = toConfidence(number, scale);
    if (read === null && isSent(value)) {
      const most = scale === "percent" ? 100 : 1;
      const sent = `The service sent the confidence ${describeValue(value)}, which is not from 0 to ${most}`;
      warn("confidence", `${sent}: it is not used. Check service.confidence`);
    }
    return read;
  }

  /** In EUR/kWh. */
  function rate(value: unknown): number | null {
    const number = toDecimal(value);
    if (number !== null) numbers.rate.push(number);
    const read = toRate(number, rate_unit);
    if (read === null && isSent(value)) {
      const sent = `The service sent the price ${describeValue(value)}, which cannot be in ${rate_unit}`;
      warn("rate", `${sent}: it is not used. Check service.rate_unit`);
    }
    return read;
  }

  function describeColors(): string {
    const spelled = [...colors].slice(0, MOST);
    return spelled.map(([text, known]) => `"${text}" is ${known ?? "no colour that vigie knows"}`).join(", ");
  }

  return {
    color,
    confidence,
    rates: (hp: unknown, hc: unknown): Rates => ({ hp: rate(hp), hc: rate(hc) }),
    /** The reading of the answer that consists of these values. */
    finish: (answer: Answer, omitted: readonly string[] = []): Reading => ({
      answer,
      warnings: [...omitted, ...Object.values(warnings).flatMap((sentences) => [...sentences])],
      assumptions: [
        `colours: ${describeColors() || "none sent"}`,
        `confidence: ${describeRange(numbers.confidence, scale)}`,
        `prices: ${describeRange(numbers.rate, rate_unit)}`,
      ],
      isPercent: scale === "percent",
    }),
  };
}

/** A service that sends a new value each time does not fill the log. */
const MOST = 8;

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function describeRange(numbers: readonly number[], takenAs: string): string {
  if (numbers.length === 0) return "none sent";
  // Not Math.min(...numbers): a hostile answer holds more numbers than a call takes arguments.
  const low = numbers.reduce((one, other) => Math.min(one, other));
  const high = numbers.reduce((one, other) => Math.max(one, other));
  return `from ${low} to ${high}, taken as ${takenAs}`;
}

/** Every spelling of a colour that is understood; the configured ones come first. */
export function spellingsOf(more: Record<string, Color>): Map<string, Color> {
  const spellings = new Map<string, Color>();
  for (const [color, words] of KNOWN_SPELLINGS) for (const word of words) spellings.set(word, color);
  for (const [word, color] of Object.entries(more)) spellings.set(normalize(word), color);
  return spellings;
}

/** A lone `b` may be bleu, blanc or blue: it is no colour. */
const KNOWN_SPELLINGS: readonly [Color, readonly string[]][] = [
  ["rouge", ["rouge", "red", "r", "tempo_rouge", "tempo_red", "3"]],
  ["blanc", ["blanc", "white", "w", "tempo_blanc", "tempo_white", "2"]],
  ["bleu", ["bleu", "blue", "tempo_bleu", "tempo_blue", "1"]],
];

export function toColor(value: unknown, spellings: ReadonlyMap<string, Color>): Color | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  return spellings.get(normalize(String(value))) ?? null;
}

/** Without case, accents and the kind of gap between words. */
function normalize(word: string): string {
  const short = word
    .slice(0, LONGEST_WORD)
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "");
  return short
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_");
}

const LONGEST_WORD = 256;

/** What was sent as a colour; null where nothing was. */
function rawText(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? cleanText(value, LONGEST_RAW) : describeValue(value);
}

const LONGEST_RAW = 64;

/** Where the scale is not configured, one value over 1, now or earlier, shows that the service counts in percent. */
function scaleOf(confidences: readonly unknown[], { confidence, percent }: ReadSettings): Scale {
  if (confidence !== "auto") return confidence;
  return percent || confidences.some(isPercent) ? "percent" : "ratio";
}

/** A number over 100 is on neither scale: it shows nothing. */
function isPercent(value: unknown): boolean {
  const number = toDecimal(value);
  return number !== null && number > 1 + ROUNDING && number <= 100;
}

function toConfidence(number: number | null, scale: Scale): number | null {
  if (number === null || number < 0) return null;
  const ratio = scale === "percent" ? number / 100 : number;
  return ratio > 1 + ROUNDING ? null : Math.min(ratio, 1);
}

/** A sum of shares may be 1.0000000000000002. */
const ROUNDING = 1e-6;

/**
 * In EUR/kWh. A price outside what electricity costs is the wrong unit or a placeholder (0, -1): the configured price
 * table serves better than a number a hundred times off.
 */
function toRate(number: number | null, unit: ReadSettings["rate_unit"]): number | null {
  if (number === null) return null;
  const rate = unit === "EUR/kWh" ? number : Math.round(number * 1e6) / 1e8;
  return rate >= LOWEST_RATE && rate <= HIGHEST_RATE ? rate : null;
}

const LOWEST_RATE = 0.01;
const HIGHEST_RATE = 5;

/**
 * A finite number, or a string that is a plain decimal number: some services send `"0.1654"` for the sake of exactness.
 * Anything else (true, "0,16", "85 %", "") is no number.
 */
function toDecimal(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !/^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim())) return null;
  return Number(value);
}
