import { addDays, civilDate, datesBetween, tariffDate, wallInstant } from "../../src/core/calendar/dates.ts";
import { memoize } from "../../src/core/calendar/memoize.ts";
import { COLORS, type Color, type Instant, type IsoDate } from "../../src/core/calendar/tariff.ts";
import { allowedColors, isColorAllowed } from "../../src/core/calendar/tariff-laws.ts";
import { seasonWithLabel } from "../../src/core/calendar/tariff-season.ts";
import { RTE } from "../../src/core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import { between, pick, type Random, randomFrom } from "../../src/simulator/random.ts";
import { PARIS } from "../support/tariff.ts";
import type { SaidWords, SourceName } from "./said-words.ts";

const ZONE = "Europe/Paris";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What a source says of a date from an instant on; null: it has withdrawn what it said. */
interface Saying {
  from: Instant;
  color: Color | null;
}

/** How one source behaves. */
export interface Behaviour {
  /** It does not answer. */
  isAway: (at: Instant) => boolean;
  /** How old its answers are, because a cache replays them, and whether the cache says so. */
  replay: (at: Instant) => { age: number; honest: boolean };
}

export const WELL: Behaviour = { isAway: () => false, replay: () => ({ age: 0, honest: true }) };

/** What both sources say of each date: mostly the same, and sometimes late, withdrawn, corrected or different. */
export function writeScript(seed: number, calm = false) {
  const colorOf = memoize((date: IsoDate): Color => {
    const random = randomFrom(`color/${seed}/${date}`);
    const draw = random();
    if (draw < 0.3 && isColorAllowed(date, "rouge", "tempo")) return "rouge";
    return draw < 0.5 && isColorAllowed(date, "blanc", "tempo") ? "blanc" : "bleu";
  }, 4096);
  const sayingsOf = memoize((source: SourceName, date: IsoDate): Saying[] => {
    const random = randomFrom(`sayings/${seed}/${source}/${date}`);
    const color = colorOf(date);
    const eve = (time: string) => wallInstant(addDays(date, -1), time, ZONE) + random() * 10 * MINUTE;
    if (calm) return [{ from: eve("10:30"), color }];
    return inventSayings(color, otherColor(date, color, random), eve, random);
  }, 4096);
  const said = (source: SourceName, date: IsoDate, at: Instant) =>
    sayingsOf(source, date).findLast(({ from }) => from <= at)?.color ?? null;
  return { colorOf, said };
}

export type Script = ReturnType<typeof writeScript>;

function inventSayings(color: Color, other: Color, eve: (time: string) => Instant, random: Random): Saying[] {
  const draw = random();
  if (draw < 0.45) return [{ from: eve("10:30"), color }];
  if (draw < 0.55) return [{ from: eve("06:35"), color }];
  if (draw < 0.67)
    return [
      { from: eve("10:35"), color: other },
      { from: eve("11:05"), color },
    ];
  if (draw < 0.75)
    return [
      { from: eve("10:30"), color: other },
      { from: eve("10:50"), color: null },
      { from: eve("11:10"), color },
    ];
  if (draw < 0.83) return [{ from: eve("12:30") + random() * 14 * HOUR, color }];
  if (draw < 0.88)
    return [
      { from: eve("10:30"), color: other },
      { from: eve("13:00"), color },
    ];
  if (draw < 0.95) return [{ from: eve("10:30"), color: other }];
  return [];
}

function otherColor(date: IsoDate, color: Color, random: Random): Color {
  const others = allowedColors(date, "tempo").filter((one) => one !== color);
  return pick([others[0] ?? color, ...others.slice(1)], random);
}

/** Spans in which a cache replays old answers: about one in ten days. */
export function inventReplays(seed: string, from: Instant, until: Instant): Behaviour["replay"] {
  const random = randomFrom(seed);
  const spans: { from: Instant; until: Instant; age: number; honest: boolean }[] = [];
  for (let at = from; at < until; at += between(2, 20, random) * 24 * HOUR) {
    const length = between(1, 20, random) * HOUR;
    const age = Math.round(between(0.5, 26, random) * 3600) * 1000;
    spans.push({ from: at, until: at + length, age, honest: random() < 0.7 });
  }
  return (at) => spans.find((span) => span.from <= at && at < span.until) ?? { age: 0, honest: true };
}

/** A source that follows the script, without a socket. What it says is noted as it goes out. */
export function createScriptedSource(
  name: SourceName,
  script: Script,
  behaviour: Behaviour,
  { clock, words }: { clock: Pick<Clock, "now">; words: SaidWords },
): { transport: Transport; requests: () => number } {
  let requests = 0;
  const get: Transport["get"] = async (path, _headers, signal) => {
    signal.throwIfAborted();
    requests += 1;
    const now = clock.now();
    if (behaviour.isAway(now)) {
      const source = name === "rte" ? RTE : FORECAST_SERVICE;
      throw new ServiceUnreachable(source, `GET ${path}`, "script", "it is away");
    }
    const { age, honest } = behaviour.replay(now);
    const then = now - age;
    const { body, said } =
      name === "rte" ? answerOfRte(path, then, script) : answerOfService(path, then, script);
    // A cache that says so sends its age; that of RTE keeps the `Date` of its source, that of the service sends its own.
    const sent = Math.floor((honest && name === "rte" ? then : now) / 1000) * 1000;
    const headers = new Map([
      ["content-type", "application/json"],
      ["date", new Date(sent).toUTCString()],
      ...(honest && age > 0 ? [["age", String(age / 1000)] as const] : []),
    ]);
    const made_at = honest && name === "service" ? sent - age : sent;
    for (const [date, color] of said) {
      if (isUsed(name, path, date, now) && !isKept(path, date, color, now))
        words.note(name, date, { color, made_at, now });
    }
    return { status: 200, headers, body: new TextEncoder().encode(JSON.stringify(body)) };
  };
  /** A season makes a known word of the day in force only dearer, and only one that was never confirmed. */
  const isKept = (path: string, date: IsoDate, color: Color, now: Instant) => {
    const known = words.wordOf("rte", date);
    if (!path.startsWith("/tempo?") || date < tariffDate(now, PARIS) || !known) return false;
    return known.color !== color && (known.confirmed || COLORS.indexOf(color) < COLORS.indexOf(known.color));
  };
  return { transport: { get, close: async () => undefined }, requests: () => requests };
}

/** Of RTE's season past dates, of light the last week and up to tomorrow; of the service all. */
function isUsed(name: SourceName, path: string, date: IsoDate, now: Instant): boolean {
  const today = civilDate(now, ZONE);
  if (name === "service") return true;
  if (path.startsWith("/tempoLight")) return date <= addDays(today, 1) && date >= addDays(today, -7);
  return date < today;
}

interface ScriptedAnswer {
  body: unknown;
  /** The official words in it. */
  said: [IsoDate, Color][];
}

function answerOfRte(path: string, at: Instant, { said }: Script): ScriptedAnswer {
  const today = civilDate(at, ZONE);
  const label = /season=(\d{4}-\d{4})/.exec(path)?.[1];
  const dates = label === undefined ? [today, addDays(today, 1)] : seasonDates(label, addDays(today, 1));
  const words = saidOf("rte", dates, at, said);
  const values = words.map(([date, color]) => [date, { bleu: "BLUE", blanc: "white", rouge: "Red" }[color]]);
  return { body: { values: Object.fromEntries(values) }, said: words };
}

function seasonDates(label: string, last: IsoDate): IsoDate[] {
  const season = seasonWithLabel(label);
  if (!season) return [];
  return datesBetween(season.start, last < season.end ? last : season.end);
}

function answerOfService(path: string, at: Instant, { said, colorOf }: Script): ScriptedAnswer {
  const today = civilDate(at, ZONE);
  const forecastOf = (date: IsoDate) => ({ date, color: colorOf(date), confidence: 0.7 });
  const date = /\/v1\/public\/(\d{4}-\d\d-\d\d)/.exec(path)?.[1];
  if (date !== undefined) {
    const words = saidOf("service", [date], at, said);
    const color = words[0]?.[1];
    return {
      body: { ...forecastOf(date), ...(color && { color }), is_official: Boolean(color) },
      said: words,
    };
  }
  if (path.startsWith("/v1/public/season")) return { body: SEASON, said: [] };
  const [start, end] = path.match(/\d{4}-\d\d-\d\d/g) ?? [];
  if (start && end) {
    const words = saidOf("service", datesBetween(start, end < today ? end : addDays(today, -1)), at, said);
    return { body: words.map(([one, color]) => ({ date: one, color })), said: words };
  }
  const [first, second, ...others] = datesBetween(today, addDays(today, 7)).map(forecastOf);
  return { body: { today: first, tomorrow: second, forecast: others }, said: [] };
}

function saidOf(source: SourceName, dates: IsoDate[], at: Instant, said: Script["said"]): [IsoDate, Color][] {
  return dates.flatMap((date): [IsoDate, Color][] => {
    const color = said(source, date, at);
    return color === null ? [] : [[date, color]];
  });
}

/** Nothing here is about seasons. */
const COUNTS = Object.fromEntries(COLORS.map((color) => [color, 100]));
const SEASON = {
  season: "2025-2026",
  start_date: "2025-09-01",
  end_date: "2026-08-31",
  remaining: COUNTS,
  total: COUNTS,
  days_elapsed: 100,
  days_remaining: 265,
};
