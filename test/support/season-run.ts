import { emptyState, parseState, serialiseState } from "../../src/book/state.ts";
import { wallInstant } from "../../src/calendar/day.ts";
import type { Color, Instant, IsoDate } from "../../src/calendar/tariff.ts";
import type { Answer } from "../../src/service/answer.ts";
import { forecastFor } from "../../src/simulator/forecast.ts";
import { officialColor } from "../../src/simulator/official.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { createModelBroker, createModelPublisher } from "./model-broker.ts";
import { shiftDate } from "./naive-wall.ts";
import { type Mishap, tellStory } from "./season-story.ts";
import { createJudge, judgeRemains } from "./season-truth.ts";
import { createMemoryStore, GRACE, type LifeOfVigie, type LifeOptions, startLife } from "./season-vigie.ts";
import { openServiceLine } from "./service-line.ts";
import { createTold } from "./told.ts";
import { startVirtualTime } from "./virtual-time.ts";

export interface SeasonOptions {
  seed: number;
  /** The first day; a year and a day follow. */
  from: IsoDate;
  /** Days given by hand; the others are invented. */
  days?: ReadonlyMap<IsoDate, Color>;
  /** Looks and polls as often as vigie does unless told otherwise; else less often, for the sake of speed. */
  inFull?: boolean;
}

export interface SeasonOutcome {
  /** What was wrong, with its instant; the first few. */
  wrong: string[];
  checks: number;
  polls: number;
  requests: number;
  messages: number;
  writes: number;
  lives: number;
  connections: number;
  /** Announced rouge days that were on the broker at 06:00. */
  rougeMornings: number;
}

/** A year of virtual time: the real cycle, client, ledger and sender between a simulator and a broker in memory. */
export async function runSeason(options: SeasonOptions): Promise<SeasonOutcome> {
  const { seed, from, days = new Map(), inFull = false } = options;
  const pace = inFull ? FULL_PACE : QUICK_PACE;
  const begin = wallInstant(from, "00:00", "Europe/Paris");
  const end = wallInstant(shiftDate(from, 366), "12:00", "Europe/Paris");
  const time = startVirtualTime(begin);
  try {
    const season = createSeason({ seed, begin, days, pace }, time);
    while (time.clock.now() < end && season.wrong.length < ENOUGH) await season.step();
    return season.outcome();
  } finally {
    time.restore();
  }
}

const ENOUGH = 5;
const FULL_PACE = { look: 60_000, every: 3_600_000, announcement: 300_000 };
const QUICK_PACE = { look: 600_000, every: 7_200_000, announcement: 1_800_000 };
const SAVED_EVERY = 1_800_000;
const CHECKED_EVERY = 900_000;

interface Setting {
  seed: number;
  begin: Instant;
  days: ReadonlyMap<IsoDate, Color>;
  pace: LifeOptions["pace"];
}

function createSeason({ seed, begin, days, pace }: Setting, time: ReturnType<typeof startVirtualTime>) {
  const { clock } = time;
  const world = { seed, days, official_at: "10:30" };
  const line = openServiceLine(world, time);
  const broker = createModelBroker(clock);
  const publisher = createModelPublisher(broker, clock);
  const told = createTold();
  const judge = createJudge(told);
  const random = randomFrom(`season/${seed}`);
  const offset = random();
  const count = { wrong: [] as string[], checks: 0, polls: 0, lives: 0, connections: 0, rougeMornings: 0 };
  const mishaps = createMishaps(tellStory(seed, begin, begin + 366 * 86_400_000), clock.now);
  const boundaries = createBoundaries(begin);
  let store = createMemoryStore(emptyState("season"));
  let writes = 0;
  let life: LifeOfVigie | undefined;
  let will = Number.POSITIVE_INFINITY;
  let save = begin;
  let checked = { at: begin, messages: 0, mishaps: 0 };

  const complain = (what: readonly string[]) =>
    count.wrong.push(...what.map((one) => `${new Date(clock.now()).toISOString()}: ${one}`));

  const heard = (answer: Answer) => {
    const lying = colorsIn(answer).filter(([date, color]) => color !== saidOf(date, clock.now()));
    complain(lying.map(([date, color]) => `${color} was read of ${date}`));
    told.hear(answer, clock.now());
  };
  const saidOf = (date: IsoDate, at: Instant) => {
    const now = { ...world, revised: line.faults.has("revised") };
    return officialColor(date, at, now) ?? forecastFor(date, at, now).color;
  };
  const live = () => {
    writes += store.writes();
    store = createMemoryStore(parseState(serialiseState(store.state())));
    const { transport } = line;
    life = startLife({ store, clock, transport, random, offset, pace, want: publisher.want, heard });
    count.lives += 1;
    will = Number.POSITIVE_INFINITY;
  };
  const die = () => {
    life?.kill();
    count.polls += life?.polls() ?? 0;
    life = undefined;
    publisher.lose();
    will = clock.now() + GRACE;
  };
  const befall = () => {
    const { faults, kinds } = mishaps.now();
    line.faults.set(faults);
    const alive = !kinds.has("vigie") && !kinds.has("power-cut");
    if (life && !alive) die();
    if (kinds.has("power-cut")) broker.revert();
    if (!life && alive) live();
    if (kinds.has("broker-wiped")) broker.wipe();
    const reachable = !kinds.has("broker") && !kinds.has("broker-wiped");
    if (publisher.isConnected() && !reachable) publisher.lose();
    if (!publisher.isConnected() && reachable && life) {
      publisher.connect();
      count.connections += 1;
    }
  };
  const check = () => {
    count.checks += 1;
    if (life && publisher.isConnected()) complain(judge(broker.get, clock.now()));
    else if (!life) complain(judgeRemains(broker.get, clock.now(), GRACE, told.word));
  };
  /** Whenever something was sent or befell, at the boundaries, and now and then for what may have expired. */
  const isWorthChecking = () => {
    const now = clock.now();
    const happened = broker.messages() !== checked.messages || mishaps.passed() !== checked.mishaps;
    if (!happened && now < boundaries.due() && now - checked.at < CHECKED_EVERY) return false;
    checked = { at: now, messages: broker.messages(), mishaps: mishaps.passed() };
    return true;
  };
  const step = async () => {
    const next = Math.min(life?.due() ?? Infinity, time.due(), mishaps.due(), boundaries.due(), will, save);
    time.advance(next);
    if (next >= mishaps.due()) befall();
    if (life && next >= life.due()) life.turn();
    if (next >= will) {
      publisher.will();
      will = Number.POSITIVE_INFINITY;
    }
    if (next >= save) {
      broker.save();
      save += SAVED_EVERY;
    }
    await time.settle();
    if (isWorthChecking()) check();
    if (next >= boundaries.due()) {
      if (broker.get("rouge_now") === "ON" && boundaries.isDayStart()) count.rougeMornings += 1;
      boundaries.pass();
    }
  };
  befall();
  const outcome = (): SeasonOutcome => ({
    ...count,
    polls: count.polls + (life?.polls() ?? 0),
    requests: line.requests(),
    messages: broker.messages(),
    writes: writes + store.writes(),
  });
  return { step, outcome, wrong: count.wrong };
}

function colorsIn(answer: Answer): [IsoDate, Color][] {
  const days =
    answer.kind === "forecasts"
      ? answer.days
      : answer.kind === "date"
        ? [answer.day]
        : answer.kind === "history"
          ? answer.entries
          : [];
  return days.flatMap(({ date, color }): [IsoDate, Color][] => (color ? [[date, color]] : []));
}

/** What is going on now, by the story. */
function createMishaps(story: readonly Mishap[], now: () => Instant) {
  const edges = story.flatMap(({ from, until }) => [from, until]).sort((one, other) => one - other);
  let passed = 0;
  return {
    due: () => edges[passed] ?? Number.POSITIVE_INFINITY,
    passed: () => passed,
    now: () => {
      while ((edges[passed] ?? Number.POSITIVE_INFINITY) <= now()) passed += 1;
      const active = story.filter(({ from, until }) => from <= now() && now() < until);
      return {
        faults: active.flatMap(({ faults }) => faults),
        kinds: new Set(active.map(({ kind }) => kind)),
      };
    },
  };
}

/** Each 00:00, 06:00 and 22:00 on the wall, and the last millisecond before it. */
function createBoundaries(begin: Instant) {
  // The day before begins the list, so that the first day is in it.
  let date = new Date(begin - 43_200_000).toISOString().slice(0, 10);
  let ahead: { at: Instant; dayStart: boolean }[] = [];
  const fill = () => {
    if (ahead.length > 0) return;
    date = shiftDate(date, 1);
    const edges = ["00:00", "06:00", "22:00"].flatMap((time) => {
      const at = wallInstant(date, time, "Europe/Paris");
      return [
        { at: at - 1, dayStart: false },
        { at, dayStart: time === "06:00" },
      ];
    });
    ahead = edges.filter(({ at }) => at > begin);
  };
  fill();
  return {
    due: () => ahead[0]?.at ?? Number.POSITIVE_INFINITY,
    isDayStart: () => ahead[0]?.dayStart ?? false,
    pass: () => {
      ahead.shift();
      fill();
    },
  };
}
