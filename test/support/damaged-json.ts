import { addDays } from "../../src/core/calendar/dates.ts";
import type { Color } from "../../src/core/calendar/tariff.ts";
import { allowedColors } from "../../src/core/calendar/tariff-laws.ts";
import { OFFICIAL_WORDS } from "../../src/core/contract/endpoints.ts";
import { pick, type Random } from "../../src/simulator/random.ts";
import type { FaultName, OfficialFaultName } from "./service-faults.ts";

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

/** An answer of the official source with the faults that change its values. */
export function damageOfficial(
  answer: { values: Record<string, string> },
  isActive: (fault: OfficialFaultName) => boolean,
  random: Random,
): Json {
  let values: Record<string, Json> = answer.values;
  if (isActive("other-colors")) values = mapValues(values, (date, word) => otherWord(date, word, random));
  if (isActive("wrong-season")) values = yearEarlier(values);
  if (isActive("spellings")) values = mapValues(values, (_, word) => inAnyCase(word, random));
  if (isActive("unknown-colors")) values = mapValues(values, () => pick(NO_COLORS, random));
  if (isActive("strange-keys")) values = { ...STRANGE_KEYS, ...datesAhead(values), ...values };
  return damageJson(
    { values },
    (fault) => SHAPE_FAULTS.includes(fault) && isActive(fault as "nulls"),
    random,
  );
}

/** Of these `damageJson` needs to know nothing of the fields of an answer. */
const SHAPE_FAULTS: readonly FaultName[] = ["missing", "nulls", "wrong-type"];

/** Another colour that the tariff allows on the date, where there is one. */
function otherWord(date: string, word: Json, random: Random): Json {
  const others = allowedColors(date, "tempo")
    .map((color) => OFFICIAL_WORDS[color])
    .filter((other) => other !== word);
  const [first, ...rest] = others;
  return first === undefined ? word : pick([first, ...rest], random);
}

function yearEarlier(values: Record<string, Json>): Record<string, Json> {
  const earlier = (date: string) => `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`;
  return Object.fromEntries(Object.entries(values).map(([date, word]) => [earlier(date), word]));
}

function inAnyCase(word: Json, random: Random): Json {
  if (typeof word !== "string") return word;
  return [...word].map((letter) => (random() < 0.5 ? letter.toLowerCase() : letter)).join("");
}

const STRANGE_KEYS: Record<string, Json> = {
  "": "RED",
  today: "RED",
  "2026-02-30": "RED",
  "20260106": "RED",
  "2026-1-6": "RED",
  "2026-01-06T00:00:00": "RED",
};

/** Four hundred dates after the last one, all of them rouge. */
function datesAhead(values: Record<string, Json>): Record<string, Json> {
  const last = Object.keys(values).toSorted().at(-1);
  if (last === undefined) return {};
  return Object.fromEntries(Array.from({ length: 400 }, (_, index) => [addDays(last, index + 2), "RED"]));
}

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
