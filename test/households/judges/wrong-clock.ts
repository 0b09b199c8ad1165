import { DAY, HOUR, MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type SourceName, type Trace, type TraceEvent } from "../trace.ts";
import type { House } from "./house.ts";
import type { Finding, Judge } from "./judge.ts";
import { BASE } from "./topics.ts";
import { readMade } from "./truth/known-days.ts";
import { type Life, readLife } from "./truth/read-life.ts";

export const clockJudges: readonly Judge[] = [
  { name: "wrong clock", find: findShown },
  { name: "reason of a wrong clock", find: findReasons },
];

/** Nothing of the moment is shown while the clock is known to be wrong. */
function findShown(trace: Trace): Finding[] {
  const life = readLife(trace);
  const times = stretchesOf(trace, life).flatMap((stretch) => [
    ...byStateFile(stretch, trace),
    ...byOneAnswer(stretch),
    ...byTwoSources(stretch),
  ]);
  return times.flatMap(({ from, until, why }) => {
    const begin = from + SETTLED;
    if (until <= begin) return [];
    return [begin, (begin + until) / 2, until].flatMap((steady) =>
      topicsOfTheMoment(life, steady).map((topic) => judgeShown(life, topic, steady, why)),
    );
  });
}

function judgeShown(life: Life, topic: string, steady: number, why: string): Finding {
  const isReady = life.isReady.at(steady) && life.isReady.at(steady - SETTLED);
  const held = life.held(`${BASE}/${topic}`).at(steady);
  if (!isReady || life.slowUntil.at(steady) > steady - SETTLED || held?.byVigie === false) return "skipped";
  if (!held || held.until <= steady || held.payload === "None") return "right";
  return { at: steady, sentence: `${why}, and ${topic} is ${held.payload}` };
}

/** Some of them. */
function topicsOfTheMoment(life: Life, steady: number): string[] {
  const rules = life.house.at(steady)?.rules ?? [];
  return [...OF_THE_MOMENT, ...rules.map(({ id }) => `rules/${id}/state`)];
}

const OF_THE_MOMENT = [
  "now/color",
  "now/date",
  "now/period",
  "now/rate",
  "next/color",
  "today/color",
  "tomorrow/official",
  "rouge_now",
  "offpeak",
];

interface WrongTime {
  from: number;
  until: number;
  /** How vigie knows that the clock is wrong. */
  why: string;
}

/** vigie runs with one configuration, and its clock is not set. */
interface Stretch {
  from: number;
  to: number;
  begins: TraceEvent;
  house: House;
  /** Milliseconds by which the clock is behind. */
  behind: number;
  answers: Answer[];
  /** When the newest answer came that vigie knew then, in its memory or from the state file; null: perhaps it knew none. */
  newest: number | null;
}

interface Answer {
  steady: number;
  source: SourceName;
  /** It says what the true time is, and vigie can read it. */
  isPlain: boolean;
}

function stretchesOf(trace: Trace, life: Life): Stretch[] {
  const found: Stretch[] = [];
  const newestAt = followNewest(life);
  let skew = 0;
  let stretch: Stretch | null = null;
  const end = (steady: number) => {
    if (stretch) found.push({ ...stretch, to: steady - 1 });
    stretch = null;
  };
  for (const event of trace.events) {
    const { steady } = event;
    const newest = newestAt(event);
    if (isChange(event) || Math.abs(life.skew.at(steady) - skew) > 1) {
      end(steady);
      skew = life.skew.at(steady);
      const house = life.house.at(steady);
      if (house && !house.isSpecial)
        stretch = { from: steady, to: steady, begins: event, house, behind: -skew, answers: [], newest };
    } else if (isKind(event, "answer"))
      stretch?.answers.push({ steady, source: event.source, isPlain: isPlain(event, trace) });
  }
  end(life.end);
  return found;
}

/** After each event: when the newest answer came that vigie knows. */
function followNewest(life: Life): (event: TraceEvent) => number | null {
  let known: number | null = null;
  let writing: number | null = null;
  let saved: number | null = null;
  return (event) => {
    const { steady } = event;
    const house = life.house.at(steady);
    // The days of a house with a service are those that it knows.
    const counts = isKind(event, "answer") && event.source === (house?.hasService ? "service" : "rte");
    if (counts && event.status === 200 && life.skew.at(steady) === 0) known = steady;
    if (isKind(event, "write")) {
      // What an answer said is in the saves after it.
      if (event.outcome === "begun" && known !== null && steady - known > SECOND) writing = known;
      if (event.outcome === "done") saved = writing;
    }
    if (isKind(event, "state file")) saved = null;
    if (isKind(event, "start")) {
      known = saved;
      writing = saved;
    }
    return known;
  };
}

/** Its days are newer than the clock, and no source has answered yet. */
function byStateFile({ from, to, begins, behind, answers, newest }: Stretch, { began }: Trace): WrongTime[] {
  if (newest === null || !isKind(begins, "start", "jump", "reload")) return [];
  // An official colour may have been said last the day before.
  if (from - behind > newest - 2 * DAY) return [];
  const until = Math.min(to, answers[0]?.steady ?? to);
  const time = new Date(began + newest).toISOString();
  return [{ from, until, why: `the clock is ${hours(behind)} h behind, and vigie has an answer of ${time}` }];
}

/** It is wrong by more than an hour. */
function byOneAnswer(stretch: Stretch): WrongTime[] {
  const { begins, behind, answers } = stretch;
  const [first] = answers;
  if (!first?.isPlain || Math.abs(behind) < 65 * MINUTE || !isKind(begins, "start", "jump")) return [];
  const [run] = plainRuns(stretch);
  const until = Math.min(run!.end, run!.answers.at(-1)!.steady + COUNTS);
  return [
    { from: first.steady, until, why: `a source has said that the clock is ${hours(behind)} h behind` },
  ];
}

/** Two different hosts are asked, and both have said it twice. */
function byTwoSources(stretch: Stretch): WrongTime[] {
  const { behind, house } = stretch;
  if (!house.hasService || !house.hasRte) return [];
  if (behind <= 5 * MINUTE + 5 * SECOND || behind >= 65 * MINUTE) return [];
  return plainRuns(stretch).flatMap(({ answers, end }): WrongTime[] => {
    const said = (["service", "rte"] as const).map((name) => answers.filter(({ source }) => source === name));
    const second = said.flatMap((list) => list[1]?.steady ?? []);
    if (second.length < 2) return [];
    const last = said.flatMap((list) => list.slice(-2)).map(({ steady }) => steady + COUNTS);
    const why = `both sources have said twice that the clock is ${hours(behind)} h behind`;
    return [{ from: Math.max(...second), until: Math.min(end, ...last), why }];
  });
}

/** Plain answers, until one came that is not. */
function plainRuns({ answers, to }: Stretch): { answers: Answer[]; end: number }[] {
  const runs: { answers: Answer[]; end: number }[] = [{ answers: [], end: to }];
  for (const answer of answers) {
    if (answer.isPlain) runs.at(-1)!.answers.push(answer);
    else {
      runs.at(-1)!.end = answer.steady - 1;
      runs.push({ answers: [], end: to });
    }
  }
  return runs;
}

/** The log and `/health` name what vigie knows the true time by: the sources only if one has answered since the start. */
function findReasons(trace: Trace): Finding[] {
  let hasAnswered = false;
  return trace.events.flatMap((event): Finding[] => {
    if (isKind(event, "start")) hasAnswered = false;
    if (isKind(event, "answer")) hasAnswered = true;
    const text = reasonIn(event);
    if (text === undefined) return [];
    if (!hasAnswered && /by (its|the) sources/.test(text))
      return [
        { at: event.steady, sentence: `no source has answered since the start, and vigie says: ${text}` },
      ];
    return ["right"];
  });
}

function reasonIn(event: TraceEvent): string | undefined {
  if (isKind(event, "log"))
    return event.sentence.startsWith("The clock of this machine is wrong: ") ? event.sentence : undefined;
  if (!isKind(event, "quiet")) return undefined;
  const [words] = /clock wrong: .*/.exec(event.views?.health ?? "") ?? [];
  return words;
}

function isChange(event: TraceEvent): boolean {
  return isKind(event, "start", "reload", "stop", "kill", "crash", "suspend", "resume", "jump");
}

function isPlain(event: EventOf<"answer">, { began }: Trace): boolean {
  const { headers, body, status, steady } = event;
  const isRead = (status === 200 || status === 304) && isWhole(body) && !/violet|null/.test(body);
  return isRead && readMade(headers, began + steady).isPlain;
}

/** JSON in which no field is missing that a household's sources usually have. */
function isWhole(text: string): boolean {
  try {
    const given = JSON.parse(text);
    const days = [given, given.today, given.tomorrow, given.forecast].flat();
    const isOfForecasts = ["updated_at", "today", "tomorrow", "forecast"].some((name) => name in given);
    const isEachThere = isOfForecasts
      ? ["updated_at", "today", "tomorrow", "forecast"].every((name) => name in given)
      : true;
    return isEachThere && days.every((day) => hasBoth(day, "date", "color"));
  } catch {
    return false;
  }
}

function hasBoth(given: unknown, one: string, other: string): boolean {
  return typeof given !== "object" || given === null || one in given === other in given;
}

function hours(milliseconds: number): string {
  return (milliseconds / HOUR).toFixed(1);
}

/** How long vigie may take to show what is so: it compares its clocks each 15 s. */
const SETTLED = 20_000;
/** How long an answer tells the time. */
const COUNTS = 2 * HOUR - MINUTE;
