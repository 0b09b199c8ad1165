import type { Instant, Tariff } from "../calendar/tariff.ts";
import { isColorAllowed } from "../calendar/tariff-laws.ts";
import { CIVIL_DAYS, type CivilDay, type DayFacts, type MomentFacts } from "../facts/facts.ts";
import { instant, payloadOf, percent, rate, text, type Value } from "../facts/format-value.ts";
import type { Topic } from "./topic.ts";

export interface MomentOptions {
  /** `mqtt.grace`: how long a value may stay on the broker after the boundary at which it could have changed. */
  grace: number;
  /** The tariff's laws can exclude rouge for an unknown day. */
  laws: Tariff["laws"];
}

/** The topics that are true until the next boundary; all unknown while the clock of this machine is wrong (null). */
export function momentTopics(moment: MomentFacts | null, { grace, laws }: MomentOptions): [string, Topic][] {
  const read = (row: Row): TimedValue => (moment ? row(moment, laws) : UNKNOWN_VALUE);
  const topics: [string, TimedValue][] = [];
  for (const [parent, { day, rows }] of Object.entries(PARENTS)) {
    const parts = Object.entries(rows).map(([name, row]): [string, TimedValue] => [name, read(row)]);
    for (const [name, part] of parts) topics.push([`${parent}/${name}`, part]);
    const official_by = moment && day(moment).official_by;
    topics.push([parent, joinParts(parts, official_by ? { official_by } : {})]);
  }
  for (const [topic, row] of Object.entries(SINGLES)) topics.push([topic, read(row)]);
  return topics.map(([topic, { value, until }]) => {
    const payload = payloadOf(value);
    return [topic, until === null ? { payload } : { payload, expires: until + grace }];
  });
}

/** A value, and the next boundary at which it can change; null: none. */
interface TimedValue {
  value: Value;
  until: Instant | null;
}
type Row = (moment: MomentFacts, laws: Tariff["laws"]) => TimedValue;
type Rows = Record<string, Row>;

const UNKNOWN_VALUE: TimedValue = { value: null, until: null };

/** The JSON object of all parts and of more, which can change as soon as one of the parts can. */
function joinParts(parts: [string, TimedValue][], more: object): TimedValue {
  const ends = parts.flatMap(([, { until }]) => (until === null ? [] : [until]));
  const values = Object.fromEntries(parts.map(([name, part]) => [name, part.value]));
  const value = JSON.stringify({ ...values, ...more });
  return { value, until: ends.length > 0 ? Math.min(...ends) : null };
}

type Boundary = keyof MomentFacts["boundaries"];

function row(boundaries: Boundary[], read: (moment: MomentFacts, laws: Tariff["laws"]) => Value): Row {
  return (moment, laws) => ({
    value: read(moment, laws),
    until: Math.min(...boundaries.map((boundary) => moment.boundaries[boundary])),
  });
}

type DayOf = (moment: MomentFacts) => DayFacts;

function dayOf(name: CivilDay): DayOf {
  return ({ days }) => days[name];
}

function dayRows(boundary: Boundary, day: DayOf): Rows {
  return {
    date: row([boundary], (moment) => day(moment).date),
    color: row([boundary], (moment) => day(moment).color),
    confidence: row([boundary], (moment) => percent(day(moment).confidence)),
    official: row([boundary], (moment) => day(moment).official),
    stage: row([boundary], (moment) => day(moment).stage),
    source: row([boundary], (moment) => text(day(moment).source)),
  };
}

const NOW: Rows = {
  ...dayRows("day", ({ now }) => now),
  period: row(["period"], ({ now }) => now.period),
  slot: row(["day", "period"], ({ now }) => (now.color === null ? null : `${now.color}_${now.period}`)),
  rate: row(["day", "period"], ({ now }) => rate(now.rate)),
  color_until: row(["day"], ({ now }) => instant(now.color_until)),
  period_until: row(["period"], ({ now }) => instant(now.period_until)),
};

const NEXT: Rows = {
  ...dayRows("day", ({ next }) => next),
  at: row(["day"], ({ next }) => instant(next.at)),
};

function civilDay(name: CivilDay): Rows {
  return {
    ...dayRows("midnight", dayOf(name)),
    explanation: row(["midnight"], ({ days }) => text(days[name].explanation)),
    rate_hp: row(["midnight"], ({ days }) => rate(days[name].rates.hp)),
    rate_hc: row(["midnight"], ({ days }) => rate(days[name].rates.hc)),
  };
}

/** At 06:00 the tariff day of today begins, and its colour becomes final; the stage of other days changes at midnight. */
const TODAY: Rows = {
  ...civilDay("today"),
  stage: row(["midnight", "day"], ({ days }) => days.today.stage),
};

/** Each has its parts on topics of their own, and all of them as JSON on the parent topic. */
const PARENTS: Record<string, { day: DayOf; rows: Rows }> = {
  now: { day: ({ now }) => now, rows: NOW },
  next: { day: ({ next }) => next, rows: NEXT },
  ...Object.fromEntries(CIVIL_DAYS.map((name) => [name, { day: dayOf(name), rows: civilDay(name) }])),
  today: { day: dayOf("today"), rows: TODAY },
};

const SINGLES: Rows = {
  "announcement/stage": row(["midnight"], ({ announcement }) => announcement.stage),
  "announcement/date": row(["midnight"], ({ announcement }) => announcement.date),
  "announcement/late": row(["late", "midnight"], ({ announcement }) => announcement.late),
  rouge_now: row(["day"], ({ now }, laws) => isRouge(now, laws)),
  rouge_next: row(["day"], ({ next }, laws) => isRouge(next, laws)),
  rouge_hp_now: row(["day", "period"], ({ now }, laws) => now.period === "hp" && isRouge(now, laws)),
  offpeak: row(["period"], ({ now }) => now.period === "hc"),
  rouge_today: row(["midnight"], ({ days }, laws) => isRouge(days.today, laws)),
  rouge_tomorrow: row(["midnight"], ({ days }, laws) => isRouge(days.tomorrow, laws)),
};

/** null: unknown. */
function isRouge(day: DayFacts, laws: Tariff["laws"]): boolean | null {
  if (day.color !== null) return day.color === "rouge";
  return isColorAllowed(day.date, "rouge", laws) ? null : false;
}
