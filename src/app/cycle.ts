import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import { type DayEvent, findDayEvents } from "../core/days/day-events.ts";
import { type KnownDays, newestInstant } from "../core/days/known-days.ts";
import { learn } from "../core/days/learn.ts";
import { type ClockEvidence, checkClock } from "../core/facts/check-clock.ts";
import type { FactsInput, PollRecord } from "../core/facts/facts.ts";
import {
  isShownAlike,
  type PollOutcome,
  recordAnswer,
  recordOutcome,
  startRecord,
} from "../core/facts/poll-record.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import { askRound } from "../service/ask-round.ts";
import {
  type AgendaInput,
  type Asked,
  markAsked,
  planAgenda,
  planFollowUps,
} from "../service/plan-requests.ts";
import { type SeeingOptions, type Seen, see, wantedTopics } from "./seen.ts";

/** What the cycle keeps between two polls. */
export interface Memory {
  knownDays: KnownDays;
  asked: Asked;
}

export interface CycleOptions extends SeeingOptions {
  check_clock: "auto" | "off";
  simulated: boolean;
  memory: Memory;
  clock: Clock;
  ask: (request: Request, options: PollOptions) => Promise<Said>;
  /** Whether the date endpoint is known never to say what is official. */
  officialSilent: (now: Instant) => boolean;
  want: (topics: Topics) => void;
  keep: (memory: Memory) => void;
  notice: (notice: DayEvent) => void;
}

/** An answer, and the service's clock when it gave it. */
interface Said {
  answer: Answer;
  date: Instant | null;
}

interface PollWays extends PollOptions {
  /** Ask what is final once more. */
  confirm: boolean;
}

export interface PollOptions {
  signal: AbortSignal;
  /** Asked even when the day's budget is spent. */
  essential: boolean;
}

export interface Cycle {
  /** Asks the service what is due, remembers each answer as it comes; never two at once. */
  poll: (ways: PollWays) => Promise<PollOutcome>;
  /** Derives what is true now from what is remembered, and wants it on the broker. */
  refresh: () => void;
  /** What the last refresh saw. */
  seen: () => Seen;
  /** How the polls went so far, whatever of it is shown. */
  polls: () => PollRecord;
}

export function createCycle(options: CycleOptions): Cycle {
  const { tariff, clock } = options;
  let memory = options.memory;
  // Before the first poll ever nothing is known: no device is told of that, and what follows is no turn of a rule.
  let isInformed = Object.keys(memory.knownDays.days).length > 0;
  const watch = watchClock(options);
  let polls = startRecord(watch.time(memory.knownDays).at, memory.knownDays, options.simulated);

  const look = () =>
    see(options, { knownDays: memory.knownDays, polls, clock: watch.time(memory.knownDays) }, isInformed);
  let latest: Seen | undefined;
  const refresh = () => {
    latest = look();
    options.want(wantedTopics(latest, options));
    if (isInformed) options.outputs.follow(latest);
  };
  const renew = () => {
    const { known, due } = latest ?? look();
    const same = latest && memory.knownDays === known.knownDays && isShownAlike(polls, known.polls);
    if (!(same && known.clock.right && watch.time(memory.knownDays).right && clock.now() < due)) refresh();
  };
  const take = ({ answer, date }: Said) => {
    watch.hear(date);
    const { at } = watch.time(memory.knownDays);
    const before = memory.knownDays;
    memory = learnAnswer(memory, answer, at, tariff);
    for (const notice of findDayEvents(before, memory.knownDays, at, tariff)) options.notice(notice);
    polls = recordAnswer(polls, { answer, at, before, after: memory.knownDays });
    options.keep(memory);
    renew();
    return before;
  };
  const poll = async (ways: PollWays) => {
    const input = (): AgendaInput => {
      const now = watch.time(memory.knownDays).at;
      return { ...memory, tariff, now, officialSilent: options.officialSilent(now), confirm: ways.confirm };
    };
    const outcome = await askRound(ways.signal, planAgenda(input()), async (request, signal) => {
      const said = await options.ask(request, { ...ways, signal });
      return planFollowUps(said.answer, take(said), input());
    });
    if (ways.signal.aborted) return outcome;
    polls = recordOutcome(polls, outcome);
    const isFirst = !isInformed;
    isInformed = true;
    if (isFirst) refresh();
    else renew();
    return outcome;
  };
  return { poll: oneAtATime(poll), refresh, seen: () => latest ?? look(), polls: () => polls };
}

function learnAnswer({ knownDays, asked }: Memory, answer: Answer, at: Instant, tariff: Tariff): Memory {
  return { knownDays: learn(knownDays, answer, at, tariff), asked: markAsked(asked, answer, at, tariff) };
}

/** Holds this machine's clock against the service's, and against what is known to have passed. */
function watchClock({ clock, check_clock }: Pick<CycleOptions, "clock" | "check_clock">) {
  let answer: ClockEvidence["answer"] = null;
  let newest: { of: KnownDays; is: Instant | null } | undefined;
  const newestOf = (knownDays: KnownDays) => {
    if (newest?.of !== knownDays) newest = { of: knownDays, is: newestInstant(knownDays) };
    return newest.is;
  };
  return {
    hear: (date: Instant | null) => {
      if (date !== null) answer = { date, now: clock.now(), steady: clock.steady() };
    },
    time: (knownDays: KnownDays): FactsInput["clock"] => {
      const now = clock.now();
      if (check_clock === "off") return { at: now, right: true };
      return checkClock(now, clock.steady(), { answer, newest: newestOf(knownDays) });
    },
  };
}

function oneAtATime(poll: Cycle["poll"]): Cycle["poll"] {
  let running: Promise<PollOutcome> | null = null;
  return (options) => {
    running ??= poll(options).finally(() => {
      running = null;
    });
    return running;
  };
}
