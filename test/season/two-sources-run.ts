import { addDays, civilDate, tariffDate, wallInstant } from "../../src/core/calendar/dates.ts";
import type { Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { emptyState, type State } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PARIS } from "../support/tariff.ts";
import { recordSaidWords, type SaidWords, type SourceName } from "./said-words.ts";
import { type Behaviour, createScriptedSource, type Script } from "./scripted-sources.ts";
import { startVigieRun } from "./season-vigie.ts";
import { startVirtualTime } from "./virtual-time.ts";

interface TwoSourcesOptions {
  script: Script;
  seed: number;
  from: Instant;
  until: Instant;
  behaviour: Record<SourceName, Behaviour>;
  /** As with `service.base_url: none`. */
  withoutService?: boolean;
  /** The instants at which vigie is killed, and started again from its state file. */
  restarts?: readonly Instant[];
}

export interface TwoSourcesOutcome {
  /** What was wrong, with its instant; the first few. */
  wrong: string[];
  /** Rouge mornings on which the topics had rouge at 06:00. */
  rougeMornings: number;
  /** Checks in which the sources contradicted each other. */
  contradicted: number;
  checks: number;
  /** Days that nobody had named when they were checked. */
  unknown: number;
  /** The most requests to RTE within one day (UTC). */
  mostRequests: number;
  words: SaidWords;
}

/** The real loop, clients and schedules in virtual time, between two sources that follow a script. */
export async function runTwoSources(options: TwoSourcesOptions): Promise<TwoSourcesOutcome> {
  const time = startVirtualTime(options.from);
  try {
    return await runIn(time, options);
  } finally {
    time.restore();
  }
}

async function runIn(
  time: ReturnType<typeof startVirtualTime>,
  { script, seed, from, until, behaviour, withoutService = false, restarts = [] }: TwoSourcesOptions,
): Promise<TwoSourcesOutcome> {
  const { clock } = time;
  const words = recordSaidWords();
  const service = createScriptedSource("service", script, behaviour.service, { clock, words });
  const rte = createScriptedSource("rte", script, behaviour.rte, { clock, words });
  const random = randomFrom(`two/${seed}`);
  const offset = random();
  const outcome: TwoSourcesOutcome = {
    wrong: [],
    rougeMornings: 0,
    contradicted: 0,
    checks: 0,
    unknown: 0,
    mostRequests: 0,
    words,
  };
  let store = createMemoryStore(emptyState("season"));
  let topics: Topics = new Map();
  const start = () =>
    startVigieRun({
      store,
      rules: [],
      clock,
      transport: withoutService ? undefined : service.transport,
      officialTransport: rte.transport,
      random,
      offset,
      pace: { every: 3_600_000, announcement: 900_000 },
      want: (wanted) => {
        topics = wanted;
      },
      sendAgain: () => undefined,
      onAnswer: () => undefined,
    });
  const saved = (): State => parseState(serialiseState(store.state()));
  let run = start();
  await time.settle();
  const deaths = [...restarts].sort((one, other) => one - other);
  let counted = { day: civilDate(from, "UTC"), before: 0 };
  let checked: unknown[] = [];
  const boundaries = boundariesFrom(from);
  while (clock.now() < until && outcome.wrong.length < ENOUGH) {
    const death = deaths[0] ?? Number.POSITIVE_INFINITY;
    const next = Math.min(time.due(), boundaries.due(), death, until);
    time.advance(Math.max(next, clock.now()));
    const now = clock.now();
    if (now >= death) {
      deaths.shift();
      run.kill();
      await time.settle();
      store = createMemoryStore(saved());
      run = start();
    }
    await time.settle();
    const isBoundary = now >= boundaries.due();
    if (isBoundary) boundaries.pass();
    const day = civilDate(now, "UTC");
    if (day !== counted.day) counted = { day, before: rte.requests() };
    outcome.mostRequests = Math.max(outcome.mostRequests, rte.requests() - counted.before);
    const state = [topics, words.notes()];
    if (isBoundary || state.some((part, index) => part !== checked[index])) {
      checked = state;
      check(outcome, { topics, words, withoutForecasts: withoutService }, now);
      if (isBoundary && isDayStart(now) && payload(topics, "rouge_now") === "ON") outcome.rougeMornings += 1;
    }
  }
  run.kill();
  return outcome;
}

const ENOUGH = 5;

/** Compares the topics with what was said so far. */
function check(
  outcome: TwoSourcesOutcome,
  { topics, words, withoutForecasts }: { topics: Topics; words: SaidWords; withoutForecasts: boolean },
  now: Instant,
): void {
  outcome.checks += 1;
  const today = civilDate(now, PARIS.time_zone);
  const inForce = tariffDate(now, PARIS);
  const days = { now: inForce, next: addDays(inForce, 1), today, tomorrow: addDays(today, 1) };
  const complain = (words: string) => outcome.wrong.push(`${new Date(now).toISOString()} ${words}`);
  for (const [name, date] of Object.entries(days)) {
    const shown = words.shownOf(date);
    const is = (part: string) => payload(topics, `${name}/${part}`);
    const { official_by = null } = JSON.parse(payload(topics, name));
    if (!shown) {
      if (is("official") !== "OFF") complain(`${name} ${date} is official, and nobody said so`);
      if (withoutForecasts && is("color") !== "None")
        complain(`${name} ${date} is ${is("color")}, and nobody said so`);
      outcome.unknown += 1;
      continue;
    }
    if (shown.by) outcome.contradicted += 1;
    const hasBegun = now >= wallInstant(date, "06:00", PARIS.time_zone);
    const stage = shown.confirmed || (!shown.by && hasBegun) ? "final" : "announced";
    const wanted = [shown.color, "ON", stage, shown.by];
    const got = [is("color"), is("official"), is("stage"), official_by];
    if (!isSame(wanted, got)) {
      complain(`${name} ${date} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
    }
    if (isRougeMissed(date, is("color"), words))
      complain(`${name} ${date} is rouge, and shown ${is("color")}`);
  }
  const contradicted = [days.now, days.next, days.tomorrow].some((date) => words.shownOf(date)?.by);
  const code = payload(topics, "service/problem_code");
  if (code === "contradiction" && !contradicted) complain("there is no contradiction");
  if (contradicted && ["late", "revised", "none"].includes(code))
    complain(`the contradiction is hidden: ${code}`);
}

/** RTE named rouge; or the service did, and RTE did not confirm another colour. */
function isRougeMissed(date: IsoDate, color: string, { wordOf }: SaidWords): boolean {
  const [service, rte] = [wordOf("service", date), wordOf("rte", date)];
  const isNamed = rte?.color === "rouge" || (service?.color === "rouge" && !rte?.confirmed);
  return isNamed && color !== "rouge";
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function payload(topics: Topics, topic: string): string {
  return topics.get(topic)?.payload ?? "{}";
}

function isDayStart(at: Instant): boolean {
  return at === wallInstant(civilDate(at, PARIS.time_zone), "06:00", PARIS.time_zone);
}

/** 00:00 and 06:00 of each day. */
function boundariesFrom(from: Instant) {
  let date = civilDate(from, PARIS.time_zone);
  const timesOf = (day: IsoDate) => ["00:00", "06:00"].map((time) => wallInstant(day, time, PARIS.time_zone));
  let ahead = timesOf(date).filter((at) => at > from);
  const fill = () => {
    while (ahead.length === 0) {
      date = addDays(date, 1);
      ahead = timesOf(date);
    }
  };
  fill();
  return {
    due: () => ahead[0] ?? Number.POSITIVE_INFINITY,
    pass: () => {
      ahead.shift();
      fill();
    },
  };
}
