import { parse } from "yaml";
import { DAY_STARTS, MINUTE, readTime } from "../calendar.ts";
import { type OutputText, readOutput } from "./house-outputs.ts";
import { onceForEach } from "./once-for-each.ts";
import { readDuration } from "./truth/duration.ts";
import { type OffPeak, readOffPeak } from "./truth/off-peak.ts";
import { type PriceRow, SHIPPED_RATES } from "./truth/price-rows.ts";

/** A configuration as its owner wrote it, as far as judges need it: vigie's own reading must not be judged by itself. */
export interface House {
  hasService: boolean;
  hasRte: boolean;
  grace: number;
  /** How often the service is asked. */
  pollEvery: number;
  timeZone: string;
  /** Minutes since midnight. */
  dayStarts: number;
  /** false: each colour is allowed on each date. */
  hasLaws: boolean;
  rules: readonly RuleText[];
  offPeak: OffPeak;
  /** The owner's prices, or those that come with vigie, in the order of their dates. */
  rates: readonly PriceRow[];
  /** The owner's prices count if the service names some, too. */
  isOwnerFirst: boolean;
  outputs: readonly OutputText[];
  /** While a simulation runs, outputs go on following the real colour. */
  ignoresSimulation: boolean;
  discovery: "device" | "components" | "off";
  /** The topic below which Home Assistant expects discovery messages. */
  prefix: string;
  /** Entities that are left out, by their ids without the platform and the instance. */
  excluded: readonly string[];
  baseTopic: string;
  /** Minutes since midnight from which on the announcement is late. */
  lateAfter: number;
  /** It has options that are not judged here: another time zone, other words for colours. */
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

/** The same house each time for the same text, so that what is worked out of it can be kept beside it. */
export function readHouse(yaml: string): House {
  const found = housesFound.get(yaml) ?? read(yaml);
  if (housesFound.size > 1_000) housesFound.clear();
  housesFound.set(yaml, found);
  return found;
}

const housesFound = new Map<string, House>();

function read(yaml: string): House {
  const given = parse(yaml) ?? {};
  const service = given.service ?? {};
  const tariff = given.tariff ?? {};
  const language = given.homeassistant?.language ?? "fr";
  const official = given.official?.source ?? (service.base_url === "simulator" ? "simulator" : "off");
  return {
    hasService: service.base_url !== "none",
    hasRte: official !== "off",
    grace: given.mqtt?.grace === undefined ? 10 * MINUTE : readDuration(given.mqtt.grace),
    pollEvery: readDuration(service.poll?.every ?? "1h"),
    timeZone: tariff.time_zone ?? "Europe/Paris",
    dayStarts: tariff.day_starts_at === undefined ? DAY_STARTS : readTime(tariff.day_starts_at),
    hasLaws: tariff.laws !== "off",
    rules: (given.rules ?? []).map(readRule),
    offPeak: readOffPeak(tariff.off_peak),
    rates: (tariff.rates ?? SHIPPED_RATES).toSorted((one: PriceRow, other: PriceRow) =>
      one.from < other.from ? -1 : 1,
    ),
    isOwnerFirst: tariff.rates_first === "owner",
    outputs: (given.outputs?.list ?? []).map((one: Record<string, unknown>) => readOutput(one, language)),
    ignoresSimulation: given.outputs?.dry_when_simulated === true,
    discovery: given.homeassistant?.discovery ?? "device",
    prefix: given.homeassistant?.prefix ?? "homeassistant",
    excluded: given.homeassistant?.exclude ?? [],
    baseTopic: given.mqtt?.base_topic ?? given.instance ?? "vigie",
    lateAfter: readTime(service.late_after ?? "12:00"),
    isSpecial:
      Object.keys(tariff).some((key) => !JUDGED.includes(key)) ||
      Object.keys(service).some((key) => SPECIAL.includes(key)),
  };
}

const JUDGED = ["off_peak", "laws", "rates", "rates_first", "day_starts_at"];
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

export function listOf<T>(given: T | T[]): T[] {
  return Array.isArray(given) ? given : [given];
}

/** `next_3_days`, in place of one day. */
export function isRange(day: string): boolean {
  return /^next_\d_days$/.test(day);
}

/** The condition and all that it holds. */
export const partsOf = onceForEach(findParts);

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
