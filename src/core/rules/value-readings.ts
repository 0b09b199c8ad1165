import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { byTopic } from "./by-topic.ts";
import { keyOfMqtt, type PayloadProblem, testPayload } from "./compare-payload.ts";
import type { MqttCondition } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** The last payload of a topic. */
export interface HeardValue {
  payload: string;
  /** From when on its age counts: the last live message, else when this very payload was first heard. */
  at: Instant;
}

/** By topic. An empty payload has no entry. */
export type HeardValues = ReadonlyMap<string, HeardValue>;

const keptValues = byTopic(z.object({ hash: z.string(), at: instantSchema }).nullable());

/** What the state file holds of each topic: a hash of its last payload, and from when on its age counts; null: never heard. */
export type KeptValues = Readonly<z.infer<typeof keptValues>>;

/** As the state file kept it; what cannot be read is as if nothing was heard. */
export function readKeptValues(kept: unknown): KeptValues {
  return keptValues.safeParse(kept).data ?? {};
}

/** What an `mqtt` condition finds in the last payload of its topic. */
export interface Reading {
  truth: Truth;
  /** Why it is unknown; null if it is known. */
  problem: ValueProblem | null;
  /** The same in other words, if less is known than in the running vigie. */
  inOtherWords?: string;
  /** What it compared, and how old that was when it was read: for the owner only, never published. */
  found: { value: string; age: number } | null;
  /** When the value is too old to be relied on; null: never, or it is unknown already. */
  tooOldAt: Instant | null;
  /** `tooOldAt` as published topics have it: it moves seldom, for each move is a message. */
  shownUntil: Instant | null;
  /** Set while what was found before stands, as the broker has not sent what it holds: until when, if it stays away. */
  awaitedUntil: Instant | null;
}

/** Why a reading is unknown. */
export type ValueProblem =
  | PayloadProblem
  | "never heard"
  | "too old"
  | "not heard since vigie started"
  | "not heard from the broker yet"
  | "not known before";

/** What evaluations read values from. */
export interface ValueReadings {
  read: (condition: MqttCondition) => Reading;
}

/** What each condition found, by `keyOfMqtt`: a condition that was edited has found nothing so far. */
export type ValueTruths = Readonly<Record<string, Truth>>;

export type Readings = ReadonlyMap<MqttCondition, Reading>;

/** What is known of values: by this process, and by those before it. */
interface KnownValues {
  heard: HeardValues;
  kept: KeptValues;
}

/**
 * What these conditions find now. `renewWithin`: how long after `shownUntil` a topic may wait until it is published again
 * with a later expiry. Without that, a value that arrives each second would make three messages a second.
 */
export function readValues(
  conditions: readonly MqttCondition[],
  { heard, kept }: KnownValues,
  at: Instant,
  before: Readings,
  renewWithin: number,
): Readings {
  const readings = new Map<MqttCondition, Reading>();
  for (const condition of conditions) {
    const { topic } = condition;
    const value = heard.get(topic);
    const wasHeard = Object.hasOwn(kept, topic) && kept[topic] !== null;
    const reading = value
      ? readValue(condition, value, at)
      : unknown(wasHeard ? "not heard since vigie started" : "never heard");
    const shownUntil = before.get(condition)?.shownUntil ?? null;
    const isStillShown =
      shownUntil !== null &&
      reading.tooOldAt !== null &&
      shownUntil <= reading.tooOldAt &&
      at < shownUntil + renewWithin;
    readings.set(condition, isStillShown ? { ...reading, shownUntil } : reading);
  }
  return readings;
}

/** Whether conditions find something else than before, so that rules have to be evaluated again. */
export function haveChanged(before: Readings, after: Readings): boolean {
  for (const [condition, { truth, problem, shownUntil }] of after) {
    const earlier = before.get(condition);
    if (earlier?.truth !== truth || earlier.problem !== problem || earlier.shownUntil !== shownUntil)
      return true;
  }
  return false;
}

/** The earliest instant at which time alone changes a reading; infinite if there is none. */
export function nextReadingBoundary(readings: Readings, renewWithin: number): Instant {
  const boundaries = [...readings.values()].flatMap(({ tooOldAt, shownUntil, awaitedUntil }) => [
    ...(tooOldAt === null || shownUntil === null ? [] : [tooOldAt, shownUntil + renewWithin]),
    ...(awaitedUntil === null ? [] : [awaitedUntil]),
  ]);
  return Math.min(Number.POSITIVE_INFINITY, ...boundaries);
}

function readValue(condition: MqttCondition, heard: HeardValue, at: Instant): Reading {
  const { truth, problem, value } = testPayload(condition, heard.payload);
  const { max_age } = condition;
  const age = at - heard.at;
  const found = { value, age };
  if (max_age === null)
    return { truth, problem, found, tooOldAt: null, shownUntil: null, awaitedUntil: null };
  // If the clock was set back, the age is not known.
  if (age >= max_age || age < -TOLERATED_CORRECTION) return { ...unknown("too old"), found };
  const tooOldAt = heard.at + max_age;
  return { truth, problem, found, tooOldAt, shownUntil: tooOldAt, awaitedUntil: null };
}

/** What is known of values before the broker has sent what it holds. */
export interface Awaited extends KnownValues {
  /** Since when they are awaited. */
  since: Instant;
}

/** The same readings before the broker has sent what it holds: for some time what was found before stands instead. */
export function awaitValues(readings: Readings, awaited: Awaited, at: Instant): Readings {
  return new Map(
    [...readings].map(([condition, reading]) => {
      const awaitedUntil = endOfWait(condition, awaited, at);
      if (at < awaitedUntil) return [condition, { ...AWAITED, awaitedUntil }];
      const isUnheard = !awaited.heard.has(condition.topic);
      return [condition, isUnheard ? unknown("not heard since vigie started") : reading];
    }),
  );
}

/**
 * How long what was found before stands if the broker stays away. A broker that is there has sent all before FIRST_WAIT is over.
 * After that, what this process has heard counts by its age, as after a lost connection. What an earlier process heard is known
 * only by its age: it stands as long as `max_age` allows.
 */
function endOfWait({ topic, max_age }: MqttCondition, { heard, kept, since }: Awaited, at: Instant): Instant {
  const first = since + FIRST_WAIT;
  if (heard.has(topic)) return first;
  const heardAt = Object.hasOwn(kept, topic) ? kept[topic]?.at : undefined;
  if (max_age === null || heardAt === undefined) return since + LONGEST_WAIT;
  // If the clock was set back, the age is not known.
  return heardAt - at > TOLERATED_CORRECTION ? first : Math.max(first, heardAt + max_age);
}

export function readingsFrom(readings: Readings): ValueReadings {
  const read = (condition: MqttCondition): Reading => {
    const reading = readings.get(condition);
    // An error of vigie itself kept it from being read.
    if (!reading) throw new RangeError(`Expected a reading of ${condition.topic}, got none`);
    return reading;
  };
  return { read };
}

/** Before the broker has sent what it holds. */
export const NO_READINGS: ValueReadings = { read: () => AWAITED };

/** Until the broker has sent a value, what each condition found before it stands. */
export function rememberedReadings({ read }: ValueReadings, truths: ValueTruths): ValueReadings {
  return {
    read: (condition) => {
      const reading = read(condition);
      const key = keyOfMqtt(condition);
      if (reading.awaitedUntil === null || !Object.hasOwn(truths, key)) return reading;
      const truth = truths[key] ?? null;
      return { ...reading, truth, problem: truth === null ? "not known before" : null };
    },
  };
}

/** What these conditions find, to be remembered. Nothing is known of one that is awaited and was not remembered (`before`). */
export function truthsOf(
  conditions: readonly MqttCondition[],
  { read }: ValueReadings,
  before: ValueTruths,
): Record<string, Truth> {
  return Object.fromEntries(
    conditions.flatMap((condition): [string, Truth][] => {
      const key = keyOfMqtt(condition);
      const { truth, awaitedUntil } = read(condition);
      return awaitedUntil === null || Object.hasOwn(before, key) ? [[key, truth]] : [];
    }),
  );
}

function unknown(problem: ValueProblem): Reading {
  return { truth: null, problem, found: null, tooOldAt: null, shownUntil: null, awaitedUntil: null };
}

const AWAITED: Reading = {
  ...unknown("not heard from the broker yet"),
  awaitedUntil: Number.POSITIVE_INFINITY,
};

/** A clock is set back by so much without a value being younger for it. */
const TOLERATED_CORRECTION = 60_000;
const FIRST_WAIT = 30_000;
const LONGEST_WAIT = 15 * 60_000;
