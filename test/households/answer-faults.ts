import { COLORS, type Color, type Day } from "./calendar.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { pick, type Random } from "./random.ts";

/** What is odd in the answers of a source, although they come in time. */
export type AnswerFault =
  /** It names this colour for this date, wherever it names one. */
  | { kind: "other color"; date: Day; color: Color }
  /** Other spellings of its colours. */
  | { kind: "spellings" }
  /** RTE has keys that are no dates, and dates far ahead; or it has the dates of the season before. */
  | { kind: "strange keys" | "wrong season" }
  /** The right words, said to be something else than JSON. */
  | { kind: "wrong type" }
  /** Confidences in percent, or prices in cents. */
  | { kind: "percent" | "cents" }
  /** Of each object one field or some are missing, or null. */
  | { kind: "missing" | "nulls" };

export function isAnswerFault(fault: { kind: string }): fault is AnswerFault {
  return (KINDS as readonly string[]).includes(fault.kind);
}

const KINDS = [
  "other color",
  "spellings",
  "strange keys",
  "wrong season",
  "wrong type",
  "percent",
  "cents",
  "missing",
  "nulls",
] as const;

export function spoilAnswer(reply: HttpAnswer, fault: AnswerFault, random: Random): HttpAnswer {
  if (reply.status !== 200) return reply;
  if (fault.kind === "wrong type")
    return { ...reply, headers: { ...reply.headers, "content-type": "text/plain" } };
  const json = JSON.parse(reply.body);
  const changed = spoilFields(json, fault, random);
  if (changed !== undefined) return { ...reply, body: JSON.stringify(changed) };
  return {
    ...reply,
    body: JSON.stringify(
      isOfRte(json)
        ? { ...json, values: spoilValues(json.values, fault, random) }
        : spoilDays(json, fault, random),
    ),
  };
}

/** undefined: the fault is no such one. */
function spoilFields(json: unknown, fault: AnswerFault, random: Random): unknown {
  const mapObjects = (change: (object: Fields) => Fields) =>
    JSON.parse(JSON.stringify(json), (_key, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value) ? change({ ...value }) : value,
    );
  const scale = (fields: readonly string[]) =>
    mapObjects((object) =>
      mapFields(object, (key, value) => (fields.includes(key) ? times100(value) : value)),
    );
  switch (fault.kind) {
    case "percent":
      return scale(["confidence", "prediction_confidence"]);
    case "cents":
      return scale(["hp", "hc", "hp_rate", "hc_rate"]);
    case "missing":
    case "nulls": {
      const left = fault.kind === "nulls" ? null : undefined;
      return mapObjects((object) => {
        // Of RTE's answer mostly single dates.
        if ("values" in object && random() < 0.8) return object;
        const lost = drawLosses(Object.keys(object), random);
        return mapFields(object, (key, value) => (lost.has(key) ? left : value));
      });
    }
    default:
      return undefined;
  }
}

type Fields = Record<string, unknown>;

function mapFields(object: Fields, change: (key: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));
}

/** Without the tails of binary fractions. */
function times100(value: unknown): unknown {
  return typeof value === "number" ? Number((value * 100).toFixed(6)) : value;
}

/** One for certain, and each other one in eight. */
function drawLosses([first, ...others]: string[], random: Random): Set<string> {
  if (first === undefined) return new Set();
  return new Set([pick([first, ...others], random), ...others.filter(() => random() < 1 / 8)]);
}

type Values = Record<string, string>;

function isOfRte(json: unknown): json is { values: Values } {
  return typeof json === "object" && json !== null && "values" in json;
}

function spoilValues(values: Values, fault: AnswerFault, random: Random): Values {
  const map = (change: (date: string, word: string) => [string, string]) =>
    Object.fromEntries(Object.entries(values).map(([date, word]) => change(date, word)));
  switch (fault.kind) {
    case "other color":
      return map((date, word) => [date, date === fault.date ? WORDS[fault.color] : word]);
    case "spellings":
      return map((date, word) => [
        date,
        random() < 0.5 ? word.toLowerCase() : `${word[0]}${word.slice(1).toLowerCase()}`,
      ]);
    case "wrong season":
      return map((date, word) => [`${Number(date.slice(0, 4)) - 1}${date.slice(4)}`, word]);
    case "strange keys":
      return { ...STRANGE, ...values };
    default:
      return values;
  }
}

/** Each object in what the service says that has a date and a colour. */
function spoilDays(json: unknown, fault: AnswerFault, random: Random): unknown {
  if (Array.isArray(json)) return json.map((one) => spoilDays(one, fault, random));
  if (typeof json !== "object" || json === null) return json;
  const inner = Object.entries(json).map(([key, value]) => [key, spoilDays(value, fault, random)]);
  const object = Object.fromEntries(inner);
  const color = COLORS.find((one) => one === object.color);
  if (color === undefined) return object;
  if (fault.kind === "spellings") return { ...object, color: pick(SPELLINGS[color], random) };
  if (fault.kind !== "other color" || object.date !== fault.date) return object;
  const { hp, hc } = PRICES[fault.color];
  return {
    ...object,
    color: fault.color,
    ...("rates" in object && { rates: { ...object.rates, hp, hc } }),
    ...("hp_rate" in object && { hp_rate: hp, hc_rate: hc }),
  };
}

/** What the service says of a day of this colour. */
const PRICES: Readonly<Record<Color, Record<"hp" | "hc", number>>> = {
  bleu: { hp: 0.1612, hc: 0.1325 },
  blanc: { hp: 0.1871, hc: 0.1499 },
  rouge: { hp: 0.706, hc: 0.1575 },
};

const WORDS: Readonly<Record<Color, string>> = { bleu: "BLUE", blanc: "WHITE", rouge: "RED" };

const SPELLINGS: Readonly<Record<Color, [unknown, ...unknown[]]>> = {
  rouge: ["ROUGE", "Red", "r", 3, "3", "Tempo Rouge", "TEMPO_RED"],
  blanc: ["Blanc", "WHITE", "w", 2, "2", "Tempo-Blanc", "TEMPO_WHITE"],
  bleu: ["BLEU", "Blue", 1, "1", "Tempo_Bleu", "TEMPO_BLUE"],
};

const STRANGE: Readonly<Values> = {
  "": "RED",
  today: "RED",
  "2026-02-30": "RED",
  "20260106": "RED",
  "2026-1-6": "RED",
  "2026-01-06T00:00:00": "RED",
  "2029-01-08": "RED",
};
