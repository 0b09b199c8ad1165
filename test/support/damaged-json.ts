import type { Color } from "../../src/core/calendar/tariff.ts";
import { pick, type Random } from "../../src/simulator/random.ts";
import type { FaultName } from "./service-faults.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An answer with the faults that change its values, applied in the order of the table. */
export function damageJson(answer: Json, isActive: (fault: FaultName) => boolean, random: Random): Json {
  return DAMAGES.filter(([fault]) => isActive(fault)).reduce(
    (json, [, apply]) => apply(json, random),
    answer,
  );
}

const DAMAGES: readonly [FaultName, (json: Json, random: Random) => Json][] = [
  ["percent", (json) => mapFields(json, CONFIDENCES, (value) => scaled(value, 100))],
  ["cents", (json) => mapFields(json, RATES, (value) => scaled(value, 100))],
  ["spellings", (json, random) => mapFields(json, COLOR_FIELDS, (value) => respelled(value, random))],
  ["unknown-colors", (json, random) => mapFields(json, COLOR_FIELDS, () => pick(NO_COLORS, random))],
  ["missing", (json, random) => mapObjects(json, (object) => without(object, random))],
  ["nulls", (json, random) => mapObjects(json, (object) => withNulls(object, random))],
  ["wrong-type", (json, random) => (random() < 0.5 ? otherShape(json, random) : otherTypes(json))],
];

const COLOR_FIELDS = ["color", "predicted_color"];
const CONFIDENCES = ["confidence", "prediction_confidence"];
const RATES = ["hp", "hc", "hp_rate", "hc_rate"];

const SPELLINGS: Record<Color, [Json, ...Json[]]> = {
  rouge: ["ROUGE", "Red", "r", 3, "3", "Tempo_Rouge", "TEMPO_ROUGE"],
  blanc: ["Blanc", "WHITE", "white", 2, "2", "Tempo_Blanc", "TEMPO_BLANC"],
  bleu: ["BLEU", "Blue", "blue", 1, "1", "Tempo_Bleu", "TEMPO_BLEU"],
};

const NO_COLORS: [Json, ...Json[]] = [
  "violet",
  null,
  0,
  "",
  "unknown",
  4,
  "NON_DEFINI",
  ["rouge"],
  { name: "rouge" },
];

function respelled(value: Json, random: Random): Json {
  return value === "rouge" || value === "blanc" || value === "bleu" ? pick(SPELLINGS[value], random) : value;
}

/** Without the tails of binary fractions: 0.1612 is 16.12. */
function scaled(value: Json, factor: number): Json {
  return typeof value === "number" ? Number((value * factor).toFixed(6)) : value;
}

function without(object: Record<string, Json>, random: Random): Json {
  const lost = losses(object, random);
  return Object.fromEntries(Object.entries(object).filter(([key]) => !lost.has(key)));
}

function withNulls(object: Record<string, Json>, random: Random): Json {
  const lost = losses(object, random);
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, lost.has(key) ? null : value]),
  );
}

/** One field for certain, and each other one in four. */
function losses(object: Record<string, Json>, random: Random): Set<string> {
  const [first, ...rest] = Object.keys(object);
  if (first === undefined) return new Set();
  const keys: [string, ...string[]] = [first, ...rest];
  return new Set([pick(keys, random), ...keys.filter(() => random() < 0.25)]);
}

function otherShape(json: Json, random: Random): Json {
  return pick([null, 42, "ok", true, [], {}, Array.isArray(json) ? { items: json } : [json]], random);
}

/** Each leaf as something it must not be, dates included. */
function otherTypes(json: Json): Json {
  if (Array.isArray(json)) return json.map(otherTypes);
  if (typeof json === "object" && json !== null) return mapValues(json, (_, value) => otherTypes(value));
  return typeof json === "string" ? { value: json } : [String(json)];
}

function mapFields(json: Json, names: readonly string[], change: (value: Json) => Json): Json {
  return mapObjects(json, (object) =>
    mapValues(object, (key, value) => (names.includes(key) ? change(value) : value)),
  );
}

/** Every object, the inner ones first. */
function mapObjects(json: Json, change: (object: Record<string, Json>) => Json): Json {
  if (Array.isArray(json)) return json.map((item) => mapObjects(item, change));
  if (typeof json !== "object" || json === null) return json;
  return change(mapValues(json, (_, value) => mapObjects(value, change)));
}

function mapValues(
  object: Record<string, Json>,
  change: (key: string, value: Json) => Json,
): Record<string, Json> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));
}
