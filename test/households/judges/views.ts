import { COLORS, MINUTE, seasonOf } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent, type Views } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { Finding, Judge } from "./judge.ts";
import { readCalendar } from "./read-calendar.ts";
import { readMetrics, type Sample } from "./read-metrics.ts";
import { BASE, houseAt, readTopics } from "./topics.ts";

/** At a quiet point the texts for programs say what the topics say. */
export const viewJudges: readonly Judge[] = [
  { name: "metrics", find: (trace) => trace.events.flatMap((event) => judgeAt(event, trace, metrics)) },
  { name: "health", find: (trace) => trace.events.flatMap((event) => judgeAt(event, trace, health)) },
  { name: "calendar", find: (trace) => trace.events.flatMap((event) => judgeAt(event, trace, calendar)) },
];

/** What can be read at a quiet point. */
interface Place {
  quiet: EventOf<"quiet">;
  views: Views;
  trace: Trace;
  /** What is on this topic of vigie; undefined: it is not there, or vigie may just now say something else. */
  read: (topic: string) => string | undefined;
}

type Check = "skipped" | readonly [isRight: boolean, sentence: string];

function judgeAt(event: TraceEvent, trace: Trace, checksAt: (place: Place) => Check[]): Finding[] {
  if (!isKind(event, "quiet")) return [];
  const { steady, views } = event;
  const isSettled = steady - event.since >= SETTLES && readCalm(trace).isThrough(steady - SETTLES, steady);
  if (!views || !isSettled) return ["skipped"];
  const place = { quiet: event, views, trace, read: (topic: string) => settledAt(event, trace, topic) };
  return checksAt(place).map((check): Finding => {
    if (check === "skipped") return "skipped";
    const [isRight, sentence] = check;
    return isRight ? "right" : { at: steady, sentence };
  });
}

/** "Both show the truth, never a colour that is pretended": while one is pretended, the topics say something else. */
function settledAt({ steady, retained }: EventOf<"quiet">, trace: Trace, name: string): string | undefined {
  const topic = `${BASE}/${name}`;
  const topics = readTopics(trace);
  const held = retained.get(topic);
  const isChanging = topics.changes([topic], steady - MINUTE, steady + MINUTE).length > 0;
  // A rule may go on holding what it said of a pretended colour, after the end of it.
  const simulated = topics.published(`${BASE}/simulation/color`).filter((one) => one.steady <= steady);
  const mayHold = name.startsWith("rules/") && simulated.some(({ payload }) => payload !== "auto");
  const isPretended = mayHold || retained.get(`${BASE}/simulation/color`) !== "auto";
  // Another judge says that the broker has to hold what vigie published last.
  return isChanging || isPretended || topics.at(topic, steady) !== held ? undefined : held;
}

function metrics(place: Place): Check[] {
  const { samples, wrong } = readMetrics(place.views.metrics);
  const topicOf = (sample: Sample) => METRIC_TOPICS[sample.name]?.(sample.labels);
  const unknown = samples.filter(({ name }) => !(name in METRIC_TOPICS) && !OTHERS.includes(name));
  return [
    [wrong.length === 0, `/metrics has a wrong line: ${wrong[0]}`],
    [unknown.length === 0, `/metrics has ${unknown[0]?.name}, which is not documented`],
    ...samples.flatMap((sample): Check[] => {
      const found = topicOf(sample);
      return found ? [checkSample(sample, found, place)] : [];
    }),
    ...idsOf(place, samples),
  ];
}

/** A metric says what a topic says: its value, or whether the topic has this word. */
interface MetricTopic {
  topic: string;
  word?: string | undefined;
  numberOf?: (payload: string) => number;
}

function checkSample(
  sample: Sample,
  { topic, word, numberOf = Number }: MetricTopic,
  { read }: Place,
): Check {
  const payload = read(topic);
  if (payload === undefined) return "skipped";
  const unknown = word === undefined ? "NaN" : "unknown";
  const said = payload === "None" ? unknown : payload;
  const wanted = word === undefined ? (said === "NaN" ? Number.NaN : numberOf(said)) : Number(said === word);
  const isRight = Object.is(wanted, sample.value) || Math.abs(wanted - sample.value) < ROUNDED;
  const name = `${sample.name}${JSON.stringify(sample.labels)}`;
  return [isRight, `/metrics says ${sample.value} of ${name}, and ${topic} is ${payload}`];
}

/** Each rule and each output of the configuration in force, and no other. */
function idsOf({ trace, quiet }: Place, samples: readonly Sample[]): Check[] {
  const house = houseAt(trace, quiet.steady);
  if (!house) return ["skipped"];
  const idsIn = (name: string, label: string) =>
    [...new Set(samples.filter((one) => one.name === name).map(({ labels }) => labels[label]!))]
      .sort()
      .join(", ");
  const joined = (list: readonly { id: string }[]) =>
    list
      .map(({ id }) => id)
      .sort()
      .join(", ");
  const rules = idsIn("vigie_rule_on", "rule");
  const outputs = idsIn("vigie_output_state", "output");
  // "no line while the clock is wrong"
  const isClockRight = samples.some(({ name, value }) => name === "vigie_clock_right" && value === 1);
  const wanted = isClockRight ? joined(house.rules) : "";
  return [
    [rules === wanted, `/metrics has the rules "${rules}", and in force are "${wanted}"`],
    [
      outputs === joined(house.outputs),
      `/metrics has the outputs "${outputs}", and in force are "${joined(house.outputs)}"`,
    ],
  ];
}

const isOn = (payload: string) => Number(payload === "ON");

/** The table of docs/calendar-and-metrics.md, as far as a topic says the same. */
const METRIC_TOPICS: Readonly<Record<string, (labels: Readonly<Record<string, string>>) => MetricTopic>> = {
  vigie_color: ({ day, color }) => ({ topic: `${day}/color`, word: color }),
  vigie_color_official: ({ day }) => ({ topic: `${day}/official`, numberOf: isOn }),
  vigie_color_confidence_ratio: ({ day }) => ({
    topic: `${day}/confidence`,
    numberOf: (percent) => Number(percent) / 100,
  }),
  vigie_color_until_timestamp_seconds: () => ({
    topic: "now/color_until",
    numberOf: (instant) => Date.parse(instant) / 1000,
  }),
  vigie_period: ({ period }) => ({ topic: "now/period", word: period }),
  vigie_price_euros_per_kwh: () => ({ topic: "now/rate" }),
  vigie_season_left: ({ color }) => ({ topic: `season/left/${color}` }),
  vigie_source_status: ({ source, status }) => ({ topic: `${source}/status`, word: status }),
  vigie_problem: ({ code }) => ({ topic: "service/problem_code", word: code }),
  vigie_rule_on: ({ rule }) => ({ topic: `rules/${rule}/state`, numberOf: isOn }),
  vigie_output_state: ({ output, state }) => ({ topic: `outputs/${output}/state`, word: state }),
};

const OTHERS = [
  "vigie_invented",
  "vigie_info",
  "vigie_source_last_answer_timestamp_seconds",
  "vigie_source_polls_total",
  "vigie_clock_right",
  "vigie_broker_connected",
  "vigie_home_assistant_online",
];

/** "`/health`: what `vigie health` says, with 200, or with 503 where something is wrong". */
function health({ views, read }: Place): Check[] {
  const code = read("service/problem_code");
  const date = read("now/date");
  if (code === undefined || date === undefined) return ["skipped"];
  const { isHealthy, health: words } = views;
  // "topics of the moment are `None`" only while the clock is known to be wrong.
  const isClockWrong = code === "clock" && date === "None";
  const isFailed = code === "vigie";
  const says = `/health says "${words}", with ${isHealthy ? 200 : 503}`;
  return [
    [isHealthy === !(isClockWrong || isFailed), `the problem is ${code}, and ${says}`],
    [
      words.startsWith("vigie runs") && words.includes("; broker reached at "),
      `the broker is there, and ${says}`,
    ],
    isFailed
      ? "skipped"
      : [words.includes("clock wrong") === isClockWrong, `now/date is ${date}, and ${says}`],
    dataCheck(read, words),
  ];
}

/** "`vigie health` reports old data once neither of the two has answered for three hours". */
function dataCheck(read: Place["read"], words: string): Check {
  const statuses = [read("service/status"), read("official/status")].filter((one) => one !== "off");
  const isGone = statuses.length > 0 && statuses.every((status) => status === "down");
  if (!isGone) return "skipped";
  return [/; data (old|missing): /.test(words), `no source answers, and /health says "${words}"`];
}

/** "one event a tariff day, from 06:00 to 06:00: the days of the season since 1 September, and those that are announced". */
function calendar({ views, read, trace, quiet }: Place): Check[] {
  const date = read("now/date");
  const house = houseAt(trace, quiet.steady);
  if (date === undefined || date === "None" || house?.isSpecial !== false) return ["skipped"];
  const { events, wrong } = readCalendar(views.calendar, house);
  const days = new Map(events.map((event) => [event.date, event.color]));
  const before = events.find((event) => event.date < seasonOf(date).start);
  return [
    [wrong.length === 0, `/calendar.ics is wrong: ${wrong[0]}`],
    [!before, `/calendar.ics has ${before?.date}, of the season before`],
    ...NEAR_DAYS.map((word) => checkDay(word, days, read)),
    ...COLORS.map((color): Check => {
      const used = read(`season/used/${color}`);
      const found = events.filter((event) => event.color === color && event.date <= date).length;
      if (used === undefined || used === "None") return "skipped";
      return [found === Number(used), `/calendar.ics has ${found} days ${color}, and ${used} were used`];
    }),
  ];
}

/** A day is there if its colour is official. */
function checkDay(word: string, days: ReadonlyMap<string, string>, read: Place["read"]): Check {
  const [date, color, official] = ["date", "color", "official"].map((part) => read(`${word}/${part}`));
  if (date === undefined || color === undefined || official === undefined) return "skipped";
  const wanted = official === "ON" ? color : undefined;
  const found = days.get(date);
  return [
    found === wanted,
    `/calendar.ics says ${found} of ${date}, and ${word} is ${color}, official ${official}`,
  ];
}

const NEAR_DAYS = ["now", "next", "d2", "d3", "d4", "d5", "d6", "d7"];

/** A colour is sure to whole percents in its topic. */
const ROUNDED = 0.0051;
const SETTLES = 25 * MINUTE;
