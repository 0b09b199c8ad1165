import { wallInstant } from "../../src/core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { Answer } from "../../src/core/contract/answer.ts";
import { forecastFor } from "../../src/simulator/forecast.ts";
import { officialColor } from "../../src/simulator/official-colors.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { shiftDate } from "../support/intl-wall-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import type { FaultName } from "../support/service-faults.ts";
import { recordDeliveredAnswers } from "./delivered-answers.ts";
import { createFaultyTransport } from "./faulty-transport.ts";
import { planMishaps } from "./mishap-plan.ts";
import { createModelBroker, createModelPublisher } from "./model-broker.ts";
import { createMachineClock } from "./season-clock.ts";
import { type HeapWatch, watchHeap } from "./season-heap.ts";
import { createBoundaries, createMishaps } from "./season-mishaps.ts";
import { judgeRules, readShippedRules } from "./season-rules.ts";
import { createTally, type Wrong } from "./season-tally.ts";
import { createJudge, findMissedRouge, judgeTopicsLeft, judgeTopicsOfWrongClock } from "./season-truth.ts";
import { GRACE, startVigieRun, type VigieRun, type VigieRunOptions } from "./season-vigie.ts";
import { startVirtualTime, type VirtualTime } from "./virtual-time.ts";

export interface SeasonOptions {
  seed: number;
  /** The first day; a year and a day follow. */
  from: IsoDate;
  /** How many days; a year by default. */
  length?: number;
  /** Days given by hand; the others are invented. */
  days?: ReadonlyMap<IsoDate, Color>;
  /** Looks whether a poll is due, and polls, as often as vigie does; by default less often, to be quick. */
  inFull?: boolean;
  /** Measures the heap each so many days. */
  heapEvery?: number;
  /** Bytes that each poll leaves behind, to see that they are seen. */
  leak?: number;
  /** The page is rendered each virtual minute. How long that takes is not seen: virtual time stands still meanwhile. */
  page?: boolean;
}

export interface SeasonOutcome {
  /** What was wrong, with its instant; the first few. */
  wrong: readonly string[];
  wrongs: Readonly<Record<Wrong, number>>;
  /** Days that were rouge by the answers, and not published as rouge. */
  missedRouge: number;
  /** Bytes a poll; null where it was not measured. */
  heapGrowth: number | null;
  met: Record<FaultName, number>;
  checks: number;
  pages: number;
  polls: number;
  requests: number;
  messages: number;
  writes: number;
  starts: number;
  connections: number;
  clockSteps: number;
  /** Announced rouge days that were on the broker at 06:00. */
  rougeMornings: number;
}

/** A year of virtual time: the real loop, client and topic sender between a simulator and a broker in memory. */
export async function runSeason(options: SeasonOptions): Promise<SeasonOutcome> {
  const {
    seed,
    from,
    length = 366,
    days = new Map(),
    inFull = false,
    heapEvery,
    leak = 0,
    page = false,
  } = options;
  const pace = inFull ? FULL_PACE : QUICK_PACE;
  const begin = wallInstant(from, "00:00", "Europe/Paris");
  const end = wallInstant(shiftDate(from, length), "12:00", "Europe/Paris");
  const heap = heapEvery === undefined ? undefined : { watch: watchHeap(), every: heapEvery * DAY };
  const time = startVirtualTime(begin);
  try {
    const season = createSeason({ seed, begin, length, days, pace, heap, leak, page }, time);
    while (time.clock.now() < end && season.wrong.length < ENOUGH) await season.step();
    return season.outcome();
  } finally {
    time.restore();
  }
}

const ENOUGH = 5;
const DAY = 86_400_000;
const FULL_PACE = { every: 3_600_000, announcement: 300_000 };
const QUICK_PACE = { every: 7_200_000, announcement: 1_800_000 };
const SAVED_EVERY = 1_800_000;
const CHECKED_EVERY = 900_000;
const PAGE_RENDERED_EVERY = 60_000;
/** The alarm wakes at least each 15 s. */
const NOTICED_WITHIN = 16_000;
/** How soon it asks for the time; a service that failed may have asked for a pause of an hour. */
const TIME_KNOWN_WITHIN = 180_000;
const LONGEST_PAUSE = 3_600_000;
const NEVER = Number.POSITIVE_INFINITY;

interface Setting {
  seed: number;
  begin: Instant;
  length: number;
  days: ReadonlyMap<IsoDate, Color>;
  pace: VigieRunOptions["pace"];
  heap: { watch: HeapWatch; every: number } | undefined;
  leak: number;
  page: boolean;
}

function createSeason(setting: Setting, time: VirtualTime) {
  const { seed, begin, length, days, pace, heap, leak } = setting;
  const { clock } = time;
  const service = createFaultyTransport({ seed, days }, time);
  const machine = createMachineClock(clock);
  const broker = createModelBroker(clock);
  const publisher = createModelPublisher(broker, machine);
  const answers = recordDeliveredAnswers();
  const judge = createJudge(answers);
  const rules = readShippedRules();
  const random = randomFrom(`season/${seed}`);
  const offset = random();
  const count = { checks: 0, pages: 0, polls: 0, starts: 0, connections: 0, clockSteps: 0, rougeMornings: 0 };
  const missedRouge = new Set<IsoDate>();
  const leaked: number[][] = [];
  const mishaps = createMishaps(planMishaps(seed, begin, begin + length * DAY), clock.now);
  const { complain, counts, sentences } = createTally(clock.now);
  let boundaries = createBoundaries(begin);
  let store = createMemoryStore(emptyState("season"));
  let writes = 0;
  let run: VigieRun | undefined;
  let will = NEVER;
  let save = begin;
  let renderAt = setting.page ? begin : NEVER;
  let measureAt = heap ? begin + heap.every : NEVER;
  let checked = { at: begin, messages: 0, mishaps: 0 };
  /** When the clock was set, until vigie has noticed. */
  let stepped = NEVER;
  /** When vigie had a reason to ask for the time last, and by when it should know it. */
  let asking = begin;
  let timeKnownBy = NEVER;
  /** When the service failed last. */
  let failed = begin;
  /** The skews by which the topics on the broker were written. */
  let written: number[] = [0];

  const polls = () => count.polls + (run?.polls() ?? 0);
  const onAnswer = (answer: Answer) => {
    const wrongColors = colorsIn(answer).filter(
      ([date, color]) => color !== colorOfService(date, clock.now()),
    );
    complain(
      "colour",
      wrongColors.map(([date, color]) => `${color} was read of ${date}`),
    );
    machine.answerCame();
    answers.record(answer, clock.now());
  };
  const colorOfService = (date: IsoDate, at: Instant) =>
    officialColor(date, at, service.world) ?? forecastFor(date, at, service.world).color;
  const expectTime = () => {
    asking = clock.now();
    timeKnownBy = asking + TIME_KNOWN_WITHIN;
  };
  const startRun = () => {
    writes += store.writes();
    store = createMemoryStore(parseState(serialiseState(store.state())));
    // An older vigie kept this.
    broker.put({ topic: "former/color", payload: "rouge", retain: true });
    machine.restart();
    expectTime();
    const { transport } = service;
    const { want, sendAgain } = publisher;
    const parts = { store, rules, transport, random, offset, pace, want, sendAgain, onAnswer };
    run = startVigieRun({ ...parts, clock: machine });
    count.starts += 1;
    will = NEVER;
  };
  const killRun = () => {
    complain("orphan", publisher.orphans() ?? []);
    count.polls = polls();
    run?.kill();
    run = undefined;
    stepped = NEVER;
    publisher.lose();
    will = clock.now() + GRACE;
  };
  const setClock = (skew: number) => {
    count.clockSteps += 1;
    if (run) {
      stepped = clock.now();
      run.watchClock(() => {
        stepped = NEVER;
      });
    }
    machine.set(skew);
    expectTime();
    boundaries = createBoundaries(machine.now());
  };
  const applyMishaps = () => {
    const { faults, kinds, skew } = mishaps.now();
    if (service.faults.get().some(isFailure)) failed = clock.now();
    service.faults.set(faults);
    const alive = !kinds.has("vigie") && !kinds.has("power-cut");
    if (run && !alive) killRun();
    if (kinds.has("power-cut")) broker.revert();
    if (skew !== machine.skew()) setClock(skew);
    if (!run && alive) startRun();
    if (kinds.has("broker-wiped")) broker.wipe();
    const reachable = !kinds.has("broker") && !kinds.has("broker-wiped");
    if (publisher.isConnected() && !reachable) publisher.lose();
    if (!publisher.isConnected() && reachable && run) {
      publisher.connect();
      count.connections += 1;
    }
  };
  const judgeRunning = (isBoundary: boolean) => {
    const mayShow = machine.mayShow();
    const wrong = judge(broker.get, machine.now());
    const wrongRules = judgeRules(answers, broker.get, machine.now());
    const notUnknown = mayShow === "all" ? [] : judgeTopicsOfWrongClock(broker.get);
    if (mayShow === "all") {
      complain(isBoundary ? "boundary" : "colour", wrong);
      complain(isBoundary ? "boundary" : "rule", wrongRules);
      for (const date of findMissedRouge(broker.get, machine.now(), answers)) missedRouge.add(date);
    } else if (mayShow === "nothing" || wrong.length + wrongRules.length > 0) complain("clock", notUnknown);
    if (mayShow === "either" && shouldKnowTime())
      complain("clock", ["vigie has not learnt the time since it was set"]);
    complain("orphan", publisher.orphans() ?? []);
  };
  const shouldKnowTime = () =>
    !service.faults.get().some(isFailure) &&
    clock.now() >=
      Math.max(asking + TIME_KNOWN_WITHIN, failed + LONGEST_PAUSE + pace.every + TIME_KNOWN_WITHIN);
  const check = (isBoundary: boolean) => {
    if (stepped !== NEVER) {
      if (clock.now() > stepped + NOTICED_WITHIN) complain("clock", ["vigie did not notice that it was set"]);
      return;
    }
    count.checks += 1;
    if (run && publisher.isConnected()) {
      judgeRunning(isBoundary);
      written = [machine.skew()];
    } else if (run) written = [...new Set([...written, machine.skew()])];
    else {
      const instants = [0, ...written].map((skew) => clock.now() + skew);
      complain("colour", judgeTopicsLeft(broker.get, instants, GRACE, answers.allowedColors));
    }
  };
  /** Whenever something was sent or went wrong, at the boundaries, and now and then for what may have expired. */
  const isWorthChecking = (isBoundary: boolean) => {
    const now = clock.now();
    const isDue = isBoundary || now >= timeKnownBy;
    if (now >= timeKnownBy) timeKnownBy = NEVER;
    const happened = broker.messages() !== checked.messages || mishaps.passed() !== checked.mishaps;
    if (!happened && !isDue && now - checked.at < CHECKED_EVERY) return false;
    checked = { at: now, messages: broker.messages(), mishaps: mishaps.passed() };
    return true;
  };
  const step = async () => {
    const boundary = Math.max(boundaries.due() - machine.skew(), clock.now());
    const next = Math.min(boundary, time.due(), mishaps.due(), will, save, renderAt, measureAt, timeKnownBy);
    const polled = polls();
    time.advance(next);
    if (next >= mishaps.due()) applyMishaps();
    if (next >= will) {
      publisher.will();
      will = NEVER;
    }
    if (next >= save) {
      broker.save();
      save += SAVED_EVERY;
    }
    if (next >= renderAt) {
      renderAt += PAGE_RENDERED_EVERY;
      if (run?.page().includes("</html>")) count.pages += 1;
    }
    await time.settle();
    if (leak > 0 && polls() > polled) leaked.push(new Array(Math.ceil(leak / 8)).fill(0.5));
    if (heap && next >= measureAt) {
      heap.watch.measure(polls());
      measureAt += heap.every;
    }
    const isBoundary = machine.now() >= boundaries.due();
    if (isWorthChecking(isBoundary)) check(isBoundary);
    if (isBoundary) {
      if (broker.get("rouge_now") === "ON" && boundaries.isDayStart()) count.rougeMornings += 1;
      boundaries.pass();
    }
  };
  applyMishaps();
  const outcome = (): SeasonOutcome => ({
    ...count,
    wrong: sentences,
    wrongs: counts,
    missedRouge: missedRouge.size,
    polls: polls(),
    heapGrowth: heap?.watch.growth() ?? null,
    met: service.met(),
    requests: service.requests(),
    messages: broker.messages(),
    writes: writes + store.writes(),
  });
  return { step, outcome, wrong: sentences };
}

/** A service that corrects itself answers as well as ever. */
function isFailure(fault: FaultName): boolean {
  return fault !== "revised";
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
