import {
  addDays,
  type Color,
  DAY_WORDS,
  dateOf,
  instantsOf,
  MINUTE,
  type Period,
  possibleColors,
  wallClock,
} from "../calendar.ts";
import type { Trace, TraceEvent } from "../trace.ts";
import { chainOf, type House, type RuleText } from "./house.ts";
import type { Finding, Judge, Wrong } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE } from "./topics.ts";
import { type Moment, shownFacts, turnsOf, verdictOf } from "./truth/conditions.ts";
import { testValue } from "./truth/house-values.ts";
import { type DayFact, withForecasts } from "./truth/known-days.ts";
import { nextPeriodChange, periodAt } from "./truth/off-peak.ts";
import { ANY, either, type Possible, saidBy, truthsOf } from "./truth/possible.ts";
import { type Held, type Life, type Memory, readLife } from "./truth/read-life.ts";
import { isRunning, type Settings } from "./truth/settings.ts";
import { usesValues } from "./value-rules.ts";

/**
 * From the answers that vigie was given, the values of the house, the commands and the clock to what is true: at sampled
 * instants it works out what each day may be shown as and what each rule may say, and compares that with what the broker
 * holds. Where the documents or the trace leave something open, all of it is right; for 12 s after something happened, so is
 * what was right before.
 */
export const truthJudges: readonly Judge[] = [
  { name: "truth", find: judgeAll(judgeShown) },
  { name: "no topic is missing", find: judgeAll(judgeMissing) },
  { name: "no lie", find: judgeAll(judgeLeft) },
];

function judgeAll(judgeAt: (life: Life, trace: Trace, steady: number) => Finding[]): Judge["find"] {
  return function* (trace) {
    const life = readLife(trace);
    for (const steady of instantsToJudge(trace)) yield* judgeAt(life, trace, steady);
  };
}

/** vigie runs and is connected: each topic holds what is so. */
function judgeShown(life: Life, trace: Trace, steady: number): Finding[] {
  const from = steady - SETTLED;
  const house = settledHouse(life, steady);
  if (house === null) return [];
  if (house === "skipped") return ["skipped"];
  const isDoubted = life.doubtUntil.at(steady) > steady;
  const looks = instantsBetween(life, trace, house, from, steady).map((instant) =>
    lookAt({ life, trace, house, steady: instant, memory: life.memory.at(instant) }),
  );
  return topicsOf(house).map((topic): Finding => {
    const held = life.held(topic.inFull).at(steady);
    // The next judge says that it is missing.
    if (!held || (!held.byVigie && held.since > from)) return "skipped";
    const payload = held.until > steady ? held.payload : "nothing";
    if (isDoubted && payload === "None") return "skipped";
    const wanted = allowedBy(topic, looks);
    if (!wanted) return "skipped";
    if (wanted.has(payload)) return "right";
    const sentence = `${topic.name} is ${payload}, and ${[...wanted].join(" or ")} is right`;
    return wrong(trace, life, steady, sentence);
  });
}

/** vigie runs and is connected: each topic is there. */
function judgeMissing(life: Life, trace: Trace, steady: number): Finding[] {
  const house = settledHouse(life, steady);
  if (house === null) return [];
  if (house === "skipped") return ["skipped"];
  return topicsOf(house).map((topic): Finding => {
    const history = life.held(topic.inFull);
    if (history.at(steady)) return "right";
    // Somebody has cleared it just now.
    if (history.changes(steady - SETTLED, steady).length > 0) return "skipped";
    return wrong(trace, life, steady, `nothing is retained on ${topic.name}`);
  });
}

/** The house, if what is shown can be judged by its configuration, too. */
function settledHouse(life: Life, steady: number): House | "skipped" | null {
  const house = houseAtRest(life, steady);
  return house === null || house === "skipped" || !house.isSpecial ? house : "skipped";
}

/** vigie runs and is connected, and all is shown by now; null: it is away; skipped: something has just happened. */
export function houseAtRest(life: Life, steady: number): House | "skipped" | null {
  const from = steady - SETTLED;
  const house = life.house.at(steady);
  if (!house || !life.isReady.at(steady)) return null;
  const isSettled =
    life.isReady.at(from) &&
    life.isReady.changes(from, steady).length === 0 &&
    life.skew.changes(from, steady).length === 0 &&
    life.slowUntil.at(steady) < steady &&
    Math.abs(life.skew.at(steady)) < WRONG_CLOCK;
  return isSettled ? house : "skipped";
}

/** What one of these looks allows; null: not judged, as a look says so, or as each payload would be right. */
function allowedBy(topic: TopicBelow, looks: readonly Look[]): ReadonlySet<string> | null {
  const wanted = new Set<string>();
  for (const look of looks) {
    const allowed = topic.allowed(look);
    if (allowed === null) return null;
    for (const one of allowed) wanted.add(one);
  }
  return ANYTHING.every((payload) => wanted.has(payload)) ? null : wanted;
}

/** vigie is gone or not connected: what the broker still holds is no lie. */
function judgeLeft(life: Life, trace: Trace, steady: number): Finding[] {
  const house = life.house.at(steady);
  if (!house || life.isReady.at(steady) || !life.isBrokerUp.at(steady)) return [];
  const isMqtt5 = life.version.at(steady) === 5;
  if (house.isSpecial || !isMqtt5 || life.skew.changes(0, steady).length > 0) return ["skipped"];
  const looksBack = createLooksBack(life, trace, steady);
  return topicsOf(house).flatMap(({ name, inFull }): Finding[] => {
    const held = life.held(inFull).at(steady);
    if (!held?.byVigie) return [];
    if (held.until <= steady || held.payload === "None") return ["right"];
    const wanted = allowedAsSent(life, { name, held }, looksBack);
    if (!wanted) return ["skipped"];
    if (wanted.has(held.payload)) return ["right"];
    const sentence = `vigie is away, and ${name} still holds ${held.payload}; ${[...wanted].join(" or ")} is right`;
    return [wrong(trace, life, steady, sentence)];
  });
}

/**
 * What was true by what vigie knew as it sent this, at an instant that is not longer ago than the grace; null: not judged. It
 * was sent with the configuration of then: a rule that was edited since is another one.
 */
function allowedAsSent(
  life: Life,
  { name, held }: { name: string; held: Held },
  looksBack: (house: House, memory: Memory) => readonly Look[],
): ReadonlySet<string> | null {
  const memories = new Set(
    [held.since - SETTLED, held.since, held.since + SETTLED].map((one) => life.memory.at(one)),
  );
  const wanted = new Set<string>();
  for (const house of new Set([life.house.at(held.since - SETTLED), life.house.at(held.since)])) {
    const topic = house && topicsOf(house).find((one) => one.name === name);
    if (!topic) continue;
    if (house.isSpecial || !topic.outlives) return null;
    const allowed = allowedBy(
      topic,
      [...memories].flatMap((memory) => looksBack(house, memory)),
    );
    if (allowed === null) return null;
    for (const one of allowed) wanted.add(one);
  }
  return wanted.size > 0 ? wanted : null;
}

/** Looks at the instants that are not longer ago than the grace. They are the same for each topic. */
function createLooksBack(life: Life, trace: Trace, steady: number) {
  const found = new Map<House, Map<Memory, readonly Look[]>>();
  return (house: House, memory: Memory): readonly Look[] => {
    const ofHouse = found.get(house) ?? new Map<Memory, readonly Look[]>();
    found.set(house, ofHouse);
    const looks = ofHouse.get(memory) ?? findLooksBack();
    ofHouse.set(memory, looks);
    return looks;

    function findLooksBack(): Look[] {
      const from = steady - house.grace - SETTLED;
      const instants = new Set([from, steady, ...clockEdges(life, trace, house, from, steady)]);
      return [...instants]
        .filter((one) => one >= from)
        .map((instant) => lookAt({ life, trace, house, steady: instant, memory, isAway: true }));
    }
  };
}

function wrong(trace: Trace, life: Life, steady: number, sentence: string): Wrong {
  return { at: steady, sentence: `${new Date(clockAt(trace, life, steady)).toISOString()}: ${sentence}` };
}

interface Place {
  life: Life;
  trace: Trace;
  house: House;
  steady: number;
  memory: Memory;
  /** vigie is away: no rule's verdict is published any more. */
  isAway?: true;
}

interface Look extends Place {
  moment: Moment;
  /** What the days may be shown as, by their names, so that each is worked out once. */
  facts: Map<string, readonly DayFact[]>;
}

function lookAt(place: Place): Look {
  return { ...place, moment: momentOf(place, place.steady), facts: new Map() };
}

interface Topic extends TopicBelow {
  inFull: string;
}

interface TopicBelow {
  /** Below the base topic. */
  name: string;
  /** What it may hold; null: not judged. */
  allowed: (look: Look) => Iterable<string> | null;
  /** It is also judged while vigie is away. */
  outlives: boolean;
}

const topicsOf = onceForEach((house: House): readonly Topic[] =>
  [
    ...DAY_WORDS.flatMap(topicsOfDay),
    ...TOPICS_OF_NOW,
    ...house.rules.map((rule) => topicOfRule(rule, house)),
  ].map((topic) => ({ ...topic, inFull: `${BASE}/${topic.name}` })),
);

const stateTopicOf = onceForEach(({ id }: RuleText) => `${BASE}/rules/${id}/state`);

function topicsOfDay(day: string): TopicBelow[] {
  const topic = (part: string, read: (fact: DayFact) => string[] | null): TopicBelow => ({
    name: `${day}/${part}`,
    allowed: (look) => allowedOf(factsAt(look, day), read),
    outlives: true,
  });
  return [
    {
      name: `${day}/date`,
      allowed: (look) => new Set([dateIn(look, day)]),
      outlives: true,
    },
    topic("color", ({ color, isUnlawful }) => (isUnlawful ? null : [color ?? "None"])),
    topic("official", (fact) => {
      if (fact.isPretended || fact.isUnlawful) return null;
      return fact.color === null ? ["OFF", "None"] : [fact.official ? "ON" : "OFF"];
    }),
    topic("stage", ({ stage, isPretended, isUnlawful }) =>
      isPretended || isUnlawful ? null : [stage ?? "None"],
    ),
    topic("confidence", (fact) => {
      if (fact.isPretended || fact.isUnlawful || fact.official) return null;
      return [fact.confidence === null ? "None" : String(Math.round(fact.confidence))];
    }),
  ];
}

const TOPICS_OF_NOW: TopicBelow[] = [
  ...["now", "next", "today", "tomorrow"].map(
    (day): TopicBelow => ({
      name: `rouge_${day}`,
      allowed: (look) =>
        allowedOf(factsAt(look, day), (fact) => isRouge(fact, dateIn(look, day), look.house)),
      outlives: true,
    }),
  ),
  {
    name: "rouge_hp_now",
    allowed: (look) => {
      const isPeak = periodOf(look) === "hp";
      return allowedOf(factsAt(look, "now"), (fact) => {
        if (isPeak) return isRouge(fact, dateIn(look, "now"), look.house);
        return fact.color === null ? ["OFF", "None"] : ["OFF"];
      });
    },
    outlives: true,
  },
  {
    name: "offpeak",
    allowed: (look) => new Set([periodOf(look) === "hc" ? "ON" : "OFF"]),
    outlives: true,
  },
  {
    name: "simulation/color",
    allowed: (look) =>
      new Set(
        look.moment.settings.simulation.map((one) =>
          one && isRunning(one, clockOf(look), look.house) ? one.color : "auto",
        ),
      ),
    // It does not expire: what a vigie that is gone pretended, nothing ends.
    outlives: false,
  },
  {
    name: "now/period_until",
    allowed: (look) => {
      const change = nextPeriodChange(clockOf(look), look.house);
      return new Set([change === null ? "None" : new Date(change).toISOString().replace(".000Z", "Z")]);
    },
    outlives: true,
  },
  { name: "now/period", allowed: (look) => new Set([periodOf(look)]), outlives: true },
  {
    name: "now/slot",
    allowed: (look) =>
      allowedOf(factsAt(look, "now"), ({ color, isUnlawful }) =>
        isUnlawful ? null : [color === null ? "None" : `${color}_${periodOf(look)}`],
      ),
    outlives: true,
  },
];

/** Whether an unknown day that the laws exclude is OFF or None is not said. */
function isRouge({ color, isUnlawful }: DayFact, date: string, house: House): string[] | null {
  if (isUnlawful) return null;
  if (color === null)
    return possibleColors(date, house).includes("rouge" satisfies Color) ? ["None"] : ["None", "OFF"];
  return [color === "rouge" ? "ON" : "OFF"];
}

function factsAt(look: Look, day: string): readonly DayFact[] {
  const at = clockOf(look);
  const found = look.facts.get(day) ?? shownFacts(look.moment, dateIn(look, day), at);
  look.facts.set(day, found);
  return found;
}

function allowedOf(
  facts: readonly DayFact[],
  read: (fact: DayFact) => string[] | null,
): ReadonlySet<string> | null {
  const allowed = new Set<string>();
  for (const fact of facts) {
    const found = read(fact);
    if (found === null) return null;
    for (const one of found) allowed.add(one);
  }
  return allowed;
}

function topicOfRule(rule: RuleText, house: House): TopicBelow {
  const chain = chainOf(rule, house.rules);
  return {
    name: `rules/${rule.id}/state`,
    allowed: (look) => truthsOf(allowedStates(rule, look)),
    outlives: !usesValues(rule, house.rules) && chain.every(({ hold }) => hold === 0),
  };
}

/**
 * Without `hold`: what follows from what is known. With it a forecast or a value may be held that was known at some time
 * within the hold; never what the clock shows, nor what is official.
 */
function allowedStates(rule: RuleText, look: Look): Possible {
  const { life, steady, memory } = look;
  if (rule.hold === 0 || look.isAway) return verdictOf(rule, look.moment);
  const from = steady - rule.hold - heldLonger(rule, look) - SETTLED;
  const instants = [from, ...life.memory.changes(from, steady), steady];
  const books = new Set(instants.map((at) => life.memory.at(at).book.days)).add(memory.book.days);
  // If nothing was learnt in that time, there is nothing to hold.
  const heldFrom = books.size > 1 || usesValues(rule, look.house.rules) ? from : steady;
  let allowed: Possible = 0;
  for (const days of books)
    for (const held of new Set([days, withForecasts(memory.book.days, days)])) {
      if (allowed === ANY) return allowed;
      allowed |= verdictOf(rule, { ...momentOf(look, heldFrom), book: { ...memory.book, days: held } });
    }
  return allowed;
}

/** By so much a hold that began before the clock was set back ends later: at most by itself, else it is forgotten. */
function heldLonger({ hold }: RuleText, { life: { skew }, steady }: Look): number {
  const from = steady - 2 * hold - SETTLED;
  const shown = [from, ...skew.changes(from, steady)].map((at) => skew.at(at) - skew.at(steady));
  return Math.min(hold, Math.max(0, ...shown));
}

/** `heldFrom`: also what values, and other rules that look at them, were from then on. */
function momentOf({ life, trace, house, steady, memory, isAway }: Place, heldFrom: number): Moment {
  const heardFrom = Math.min(heldFrom, steady - SETTLED);
  // A slow broker gets the newest of several turns only: what began a hold may never have been on the topic.
  const isUnseen = heldFrom < steady && life.slowUntil.at(steady) > heldFrom;
  const published = (id: string): Possible | null => {
    if (isUnseen) return null;
    const topic = life.held(`${BASE}/rules/${id}/state`);
    const states = [heldFrom, ...topic.changes(heldFrom, steady)].map((at) => stateOf(topic.at(at), at));
    const now = stateOf(topic.at(steady), steady);
    return now && either(states.map((state) => state ?? now));
  };
  return {
    at: clockAt(trace, life, steady),
    house,
    book: memory.book,
    settings: memory.settings,
    value: (test) => testValue(test, life.heard(test.topic), heardFrom, steady),
    published: isAway ? null : published,
    found: new Map(),
  };
}

function stateOf(held: Held | null, at: number): Possible | null {
  if (!held || held.until <= at) return null;
  return saidBy(held.payload);
}

function dateIn(look: Look, day: string): string {
  return dateOf(day, clockOf(look), look.house)!;
}

function periodOf(look: Look): Period {
  return periodAt(clockOf(look), look.house.offPeak);
}

function clockOf({ moment }: Look): number {
  return moment.at;
}

function clockAt(trace: Trace, life: Life, steady: number): number {
  return trace.began + steady + life.skew.at(steady);
}

/** All instants of this time from which on something else may be right. */
function instantsBetween(life: Life, trace: Trace, house: House, from: number, to: number): number[] {
  const states = house.rules.flatMap((rule) => life.held(stateTopicOf(rule)).changes(from, to));
  const found = [
    from,
    to,
    ...life.memory.changes(from, to),
    ...states,
    ...clockEdges(life, trace, house, from, to),
  ];
  return [...new Set(found.filter((one) => one >= from && one <= to))];
}

/** When the clock, or the end of a setting, may change something; and just before. */
function clockEdges(life: Life, trace: Trace, house: House, from: number, to: number): number[] {
  const shift = trace.began + life.skew.at(to);
  const edges = [
    ...dailyEdges(house, from + shift, to + shift),
    ...house.rules.flatMap((rule) => turnsOf(rule, house, from + shift, to + shift)),
    ...endsOf(life.memory.at(to).settings),
  ];
  return edges
    .map((edge) => edge - shift)
    .filter((edge) => edge >= from && edge <= to)
    .flatMap((edge) => [edge - 1, edge]);
}

function dailyEdges({ offPeak, dayStarts }: House, from: number, to: number): number[] {
  const edges: number[] = [];
  for (let { date } = wallClock(from); date <= wallClock(to).date; date = addDays(date, 1))
    for (const time of [dayStarts, ...offPeak.times]) edges.push(...instantsOf(date, time));
  return edges;
}

export const instantsToJudge = onceForEach(chooseInstants);

/** Around each instant at which the clock may change something, after some of all events, and now and then. */
function chooseInstants(trace: Trace): readonly number[] {
  const { began, events } = trace;
  const life = readLife(trace);
  const chosen: number[] = [];
  for (const house of new Set(life.house.changes(-1, life.end).map((at) => life.house.at(at)))) {
    if (!house) continue;
    const edges = [
      ...dailyEdges(house, began, began + life.end),
      ...house.rules.flatMap((rule) => turnsOf(rule, house, began, began + life.end)),
    ];
    for (const edge of edges) chosen.push(edge - began - 1_000, edge - began + AFTER);
  }
  for (const at of life.memory.changes(-1, life.end))
    for (const end of endsOf(life.memory.at(at).settings))
      chosen.push(end - began - 1_000, end - began + AFTER);
  for (const isTelling of TELLING) {
    const kind = events.filter(isTelling);
    // If several come within the time for which nothing is judged, only the last one.
    const telling = kind.filter(
      (event, index) => (kind[index + 1]?.steady ?? life.end) - event.steady > AFTER,
    );
    const step = Math.max(1, Math.floor(telling.length / MOST_EVENTS));
    for (const [index, event] of telling.entries()) if (index % step === 0) chosen.push(event.steady + AFTER);
  }
  for (const event of events) if (event.kind === "quiet") chosen.push(event.steady);
  for (let at = 7 * MINUTE; at < life.end; at += 17 * MINUTE) chosen.push(at);
  const instants = [...new Set(chosen.filter((one) => one > 0 && one <= life.end))].sort(
    (one, other) => one - other,
  );
  // A season has many: each seventh then, and so on.
  const each = Math.ceil(instants.length / MOST_INSTANTS);
  return instants.filter((_, index) => index % each === 0);
}

/** When settings end by themselves, as the clock shows it. */
function endsOf({ enabled, simulation }: Settings): number[] {
  return [...[...enabled.values()].flat(), ...simulation].flatMap((one) => one?.until ?? []);
}

/** After some of each of these it is looked whether what is shown is right. */
const TELLING: readonly ((event: TraceEvent) => boolean)[] = [
  ({ kind }) => kind === "answer",
  (event) => event.kind === "heard",
  (event) => event.kind === "published" && /^vigie\/rules\/\w+\/state$/.test(event.topic),
  ({ kind }) => kind === "published" || kind === "started" || kind === "resume" || kind === "message",
];
const MOST_EVENTS = 300;
const MOST_INSTANTS = 2_000;
/** All that a rule may be, or a topic that is ON or OFF: if all of these are right, nothing can be wrong. */
const ANYTHING = ["ON", "OFF", "None"];
/** How long vigie may take to show what is so. */
export const SETTLED = 12_000;
const AFTER = SETTLED + 500;
/** From here on vigie may notice that its clock is wrong, and nothing is judged. */
const WRONG_CLOCK = 4 * MINUTE;
