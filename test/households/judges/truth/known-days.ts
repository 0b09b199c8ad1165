import {
  addDays,
  COLORS,
  type Color,
  type Day,
  dayStart,
  HOUR,
  instantsOf,
  MINUTE,
  possibleColors,
  seasonOf,
  type Tariff,
  tariffDay,
  wallClock,
} from "../../calendar.ts";

/** What one source last said officially of a day. */
interface Word {
  color: Color;
  /** Its answer was made at or after 11:30 of the day before. */
  confirmed: boolean;
  /** RTE's alone: an answer of RTE that was made at or after 11:30 of the day before no longer names the day. */
  isGone?: true;
}

interface Forecast {
  color: Color;
  /** Percent. */
  confidence: number | null;
}

/** What is known of one day. Each is a list of all that it may be; null: nothing. Mostly the list has one item. */
interface KnownDay {
  service: readonly (Word | null)[];
  rte: readonly (Word | null)[];
  forecast: readonly (Forecast | null)[];
  /** What the service has said that the day costs. */
  rates: readonly { color: Color; hp: number | null; hc: number | null }[];
}

interface SeasonSaid {
  season: string;
  days_remaining: number;
  remaining: Record<Color, number>;
  total: Record<Color, number>;
}

export interface Book {
  days: ReadonlyMap<Day, KnownDay>;
  season: readonly (SeasonSaid | null)[];
  /** The newest `updated_at` of the forecasts. */
  updatedAt: number;
  /** The service has said a confidence over 1: it sends percent. */
  sendsPercent: boolean;
}

export const EMPTY_BOOK: Book = { days: new Map(), season: [null], updatedAt: 0, sendsPercent: false };

/** What is known of each day, as far as rules ask for it. */
export interface KnownDays {
  get: (date: Day) => KnownDay | undefined;
}

/** What is known officially now, with the forecasts of then. */
export function withForecasts(now: KnownDays, then: KnownDays): KnownDays {
  if (now === then) return now;
  return {
    get: (date) => {
      const day = now.get(date);
      return day && { ...day, forecast: then.get(date)?.forecast ?? [null] };
    },
  };
}

/** How a day is shown, if what is known of it is this. */
export interface DayFact {
  color: Color | null;
  official: boolean;
  stage: "forecast" | "announced" | "final" | null;
  confidence: number | null;
  /** A simulation pretends this colour: the documents do not say what else is so then. */
  isPretended: boolean;
  /** A forecast, but the tariff's laws forbid its colour on that date. */
  isUnlawful: boolean;
}

const NOTHING: DayFact = {
  color: null,
  official: false,
  stage: null,
  confidence: null,
  isPretended: false,
  isUnlawful: false,
};
const UNKNOWN: readonly DayFact[] = [NOTHING];

/** What the clock shows, in a house with this tariff. */
interface When {
  at: number;
  house: Tariff;
}

/** All that the day may be shown as. */
export function factsOf({ days }: { days: KnownDays }, date: Day, moment: When): readonly DayFact[] {
  const day = days.get(date);
  if (!day) return UNKNOWN;
  const phases = factsFound.get(day) ?? new Map<string, DayFact[]>();
  factsFound.set(day, phases);
  const { at, house } = moment;
  const now = tariffDay(at, house);
  const phase = `${now < date ? "before" : now > date ? "after" : "in force"} ${house.dayStarts} ${house.hasLaws}`;
  const facts = phases.get(phase) ?? findFacts(day, date, moment);
  phases.set(phase, facts);
  return facts;
}

/** What is known of a day is shown in one way before it, in one while it is in force, and in one after it. */
const factsFound = new WeakMap<KnownDay, Map<string, DayFact[]>>();

function findFacts({ service, rte, forecast }: KnownDay, date: Day, moment: When): DayFact[] {
  const found = service.flatMap((ofService) =>
    rte.flatMap((ofRte) => forecast.map((said) => factOf(ofService, ofRte, said, date, moment))),
  );
  return unique(found);
}

function factOf(
  service: Word | null,
  rte: Word | null,
  forecast: Forecast | null,
  date: Day,
  { at, house }: When,
): DayFact {
  const official = (color: Color, isFinal: boolean): DayFact => ({
    ...NOTHING,
    color,
    official: true,
    stage: isFinal ? "final" : "announced",
    confidence: 100,
  });
  if (service && rte && service.color !== rte.color) {
    if (rte.confirmed) return official(rte.color, true);
    const isRteDearer = COLORS.indexOf(rte.color) > COLORS.indexOf(service.color);
    if (service.confirmed && (!isRteDearer || tariffDay(at, house) > date || rte.isGone))
      return official(service.color, true);
    return official(service.confirmed || isRteDearer ? rte.color : service.color, false);
  }
  const word = service ?? rte;
  if (word) {
    const isConfirmed = service?.confirmed === true || rte?.confirmed === true;
    return official(word.color, isConfirmed || at >= dayStart(date, house));
  }
  if (!forecast) return NOTHING;
  if (!possibleColors(date, house).includes(forecast.color)) return { ...NOTHING, isUnlawful: true };
  return { ...NOTHING, ...forecast, stage: "forecast" };
}

interface Answer {
  source: "service" | "rte";
  path: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** What the clock of vigie's machine shows as it arrives. */
  at: number;
  house: Tariff;
  /** When it was made, by its own headers. */
  made: number;
  /** Its headers and the clock leave no doubt about when it was made. */
  isPlain: boolean;
}

/** What is known after this answer; the same object if nothing is new. */
export function learn(before: Book, answer: Answer): Book {
  if (answer.status !== 200 && answer.status !== 304) return before;
  // "Another type than JSON" is a failure (docs/service.md). RTE's is not looked at (docs/sources.md).
  if (answer.source === "service" && !/json/.test(answer.headers["content-type"] ?? "json")) return before;
  const given = parseJson(answer.body);
  if (typeof given !== "object" || given === null) return before;
  const learner = createLearner(before, answer);
  // "one value over 1 shows that the service sends percent, and vigie remembers it"
  if (answer.source === "service" && hasPercent(given)) learner.setPercent();
  const [path = ""] = answer.path.split("?");
  if (path.endsWith("/v1/public")) learnForecasts(given, learner, answer);
  else if (path.endsWith("/v1/public/season")) {
    if (isSeason(given)) learner.season(given as unknown as SeasonSaid);
  } else if (path.endsWith("/v1/public/history")) learnHistory(given, learner);
  else if (path.includes("/v1/public/")) learnDate(given, learner);
  else if (path.endsWith("/tempoLight")) learnLight(given, learner, answer);
  else if (path.endsWith("/tempo")) learnSeasonOfRte(given, learner, answer);
  return learner.book();
}

type Json = { [key: string]: unknown };

function learnForecasts(given: Json, learner: Learner, { at }: Answer): void {
  const listed = Array.isArray(given.forecast) ? given.forecast : [];
  const named = new Set<Day>();
  // Whether forecasts replace others of the same time, such as those of the endpoint of the date, is not said; nor whether an answer
  // out of a cache that does not say so replaces newer ones.
  const updatedAt = Date.parse(String(given.updated_at)) || 0;
  const isNewer = updatedAt > learner.updatedAt();
  for (const day of [given.today, given.tomorrow, ...listed] as Json[]) {
    if (typeof day?.date !== "string") continue;
    named.add(day.date);
    const color = readColor(day.color);
    const rates = (day.rates ?? {}) as Json;
    // "The day stays unknown": the documents do not say whether a forecast from before still counts.
    const forecasts = color
      ? learner.confidences(day.confidence).map((confidence) => ({ color, confidence }))
      : [null];
    if (color && isNewer) learner.forecast(day.date, forecasts);
    else for (const forecast of forecasts) learner.perhaps(day.date, "forecast", forecast);
    if (color) learner.rates(day.date, color, rates.hp, rates.hc);
  }
  learner.setUpdatedAt(updatedAt);
  // A day that this answer leaves out may keep its forecast.
  for (const date of learner.dates()) {
    if (!named.has(date) && date >= wallClock(at).date) learner.perhaps(date, "forecast", null);
  }
}

function learnHistory(given: object, learner: Learner): void {
  if (!Array.isArray(given)) return;
  for (const entry of given as Json[]) {
    const color = readColor(entry?.color);
    if (!color || typeof entry.date !== "string") continue;
    learner.word(entry.date, "service", color);
    learner.rates(entry.date, color, entry.hp_rate, entry.hc_rate);
  }
}

function learnDate(given: Json, learner: Learner): void {
  const color = readColor(given.color);
  if (!color || typeof given.date !== "string") return;
  if (given.is_official === true) learner.word(given.date, "service", color);
  // The documents do not say whether this is a forecast like the other.
  else
    for (const confidence of learner.confidences(given.confidence))
      learner.perhaps(given.date, "forecast", { color, confidence });
  learner.rates(given.date, color, given.hp_rate, given.hc_rate);
}

function learnLight(given: Json, learner: Learner, { at, house }: Answer): void {
  const today = wallClock(at).date;
  for (const [date, color] of wordsOfRte(given, house))
    if (date >= addDays(today, -7) && date <= addDays(today, 1)) learner.word(date, "rte", color);
  learner.missing(given);
}

function learnSeasonOfRte(given: Json, learner: Learner, { at, path, house }: Answer): void {
  const today = wallClock(at).date;
  const [, requested] = /season=(\d{4}-\d{4})/.exec(path) ?? [];
  for (const [date, color] of wordsOfRte(given, house)) {
    // "Dates of another season than the requested one: skipped."
    if (date >= today || seasonOf(date).label !== requested) continue;
    if (date === tariffDay(at, house)) learner.fillDayInForce(date, color);
    else learner.word(date, "rte", color);
  }
}

function wordsOfRte({ values }: Json, house: Tariff): [Day, Color][] {
  const words: Record<string, Color> = { BLUE: "bleu", WHITE: "blanc", RED: "rouge" };
  return Object.entries((values ?? {}) as Json).flatMap(([date, word]): [Day, Color][] => {
    const color = typeof word === "string" ? words[word.toUpperCase()] : undefined;
    return color && isDate(date) && possibleColors(date, house).includes(color) ? [[date, color]] : [];
  });
}

type Learner = ReturnType<typeof createLearner>;

function createLearner(before: Book, { made, isPlain, house }: Answer) {
  const days = new Map(before.days);
  let { season, updatedAt, sendsPercent } = before;
  const dayAt = (date: Day) => days.get(date) ?? UNKNOWN_DAY;
  const put = <K extends keyof KnownDay>(date: Day, key: K, list: KnownDay[K]) => {
    const day = dayAt(date);
    if (!isSame(day[key], list)) days.set(date, { ...day, [key]: list });
  };
  const set = <K extends "service" | "rte" | "forecast">(date: Day, key: K, list: KnownDay[K]) => {
    // An answer that may be old may count or not.
    put(date, key, unique([...(isPlain ? [] : dayAt(date)[key]), ...list]) as unknown as KnownDay[K]);
  };
  const word = (date: Day, source: "service" | "rte", color: Color) => {
    const confirmations = confirmationsOf(date, made, isPlain);
    set(
      date,
      source,
      dayAt(date)[source].flatMap((old) =>
        confirmations.map((now) => ({ color, confirmed: now || (old?.color === color && old.confirmed) })),
      ),
    );
  };
  return {
    dates: () => [...days.keys()],
    updatedAt: () => updatedAt,
    setUpdatedAt: (said: number) => {
      updatedAt = Math.max(updatedAt, said);
    },
    word,
    /** RTE's answer of the eve, from 11:30 on, that names its own day and not the next one. */
    missing: (given: Json) => {
      const [today, next] = [wallClock(made).date, addDays(wallClock(made).date, 1)];
      const isWhole = wordsOfRte(given, house).some(([date]) => date === today);
      const word = ((given.values ?? {}) as Json)[next];
      if (!isWhole || (word !== undefined && word !== null)) return;
      // Whether `null` names it is not said.
      const gone = word === undefined ? confirmationsOf(next, made, isPlain) : [true, false];
      const list = dayAt(next).rte.flatMap((old) =>
        old && !old.confirmed ? gone.map((is) => (is ? { ...old, isGone: true as const } : old)) : [old],
      );
      put(next, "rte", unique(list));
    },
    setPercent: () => {
      sendsPercent = true;
    },
    /** Percent: all that a confidence may mean. */
    confidences: (given: unknown): (number | null)[] => {
      if (typeof given !== "number" || given < 0 || given > 100) return [null];
      if (given > 1) return [given];
      // Whether a service that sends percent means it of this value, too, is not judged.
      return sendsPercent ? [given, given * 100] : [given * 100];
    },
    forecast: (date: Day, said: readonly (Forecast | null)[]) => set(date, "forecast", said),
    /** It may count, or not. */
    perhaps: (date: Day, key: "forecast", said: Forecast | null) =>
      put(date, key, unique([...dayAt(date)[key], said])),
    /** The season names the day in force: it fills in what RTE has not named, and changes a word only in some cases. */
    fillDayInForce: (date: Day, color: Color) => {
      const old = dayAt(date).rte;
      word(date, "rte", color);
      if (!isSame(old, [null])) put(date, "rte", unique([...old, ...dayAt(date).rte]));
    },
    rates: (date: Day, color: Color, hp: unknown, hc: unknown) => {
      put(date, "rates", unique([...dayAt(date).rates, { color, hp: readPrice(hp), hc: readPrice(hc) }]));
    },
    season: (said: SeasonSaid) => {
      season = unique([...(isPlain ? [] : season), said]);
    },
    book: (): Book => {
      const isNew = [...days].some(([date, day]) => before.days.get(date) !== day);
      const isOther = updatedAt !== before.updatedAt || sendsPercent !== before.sendsPercent;
      return isNew || !isSame(season, before.season) || isOther
        ? { days: isNew ? days : before.days, season, updatedAt, sendsPercent }
        : before;
    },
  };
}

/** Whether an answer of that time confirms its words about this day. */
function confirmationsOf(date: Day, made: number, isPlain: boolean): boolean[] {
  if (!isPlain) return [true, false];
  const from = instantsOf(addDays(date, -1), 11 * 60 + 30)[0]!;
  return Math.abs(made - from) < 2_000 ? [true, false] : [made >= from];
}

/** All that is possible in one or the other. */
export function mergeBooks(one: Book, other: Book): Book {
  if (one === other) return one;
  const dates = new Set([...one.days.keys(), ...other.days.keys()]);
  const days = [...dates].map((date): [Day, KnownDay] => {
    const [a, b] = [one.days.get(date) ?? UNKNOWN_DAY, other.days.get(date) ?? UNKNOWN_DAY];
    return [
      date,
      {
        service: union(a.service, b.service),
        rte: union(a.rte, b.rte),
        forecast: union(a.forecast, b.forecast),
        rates: union(a.rates, b.rates),
      },
    ];
  });
  return {
    days: new Map(days),
    season: union(one.season, other.season),
    updatedAt: Math.max(one.updatedAt, other.updatedAt),
    sendsPercent: one.sendsPercent || other.sendsPercent,
  };
}

/** Each once. In a season most days are merged thousands of times with what is in them already. */
function union<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  return other.every((item) => one.includes(item)) ? one : unique([...one, ...other]);
}

/** What a source has said counts only while it is configured, and may be back with it. */
export function perhapsWithout({ days, season, ...others }: Book, source: "service" | "rte"): Book {
  const isService = source === "service";
  const changed = [...days].map(([date, day]): [Day, KnownDay] => [
    date,
    {
      ...day,
      [source]: unique([...day[source], null]),
      ...(isService && { forecast: unique([...day.forecast, null]) }),
    },
  ]);
  return { ...others, days: new Map(changed), season: isService ? unique([...season, null]) : season };
}

const UNKNOWN_DAY: KnownDay = { service: [null], rte: [null], forecast: [null], rates: [] };

/** The table of docs/service.md. No household has accents. */
function readColor(given: unknown): Color | undefined {
  if (typeof given !== "string" && typeof given !== "number") return undefined;
  const word = String(given)
    .trim()
    .toLowerCase()
    .replaceAll(/[ _-]+/g, "_");
  return COLORS.find((color) => SPELLINGS[color].includes(word));
}

const SPELLINGS: Readonly<Record<Color, readonly string[]>> = {
  rouge: ["rouge", "red", "r", "tempo_rouge", "tempo_red", "3"],
  blanc: ["blanc", "white", "w", "tempo_blanc", "tempo_white", "2"],
  bleu: ["bleu", "blue", "tempo_bleu", "tempo_blue", "1"],
};

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && addDays(text, 0) === text;
}

function hasPercent(given: object): boolean {
  return Object.entries(given).some(([key, value]) => {
    if (typeof value === "object" && value !== null) return hasPercent(value);
    return /confidence$/.test(key) && typeof value === "number" && value > 1;
  });
}

/** "A price below 0.01 or over 5 EUR/kWh is not used": the owner's counts, or one that was said before. */
function readPrice(given: unknown): number | null {
  return typeof given === "number" && given >= 0.01 && given <= 5 ? given : null;
}

/** "Every field is needed, and each count is a whole number; otherwise the answer is a failure." */
function isSeason(given: Json): boolean {
  const { season, start_date, end_date, days_elapsed, days_remaining, remaining, total } = given;
  const counts = [remaining, total].flatMap((count) =>
    COLORS.map((color) => (count as Json | null | undefined)?.[color]),
  );
  const texts = [season, start_date, end_date];
  return (
    texts.every((text) => typeof text === "string") &&
    [...counts, days_elapsed, days_remaining].every(Number.isInteger)
  );
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** When an answer was made, if its `Date` can be believed: it is what the clock shows, and no cache speaks. */
export function readMade(
  headers: Readonly<Record<string, string>>,
  trueTime: number,
): { made: number; isPlain: boolean; isHoursOff: boolean } {
  const made = Date.parse(headers.date ?? "");
  if (Number.isNaN(made)) return { made: trueTime, isPlain: false, isHoursOff: true };
  const off = Math.abs(trueTime - made);
  return { made, isPlain: off < MINUTE && headers.age === undefined, isHoursOff: off > HOUR / 2 };
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

export function unique<T>(items: readonly T[]): T[] {
  if (items.length < 2) return [...items];
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
