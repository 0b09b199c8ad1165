import { parse } from "yaml";
import { HOUR, MINUTE } from "./truth/calendar.ts";
import { type OffPeak, readOffPeak } from "./truth/off-peak.ts";

/** A configuration as its owner wrote it, as far as it decides what is true. */
export interface House {
  hasService: boolean;
  hasRte: boolean;
  grace: number;
  rules: readonly RuleText[];
  offPeak: OffPeak;
  /** It has options that are not judged here: a tariff with more than other hours, other words for colours. */
  isSpecial: boolean;
}

export interface RuleText {
  id: string;
  when: ConditionText;
  /** Milliseconds. */
  lead: number;
  lag: number;
  hold: number;
  threshold: number | null;
  whenUnknown: "on" | "off" | null;
}

type Bounds = Partial<Record<"above" | "below" | "at_most" | "at_least", number>>;

export interface ConditionText {
  all?: ConditionText[];
  any?: ConditionText[];
  not?: ConditionText;
  day?: string;
  color?: string | string[];
  confidence?: number | "threshold";
  official?: boolean;
  stage?: string | string[];
  known?: boolean;
  at_least?: number;
  every?: true;
  period?: string;
  between?: [string, string];
  weekday?: string | string[];
  month?: string | number | (string | number)[];
  rate?: Bounds;
  days_remaining?: Bounds;
  remaining?: Record<string, Bounds>;
  left?: Record<string, Bounds>;
  rule?: string;
  mqtt?: ValueText;
}

export interface ValueText extends Bounds {
  topic: string;
  path?: string;
  equals?: Scalar | Scalar[];
  max_age?: string;
}

export type Scalar = string | number | boolean;

export function readHouse(yaml: string): House {
  const given = parse(yaml) ?? {};
  const service = given.service ?? {};
  const tariff = given.tariff ?? {};
  const official = given.official?.source ?? (service.base_url === "simulator" ? "simulator" : "off");
  return {
    hasService: service.base_url !== "none",
    hasRte: official !== "off",
    grace: given.mqtt?.grace === undefined ? 10 * MINUTE : readDuration(given.mqtt.grace),
    rules: (given.rules ?? []).map(readRule),
    offPeak: readOffPeak(tariff.off_peak),
    isSpecial:
      Object.keys(tariff).some((key) => key !== "off_peak") ||
      Object.keys(service).some((key) => SPECIAL.includes(key)),
  };
}

const SPECIAL = ["colors", "confidence", "rate_unit", "check_clock"];

function readRule(given: Record<string, unknown>): RuleText {
  const duration = (key: string) => (given[key] === undefined ? 0 : readDuration(String(given[key])));
  return {
    id: String(given.id),
    when: given.when as ConditionText,
    lead: duration("lead"),
    lag: duration("lag"),
    hold: duration("hold"),
    threshold: (given.threshold as number | undefined) ?? null,
    whenUnknown: (given.when_unknown as "on" | "off" | undefined) ?? null,
  };
}

/** `30s`, `5m`, `1h`. */
export function readDuration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`Expected a duration, got ${text}`);
  return Number(number) * (unit === "s" ? 1_000 : unit === "m" ? MINUTE : HOUR);
}

export function listOf<T>(given: T | T[]): T[] {
  return Array.isArray(given) ? given : [given];
}

/** The condition and all that it holds. */
export function partsOf(condition: ConditionText): ConditionText[] {
  const found = partsFound.get(condition) ?? findParts(condition);
  partsFound.set(condition, found);
  return found;
}

const partsFound = new WeakMap<ConditionText, ConditionText[]>();

function findParts(condition: ConditionText): ConditionText[] {
  const inner = [
    ...(condition.all ?? []),
    ...(condition.any ?? []),
    ...(condition.not ? [condition.not] : []),
  ];
  return [condition, ...inner.flatMap(partsOf)];
}

/** This rule and all that it refers to, directly or by others. */
export function chainOf(rule: RuleText, rules: readonly RuleText[]): RuleText[] {
  const referred = partsOf(rule.when).flatMap(({ rule: id }) => rules.filter((one) => one.id === id));
  return [rule, ...referred.flatMap((one) => chainOf(one, rules))];
}
