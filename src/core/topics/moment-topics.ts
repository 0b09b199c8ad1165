import type { Instant, Tariff } from "../calendar/tariff.ts";
import { isColorAllowed } from "../calendar/tariff-laws.ts";
import { CIVIL_DAYS, type CivilDay, type DayFacts, type MomentFacts } from "../facts/facts.ts";
import { instant, percent, plain, rate, text, type Value } from "../facts/format-value.ts";
import type { Topic } from "./topic.ts";

export interface MomentOptions {
  /** How long a value may outlive the instant at which it could have changed. */
  grace: number;
  /** What the tariff's laws forbid is certain, even of a day that nobody announced. */
  laws: Tariff["laws"];
}

/** What is true until the next boundary. Without a clock that is right nothing of it is known. */
export function momentTopics(moment: MomentFacts | null, options: MomentOptions): [string, Topic][] {
  const part = (read: Read): Part => (moment ? read(moment, options.laws) : NOT_KNOWN);
  const family = ([name, rows]: [string, Rows]) => {
    const parts = Object.entries(rows).map(([key, read]): [string, Part] => [key, part(read)]);
    const each = parts.map(([key, one]): [string, Part] => [`${name}/${key}`, one]);
    return WITHOUT_PARENT.has(name) ? each : [...each, [name, join(parts)] satisfies [string, Part]];
  };
  const singles = Object.entries(SINGLES).map(([name, read]): [string, Part] => [name, part(read)]);
  const all = [...Object.entries(FAMILIES).flatMap(family), ...singles];
  return all.map(([name, { value, until }]) => [
    name,
    { payload: plain(value), ...(until === null ? {} : { expires: until + options.grace }) },
  ]);
}

/** A value, and the next instant at which time alone can change it. */
interface Part {
  value: Value;
  until: Instant | null;
}
type Read = (moment: MomentFacts, laws: Tariff["laws"]) => Part;
type Rows = Record<string, Read>;

const NOT_KNOWN: Part = { value: null, until: null };

function join(parts: [string, Part][]): Part {
  const ends = parts.flatMap(([, { until }]) => (until === null ? [] : [until]));
  const value = JSON.stringify(Object.fromEntries(parts.map(([key, part]) => [key, part.value])));
  return { value, until: ends.length > 0 ? Math.min(...ends) : null };
}

type Boundary = keyof MomentFacts["boundaries"];

function row(boundaries: Boundary[], read: (moment: MomentFacts, laws: Tariff["laws"]) => Value): Read {
  return (moment, laws) => ({
    value: read(moment, laws),
    until: Math.min(...boundaries.map((boundary) => moment.boundaries[boundary])),
  });
}

const NOW: Rows = {
  date: row(["day"], ({ now }) => now.date),
  color: row(["day"], ({ now }) => now.color),
  confidence: row(["day"], ({ now }) => percent(now.confidence)),
  official: row(["day"], ({ now }) => now.official),
  stage: row(["day"], ({ now }) => now.stage),
  source: row(["day"], ({ now }) => text(now.source)),
  period: row(["period"], ({ now }) => now.period),
  slot: row(["day", "period"], ({ now }) => (now.color === null ? null : `${now.color}_${now.period}`)),
  rate: row(["day", "period"], ({ now }) => rate(now.rate)),
  color_until: row(["day"], ({ now }) => instant(now.color_until)),
  period_until: row(["period"], ({ now }) => instant(now.period_until)),
};

const NEXT: Rows = {
  date: row(["day"], ({ next }) => next.date),
  color: row(["day"], ({ next }) => next.color),
  confidence: row(["day"], ({ next }) => percent(next.confidence)),
  official: row(["day"], ({ next }) => next.official),
  stage: row(["day"], ({ next }) => next.stage),
  source: row(["day"], ({ next }) => text(next.source)),
  at: row(["day"], ({ next }) => instant(next.at)),
};

function civilDay(name: CivilDay): Rows {
  const midnight = (read: (day: DayFacts) => Value) => row(["midnight"], ({ days }) => read(days[name]));
  return {
    date: midnight((day) => day.date),
    color: midnight((day) => day.color),
    confidence: midnight((day) => percent(day.confidence)),
    official: midnight((day) => day.official),
    // A day that begins is final: today's only can begin before it becomes another.
    stage: row(name === "today" ? ["midnight", "day"] : ["midnight"], ({ days }) => days[name].stage),
    source: midnight((day) => text(day.source)),
    explanation: midnight((day) => text(day.explanation)),
    rate_hp: midnight((day) => rate(day.rates.hp)),
    rate_hc: midnight((day) => rate(day.rates.hc)),
  };
}

const ANNOUNCEMENT: Rows = {
  stage: row(["midnight"], ({ announcement }) => announcement.stage),
  date: row(["midnight"], ({ announcement }) => announcement.date),
  late: row(["late", "midnight"], ({ announcement }) => announcement.late),
};

const FAMILIES: Record<string, Rows> = {
  now: NOW,
  next: NEXT,
  ...Object.fromEntries(CIVIL_DAYS.map((name) => [name, civilDay(name)])),
  announcement: ANNOUNCEMENT,
};
const WITHOUT_PARENT = new Set(["announcement"]);

const SINGLES: Rows = {
  rouge_now: row(["day"], ({ now }, laws) => isRouge(now, laws)),
  rouge_next: row(["day"], ({ next }, laws) => isRouge(next, laws)),
  rouge_hp_now: row(["day", "period"], ({ now }, laws) => now.period === "hp" && isRouge(now, laws)),
  offpeak: row(["period"], ({ now }) => now.period === "hc"),
  rouge_today: row(["midnight"], ({ days }, laws) => isRouge(days.today, laws)),
  rouge_tomorrow: row(["midnight"], ({ days }, laws) => isRouge(days.tomorrow, laws)),
};

function isRouge(day: DayFacts, laws: Tariff["laws"]): boolean | null {
  if (day.color !== null) return day.color === "rouge";
  return isColorAllowed(day.date, "rouge", laws) ? null : false;
}
