/** Who is measured, and what each of them does: they are not the same program. */
export const CONTESTANTS = {
  floor: {
    name: "the floor",
    does: "asks once and publishes three topics: the least that a program of Node can do (test/bench/floor.mjs)",
  },
  vigie: {
    name: "vigie",
    does: "the bundle, `node --max-semi-space-size=1 dist/main.js`, as systemd and the image start it: about 200 topics, 170 entities for Home Assistant, the season, a year of history, the shipped rules with their forecasts; asks up to 150 times a day, its state survives a power cut",
  },
  source: { name: "vigie, not bundled", does: "the same, compiled file by file, with node_modules" },
  nodered: {
    name: "Node-RED",
    does: "a flow that asks once an hour, remembers the answer in memory and publishes 17 topics (test/bench/flow.mjs); its editor runs and is not used",
  },
  cron: {
    name: "cron script",
    does: "curl, jq and mosquitto_pub once an hour; 17 topics, only those that differ from the last run (test/bench/cron.sh)",
  },
  bare: {
    name: "bare node:http",
    does: "sends the bytes of vigie's page from memory (test/bench/bare-server.mjs)",
  },
  off: { name: "vigie, page off", does: "the same as vigie, with `http.listen: off`" },
  subscriber: {
    name: "bare subscriber",
    does: "subscribes to the topics of a house with MQTT.js and remembers the last payload of each (test/bench/subscriber.mjs)",
  },
};

/** What is measured of several. A goal is of vigie's median over another's. */
export const BESIDE = [
  {
    key: "start",
    name: "start, to the last topic",
    unit: "ms",
    of: ["floor", "vigie", "source", "nodered"],
    goals: [{ over: "floor", limit: 1.5 }],
    how: "from the start of the process until an observer at the broker has the last topic of the first answer, `online` included; no state from before",
  },
  {
    key: "startSpent",
    name: "… its CPU",
    unit: "ms",
    of: ["floor", "vigie", "source", "nodered"],
    goals: [],
    how: "user and system time of all its threads until then: it varies less than the wall clock when other programs run",
  },
  {
    key: "whole",
    name: "… and all that only vigie does",
    unit: "ms",
    of: ["vigie", "source"],
    goals: [],
    how: "until the discovery messages, the season and a year of history are on the broker, too",
  },
  {
    key: "memory",
    name: "anonymous memory",
    unit: "MB",
    of: ["floor", "vigie", "source", "nodered"],
    goals: [
      { over: "floor", limit: 1.05 },
      { over: "nodered", limit: 0.75 },
    ],
    how: "`Anonymous` in /proc/PID/smaps_rollup, eighty seconds after the start",
  },
  {
    key: "resident",
    name: "resident memory",
    unit: "MB",
    of: ["floor", "vigie", "source", "nodered"],
    goals: [],
    how: "`Rss` there: the pages of the node binary, which all programs of Node share, included",
  },
  {
    key: "poll",
    name: "CPU of a poll",
    unit: "ms",
    of: ["vigie", "source", "nodered", "cron"],
    goals: [
      { over: "nodered", limit: 2 },
      { over: "cron", limit: 1 },
    ],
    how: "user and system time; of a running program, with all its threads, from the moment when its time is set forward by an hour (libfaketime) until a second after its request; nine hours in January, the announcement among them; of the script one run in each of these hours, with all that it starts",
  },
  {
    key: "idle",
    name: "CPU of an hour without a poll",
    unit: "ms",
    of: ["floor", "vigie", "source", "nodered"],
    goals: [{ over: "floor", limit: 2.5 }],
    how: "sixty seconds of rest, multiplied to an hour. vigie compares its clocks each 15 s and writes its health file each 30 s; a script that is not running costs nothing",
  },
  {
    key: "values",
    name: "CPU of a second with 500 values",
    unit: "ms",
    of: ["vigie", "subscriber"],
    goals: [{ over: "subscriber", limit: 1.5 }],
    how: "user and system time; 100 topics with 5 messages a second each, and ten rules that look at ten of them each; rounds of 20 seconds, from 20 seconds after the start on",
  },
  {
    key: "reports",
    name: "CPU of a second with 500 reports",
    unit: "ms",
    of: ["vigie", "subscriber"],
    goals: [],
    how: "as with 500 values, but with 50 devices that report 10 times a second each, and an output with `confirm` for each of them; each report is JSON that contains what is expected, and numbers that change",
  },
  {
    key: "page",
    name: "CPU of a request of the page",
    unit: "µs",
    of: ["vigie", "bare"],
    goals: [{ over: "bare", limit: 2 }],
    how: "user and system time of all threads of the server, while ten connections always wait for an answer: the requests a second of one processor; rounds of two seconds, by turns",
  },
  {
    key: "pageMemory",
    name: "anonymous memory after 100 openings of the page",
    unit: "MB",
    of: ["floor", "vigie"],
    goals: [{ over: "floor", limit: 1.2 }],
    how: "the page, what belongs to it and the question whether it has changed, a hundred times; eighty seconds later",
  },
  {
    key: "pageStart",
    name: "start, with and without the page",
    unit: "ms",
    of: ["vigie", "off"],
    goals: [{ over: "off", limit: 1.05 }],
    how: "as the start above",
  },
];

/** What is measured of vigie alone. */
export const ALONE = [
  {
    key: "health",
    name: "`vigie health`",
    unit: "ms",
    limit: 300,
    how: "from the start of the command to its end, beside a running vigie",
  },
  {
    key: "work",
    name: "a poll in which nothing changed, in process",
    unit: "ms",
    limit: 10,
    how: "CPU of the real loop, client and store over HTTP on loopback",
  },
  {
    key: "refresh",
    name: "a refresh, 400 known days",
    unit: "ms",
    limit: 1,
    how: "what is true now and what is to be published, from nothing; the time that its thread ran",
  },
  {
    key: "refreshRules",
    name: "… with the rules as shipped",
    unit: "ms",
    how: "the same, with the shipped rules",
  },
  {
    key: "render",
    name: "a render of the page",
    unit: "ms",
    limit: 5,
    how: "its whole text, of the same days and rules; likewise the time that its thread ran",
  },
  {
    key: "pageUnchanged",
    name: "an answer that the page has not changed",
    unit: "µs",
    limit: 100,
    how: "CPU of a request of the page, as above, with the `ETag` of what an open page has",
  },
  {
    key: "rules",
    name: "200 varied rules",
    unit: "ms",
    limit: 2,
    how: "evaluated once, no two alike; the time that their thread ran",
  },
  {
    key: "future",
    name: "the forecasts of 200 varied rules",
    unit: "ms",
    limit: 30,
    how: "`next_on`, `next_off` and `plan`, likewise",
  },
  {
    key: "requests",
    name: "requests of a quiet day",
    unit: "",
    limit: 150,
    how: "the real loop on a virtual clock, a week in July; messages as the plan counts them, discovery not among them",
  },
  { key: "messages", name: "messages of a quiet day", unit: "", limit: 250, how: "the same week" },
  { key: "writes", name: "disk writes of a quiet day", unit: "", limit: 50, how: "the same week" },
  {
    key: "officialRequests",
    name: "requests to the official source on a quiet day",
    unit: "",
    limit: 80,
    how: "the same week, with an official source",
  },
  {
    key: "officialMessages",
    name: "messages of a quiet day with the official source",
    unit: "",
    limit: 250,
    how: "the same",
  },
  {
    key: "officialWrites",
    name: "disk writes of a quiet day with the official source",
    unit: "",
    limit: 50,
    how: "the same",
  },
  {
    key: "houseMessages",
    name: "messages of a quiet day with two values each second",
    unit: "",
    limit: 300,
    how: "two days of the same week, with two more rules: a battery and a temperature, which pass their bounds each day; the temperature flaps around its bound",
  },
  { key: "houseWrites", name: "disk writes of such a day", unit: "", limit: 50, how: "the same two days" },
  {
    key: "deviceWrites",
    name: "disk writes of a quiet day with ten devices",
    unit: "",
    limit: 60,
    how: "two days of the same week; each device is told something twice a day, and obeys",
  },
  {
    key: "valuesTurns",
    name: "verdicts of a rule in a second with 500 values",
    unit: "",
    limit: 1,
    how: "the most that one of ten rules published, with 100 topics; values turn one of the rules several times a second, and it has no `hold`",
  },
  {
    key: "valuesGrowth",
    name: "growth of memory with 500 values a second",
    unit: "MB",
    limit: 2,
    how: "`Anonymous` in /proc/PID/smaps_rollup: the least of the second minute over the least of the first, from 20 seconds after the start on",
  },
  {
    key: "winterMessages",
    name: "messages of a winter day",
    unit: "",
    how: "the same for a week in January",
  },
  {
    key: "season",
    name: "a season in virtual time",
    unit: "s",
    limit: 30,
    how: "the one of the test suite, each time to poll looked at",
  },
];

export const keyOf = (row, contestant) => `${row.key}/${contestant}`;

/** vigie's median over another's; the ratio of what is shown, so that a reader finds the same. */
export function ratioOf(figures, row, goal, contestant = "vigie") {
  const [mine, other] = [contestant, goal.over].map((name) => figures[keyOf(row, name)]);
  return mine && other ? round(mine.median / other.median, 2) : undefined;
}

/** Median, least and most, as they are shown. */
export function summarize(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  return { median: shorten(median(sorted)), least: shorten(least), most: shorten(most), runs: values.length };
}

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Three digits say more than the noise does. */
function shorten(value) {
  return round(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

function round(value, digits) {
  return Number(value.toFixed(digits));
}
