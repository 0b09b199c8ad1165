import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import { compareBooks, type Notice } from "../core/days/day-events.ts";
import { type Book, newestInstant } from "../core/days/known-days.ts";
import { remember } from "../core/days/learn.ts";
import { type ClockEvidence, checkClock } from "../core/facts/check-clock.ts";
import type { Known, PollRecord } from "../core/facts/facts.ts";
import {
  isShownAlike,
  type RoundOutcome,
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
  book: Book;
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
  notice: (notice: Notice) => void;
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
  poll: (ways: PollWays) => Promise<RoundOutcome>;
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
  let isInformed = Object.keys(memory.book.days).length > 0;
  const watch = watchClock(options);
  let polls = startRecord(watch.time(memory.book).at, memory.book, options.simulated);

  const look = () => see(options, { book: memory.book, polls, clock: watch.time(memory.book) }, isInformed);
  let latest: Seen | undefined;
  const refresh = () => {
    latest = look();
    options.want(wantedTopics(latest, options));
    if (isInformed) options.outputs.follow(latest);
  };
  const renew = () => {
    const { known, due } = latest ?? look();
    const same = latest && memory.book === known.book && isShownAlike(polls, known.polls);
    if (!(same && known.clock.right && watch.time(memory.book).right && clock.now() < due)) refresh();
  };
  const take = ({ answer, date }: Said) => {
    watch.hear(date);
    const { at } = watch.time(memory.book);
    const before = memory.book;
    memory = learn(memory, answer, at, tariff);
    for (const notice of compareBooks(before, memory.book, at, tariff)) options.notice(notice);
    polls = recordAnswer(polls, { answer, at, before, after: memory.book });
    options.keep(memory);
    renew();
    return before;
  };
  const poll = async (ways: PollWays) => {
    const input = (): AgendaInput => {
      const now = watch.time(memory.book).at;
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

function learn({ book, asked }: Memory, answer: Answer, at: Instant, tariff: Tariff): Memory {
  return { book: remember(book, [answer], at, tariff), asked: markAsked(asked, answer, at, tariff) };
}

/** Holds this machine's clock against the service's, and against what is known to have passed. */
function watchClock({ clock, check_clock }: Pick<CycleOptions, "clock" | "check_clock">) {
  let answer: ClockEvidence["answer"] = null;
  let newest: { of: Book; is: Instant | null } | undefined;
  const newestOf = (book: Book) => {
    if (newest?.of !== book) newest = { of: book, is: newestInstant(book) };
    return newest.is;
  };
  return {
    hear: (date: Instant | null) => {
      if (date !== null) answer = { date, now: clock.now(), steady: clock.steady() };
    },
    time: (book: Book): Known["clock"] => {
      const now = clock.now();
      if (check_clock === "off") return { at: now, right: true };
      return checkClock(now, clock.steady(), { answer, newest: newestOf(book) });
    },
  };
}

function oneAtATime(poll: Cycle["poll"]): Cycle["poll"] {
  let running: Promise<RoundOutcome> | null = null;
  return (options) => {
    running ??= poll(options).finally(() => {
      running = null;
    });
    return running;
  };
}
