import { addDays, type Day, instantInParis, wallClock } from "./calendar.ts";
import { type Draw, drawFrom } from "./draw.ts";
import { drawBegin } from "./generate-begin.ts";
import { changePassword, rollBack } from "./generate-broker-trouble.ts";
import {
  drawConfig,
  drawValues,
  editConfig,
  type HouseValue,
  seriesOf,
  withoutShiftedPlaceholders,
  wordsFor,
} from "./generate-config.ts";
import { startLate } from "./generate-late-clock.ts";
import { breakTwo, MEANWHILE } from "./generate-meanwhile.ts";
import { withRareOptions } from "./generate-options.ts";
import { drawDevices, SECRET_FILES } from "./generate-outputs.ts";
import { withPowerCuts } from "./generate-power-cuts.ts";
import { drawRougeDays, drawRougeMessage } from "./generate-rouge-days.ts";
import { withSharedTopics } from "./generate-shared-topics.ts";
import { answerOddly } from "./generate-source-faults.ts";
import { spoilStateFile } from "./generate-state-file.ts";
import { meddle, startSecond } from "./generate-strangers.ts";
import { editWrongly } from "./generate-wrong-edits.ts";
import { randomFrom } from "./random.ts";
import { readConfigs } from "./read-config.ts";
import type { Device, HouseConfig, OutputText, Scenario, ScriptEvent, WebFault } from "./scenario.ts";
import { isRefusal } from "./seams.ts";
import type { SourceFault } from "./sources.ts";

interface GenerateOptions {
  /** Days; default one to three. */
  days?: number;
}

/** The household of this seed, always the same. Its configurations are such that load-config accepts them. */
export async function generateScenario(seed: number, { days }: GenerateOptions = {}): Promise<Scenario> {
  const draw = drawFrom(randomFrom(`scenario/${seed}`));
  const { one, whole, chance, random } = draw;
  const isOfRougeDays = days === undefined && drawFrom(randomFrom(`rouge days/${seed}`)).chance(0.1);
  const length = Math.round((days ?? (isOfRougeDays ? 3.5 : 1 + 2 * random() ** 2)) * DAY);
  const values = drawValues(draw);
  const drawn = await drawConfigs(draw, values, Math.ceil((length / DAY) * 2));
  const plain = drawn.map(withoutShiftedPlaceholders);
  const configs = isOfRougeDays ? plain.map(drawRougeMessage(draw)) : plain;
  const begin = drawBegin(draw);
  const rougeDays = isOfRougeDays ? drawRougeDays(draw, begin) : null;
  const from = `${begin}T${one(["00", "03", "05", "08", "10", "14", "20", "22"])}:${whole(10, 59)}:00Z`;
  const outputs = configs.flatMap(({ outputs: { list } }) => list);
  const devices = drawDevices(draw, outputs);
  const story = createStory(draw, { from: Date.parse(from), length, configs, values, outputs, devices });
  const events = withPowerCuts(seed, { from, length, devices, events: tell(story) });
  const scenario = withRareOptions({
    seed,
    from,
    length,
    trouble: one([0, 0.3, 1]),
    history: one([3, 15, 15, 15, 400]),
    oldBroker: chance(0.1),
    configs,
    devices,
    events: rougeDays ? rougeDays.disturb(events, from) : events,
    ...(rougeDays && { colors: rougeDays.colors }),
    ...drawDearer(seed, begin),
  });
  const shared = withSharedTopics(scenario);
  // Two outputs with `keep` that are confirmed by the same place are refused.
  for (const config of shared.configs) if (!(await isAccepted(config))) return scenario;
  return shared;
}

/** The service's prices change in some households, by draws of their own: they move no other one. */
function drawDearer(seed: number, begin: Day): Pick<Scenario, "dearer"> {
  const { chance, one, whole } = drawFrom(randomFrom(`prices/${seed}`));
  return chance(0.3) ? { dearer: { from: addDays(begin, whole(-1, 4)), by: one([0.01, 0.2, -0.02]) } } : {};
}

async function drawConfigs(draw: Draw, values: readonly HouseValue[], edits: number): Promise<HouseConfig[]> {
  let first = drawConfig(draw, values);
  while (!(await isAccepted(first))) first = drawConfig(draw, values);
  const configs = [first];
  for (let left = edits; left > 0; left -= 1) {
    const edited = editConfig(draw, configs.at(-1) ?? first, values);
    if (await isAccepted(edited)) configs.push(edited);
  }
  return configs;
}

export async function isAccepted(config: HouseConfig): Promise<boolean> {
  try {
    await readConfigs([config]);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

interface Story {
  draw: Draw;
  from: number;
  /** Seconds. */
  length: number;
  /** One may be added. */
  configs: HouseConfig[];
  values: readonly HouseValue[];
  /** Those of all configurations. */
  outputs: readonly OutputText[];
  devices: readonly Device[];
  /** How many of the configurations were written. */
  written: number;
  events: ScriptEvent[];
}

function createStory(
  draw: Draw,
  given: Pick<Story, "from" | "length" | "configs" | "values" | "outputs" | "devices">,
): Story {
  return { ...given, draw, written: 1, events: [] };
}

/** Busy hours, in which this and that happens, and quiet ones after them. */
function tell(story: Story): ScriptEvent[] {
  const { draw, length, events, values } = story;
  const { whole, chance, times } = draw;
  // Who lives a season has as much to do, in more time.
  const isLong = length > 10 * DAY;
  events.push({ at: 1, kind: "start" });
  for (let at = 60; at < length; ) {
    const busy = whole(1, 10) * (isLong ? DAY : HOUR);
    const end = Math.min(at + busy, length - QUIET - 900);
    if (end <= at) break;
    for (const value of values) if (chance(isLong ? 0.2 : 0.8)) events.push(seriesOf(value, at, end - at));
    let next = at;
    for (const share of times(0, 6, draw.random).sort((one, other) => one - other)) {
      // One after the other: a fault ends before the next begins.
      const moment = Math.max(
        next,
        Math.round(chance(0.3) ? nearBoundary(story, at, end) : at + share * (end - at)),
      );
      if (moment < end) next = moment + disturb(story, moment, end - moment) + 1;
    }
    const quiet = Math.max(end, next) + QUIET;
    events.push({ at: quiet, kind: "quiet" });
    at = quiet + 1 + touchAtQuiet(story, quiet + 1);
  }
  return events.sort((one, other) => one.at - other.at);
}

/** Nothing may change by it. Returns how long it takes. */
function touchAtQuiet({ draw, events }: Story, at: number): number {
  const { one, chance } = draw;
  if (chance(0.5)) return 0;
  if (chance(0.5)) events.push({ at, kind: "reload" });
  else events.push({ at, kind: "stop" }, { at: at + one([3, 20, 60]), kind: "start" });
  events.push({ at: at + 180, kind: "quiet" });
  return 181;
}

/** Seconds before or after an instant at which much changes, in this span if there is one. */
function nearBoundary({ draw, from }: Story, at: number, end: number): number {
  const { one, whole } = draw;
  const { date } = wallClock(from + at * 1000);
  // At 11:25 a source may still be corrected, and is not asked again before 11:30.
  const time = one(["06:00", "06:00", "22:00", "00:00", "10:30", "11:25"]);
  const instants = [date, addDays(date, 1)].map((day) => (instantInParis(day, time) - from) / 1000);
  const found = instants.find((instant) => instant > at + 30 && instant < end);
  return found === undefined ? whole(at, end) : found + whole(-8, 8);
}

const DISTURBANCES = [
  "kill",
  "kill",
  "stop",
  "edit",
  "edit",
  "wrong edit",
  "reload",
  "jump",
  "suspend",
  "broker",
  "start alone",
  "late clock",
  "connection",
  "slow broker",
  "refuse",
  "source",
  "source",
  "source",
  "odd answers",
  "odd answers",
  "disk",
  "two faults",
  "command",
  "command",
  "command",
  "home assistant",
  "foreign",
  "foreign",
  "second vigie",
  "roll back",
  "password",
  "duplicates",
  "report",
  "press",
  "press",
  "power",
  "power",
  "trial",
  "web",
  "web",
  "web",
  "secret file",
  "chatter",
  "chatter",
] as const;

export type Disturbance = (typeof DISTURBANCES)[number];

/** Something happens, for at most `longest` seconds. Returns how long it takes. */
function disturb(story: Story, at: number, longest: number): number {
  const { draw } = story;
  const what = draw.one(DISTURBANCES);
  const length = begin(story, what, at, longest);
  const meanwhile = MEANWHILE[what];
  if (length < 60 || !meanwhile || draw.chance(0.6)) return length;
  const later = draw.whole(1, length - 30);
  return Math.max(length, later + begin(story, draw.one(meanwhile), at + later, longest - later));
}

function begin(story: Story, what: Disturbance, at: number, longest: number): number {
  const { draw, events } = story;
  const { one, whole, chance } = draw;
  const length = Math.min(longest, one([5, 60, 600, HOUR, 3 * HOUR, whole(1, 300)]));
  switch (what) {
    case "kill":
      events.push({ at, kind: "kill", steps: chance(0.3) ? 0 : whole(1, 60) });
      return comeBack(story, at + 11, longest);
    case "stop": {
      // What a device reports just before counts after it.
      const pressed = chance(0.4) ? someDevice(story) : undefined;
      if (pressed) events.push({ at, kind: "press", device: pressed.id });
      events.push({ at: at + 3, kind: "stop" });
      return comeBack(story, at + 9, longest);
    }
    case "edit":
      return edit(story, at);
    case "wrong edit":
      return editWrongly(draw, events, at, nextConfig(story));
    case "reload":
      events.push({ at, kind: "reload" });
      return 10;
    case "jump": {
      const by = one([-86_400, -7200, -3600, -3600, -600, -90, -5, 5, 90, 600, 3600, 7200, 86_400]);
      // A machine without a clock of its own starts with a wrong time.
      const isAtStart = chance(0.3) && longest > 60;
      if (isAtStart) events.push({ at, kind: "stop" }, { at: at + 8, kind: "start" });
      events.push({ at: isAtStart ? at + 7 : at, kind: "jump", by });
      // Set right again, so that not all households live in the wrong hour.
      const right = at + Math.max(length, 30);
      events.push({ at: right, kind: "jump", by: -by });
      return right - at;
    }
    case "suspend":
      events.push({ at, kind: "suspend", for: length });
      return length;
    case "broker": {
      const how = one(["stopped", "killed", "frozen"] as const);
      events.push({ at, kind: "broker", how, for: length, retained: chance(0.7) ? "kept" : "lost" });
      return length;
    }
    case "start alone": {
      const alone = Math.min(longest, one([60, 1_500, HOUR, 3 * HOUR]));
      events.push({
        at,
        kind: "broker",
        how: one(["stopped", "killed"] as const),
        for: alone,
        retained: "kept",
      });
      events.push({ at: at + 5, kind: "stop" }, { at: at + whole(15, 50), kind: "start" });
      return Math.max(alone, 60);
    }
    case "late clock":
      return startLate(draw, at, longest, events);
    case "connection":
      // Once, or each minute.
      for (let next = at; next === at || (length > 600 && next < at + length); next += 60)
        events.push({ at: next, kind: "connection lost" });
      return length > 600 ? length : 5;
    case "slow broker":
      events.push({ at, kind: "latency", milliseconds: one([20, 400, 3_000]), for: length });
      return length;
    case "refuse":
      return refuse(story, at, length);
    case "source":
      return breakSource(story, at, length);
    case "odd answers":
      return answerOddly(draw, events, at, length, story.from + at * 1_000);
    case "disk":
      events.push({ at, kind: "disk", fault: one(["hangs", "fails"]), for: length });
      return length;
    case "two faults":
      return breakTwo(story, at, longest, (back, left) => comeBack(story, back, left));
    case "command":
      return command(story, at);
    case "home assistant":
      events.push({ at, kind: "home assistant", payload: one(["online", "online", "offline"]) });
      return 10;
    case "foreign":
      events.push(...meddle(draw, at, story.configs));
      return 1;
    case "roll back":
      rollBack(draw, at, length, events);
      return length;
    case "password":
      return changePassword(draw, at, length, story);
    case "duplicates":
      events.push({ at, kind: "duplicates", for: length }, { at: at + length - 1, kind: "connection lost" });
      return chance(0.5) ? whole(1, length) : length;
    case "second vigie":
      return startSecond(draw, at, events);
    case "press":
      return press(story, at);
    case "power": {
      const device = someDevice(story);
      const back = one(["report", "report first", "online", "online", "silence"] as const);
      const away = one([2, 20, 120, 600, HOUR, whole(1, 9) * HOUR]);
      const keeps = chance(0.3) && { keeps: true as const };
      if (device) events.push({ at, kind: "power", device: device.id, for: away, back, ...keeps });
      return device ? whole(1, Math.max(1, Math.min(longest, away + 60))) : 0;
    }
    case "trial":
      return tryOut(story, at);
    case "web":
      return breakWeb(story, at, longest);
    case "secret file":
      if (story.outputs.every(({ secret_file }) => secret_file === undefined)) return 0;
      events.push({ at, kind: "secret file", name: one(Object.keys(SECRET_FILES) as [string]), for: length });
      return whole(1, length);
    case "report": {
      const topic = someOutputTopic(story).replace("/set", "/state");
      const payload = one(["p1", "p2", "is 1", "17", "no", "{}", '{"state":{"output":"p1"}}', ""]);
      events.push({ at, kind: "report", topic, payload, retain: chance(0.4) });
      return 1;
    }
    case "chatter":
      return chatter(story, at);
  }
}

function refuse(story: Story, at: number, length: number): number {
  const { draw, events, outputs } = story;
  const topic = someOutputTopic(story);
  const isRead = outputs.some((output) => output.topic === topic && output.message);
  const ends = draw.chance(0.4) && !isRead;
  events.push({ at, kind: "refuse", topic, ...(ends && { ends }), for: length });
  return length;
}

/** After it was killed or stopped: perhaps with another configuration or another state file. */
function comeBack(story: Story, at: number, longest: number): number {
  const { draw, events } = story;
  const { one, chance } = draw;
  const away = Math.min(longest, one([0, 0, 1, 10, 300, HOUR, 5 * HOUR]));
  if (chance(0.2)) edit(story, at);
  const spoilt = chance(0.2) ? spoilStateFile(draw, events, at) : 0;
  events.push({ at: at + spoilt + away, kind: "start" });
  return spoilt + away + 12;
}

function edit(story: Story, at: number): number {
  story.events.push({ at, kind: "edit", config: nextConfig(story) });
  return 10;
}

/** The next one, or one of before again. */
function nextConfig(story: Story): number {
  const { draw, configs } = story;
  const config = story.written < configs.length ? story.written : draw.whole(0, configs.length - 1);
  story.written += 1;
  return config;
}

function breakSource({ draw, events }: Pick<Story, "draw" | "events">, at: number, length: number): number {
  const { one, whole, chance } = draw;
  const fault = one<SourceFault>([
    { kind: "down" },
    { kind: "slow", seconds: whole(1, 70) },
    { kind: "hangs" },
    { kind: "status", status: one([404, 500, 503]) },
    { kind: "status", status: 429, ...(chance(0.5) && { retryAfter: whole(1, 4000) }) },
    { kind: "wrong words" },
    { kind: "no json" },
    { kind: "cut" },
    { kind: "cache", seconds: whole(60, 100_000), tells: chance(0.6) },
    { kind: "clock", seconds: one([-7200, -600, 600, 4000, 90_000]) },
  ]);
  const source = one(["service", "rte"] as const);
  if (chance(0.15)) return breakPath({ draw, events }, at, length);
  events.push({ at, kind: "source", source, fault, for: length });
  if (chance(0.3)) {
    const other = source === "rte" ? "service" : "rte";
    events.push({ at, kind: "source", source: other, fault: { kind: "down" }, for: length });
  }
  return length;
}

/** One path fails, mostly for longer than anything else. */
function breakPath({ draw, events }: Pick<Story, "draw" | "events">, at: number, length: number): number {
  const { one } = draw;
  const fault: SourceFault = {
    kind: "path",
    part: one(["season", "history", "tempo?"]),
    status: one([404, 503]),
  };
  const source = fault.part === "tempo?" ? "rte" : "service";
  events.push({ at, kind: "source", source, fault, for: one([length, DAY, 2 * DAY]) });
  return length;
}

function command({ draw, events, configs }: Story, at: number): number {
  const { one, whole, chance } = draw;
  const [first = "rule1", ...others] = configs.flatMap(({ rules }) => rules.map(({ id }) => id));
  const rule = one([first, ...others]);
  if (chance(0.1)) {
    // Somebody is impatient.
    const presses = Array.from({ length: 30 }, (_, index) => at + 2 * index);
    for (const press of presses)
      events.push({ at: press, kind: "command", topic: "vigie/refresh/set", payload: "PRESS" });
    return 65;
  }
  const length = one(["10s", "5m", "2h", "12h"]);
  const [topic, payload] = one<[string, string]>([
    ["refresh/set", "PRESS"],
    [`rules/${rule}/enabled/set`, one(["ON", "OFF"])],
    [`rules/${rule}/enabled/set`, JSON.stringify({ enabled: chance(0.3), for: length })],
    [`rules/${rule}/threshold/set`, String(whole(0, 100))],
    ["simulation/set", one(["auto", "bleu", "blanc", "rouge"])],
    ["simulation/set", one(["rouge:next", "rouge:next", "blanc:next", "bleu:next", "rouge:now"])],
    [
      "simulation/set",
      JSON.stringify({ color: one(["bleu", "blanc", "rouge"]), from: one(["now", "next"]), for: length }),
    ],
    ["simulation/set", one(["junk", "rouge:tomorrow", "auto:next", '{"color":"rouge","from":"today"}'])],
  ]);
  events.push({
    at,
    kind: "command",
    topic: `vigie/${topic}`,
    payload,
    ...(chance(0.1) && { retain: true }),
  });
  // What was set for ever is set back: else nothing else would be tried in this household.
  if (payload === "OFF")
    events.push({ at: at + 600, kind: "command", topic: `vigie/${topic}`, payload: "ON" });
  return payload === "OFF" ? 601 : 5;
}

/** A value that comes and goes around its bound, many times a second. */
function chatter({ draw, events, values }: Story, at: number): number {
  const [value] = values;
  if (!value) return 0;
  const { topic, retain } = value;
  const words = wordsFor(value);
  const odd = draw.chance(0.3) ? ["", "not json", "null", "unavailable", words[0] ?? ""] : words;
  events.push({
    at,
    kind: "series",
    topic,
    every: draw.one([0.02, 0.02, 0.3, 1.5]),
    for: 11,
    retain,
    values: { words: odd },
  });
  return 12;
}

/** Somebody presses its button, perhaps again and again. */
function press(story: Story, at: number): number {
  const { draw, events } = story;
  const device = someDevice(story);
  if (!device) return 0;
  const times = draw.one([1, 1, 1, 2, 3, 8]);
  let next = at;
  for (let left = times; left > 0; left -= 1) {
    events.push({ at: next, kind: "press", device: device.id });
    next += draw.one([1, 3, 4, 6, 10, 40, 120]);
  }
  return next - at;
}

/** Its owner tries out whether it is told: cuts its power, and presses its button. Or its connection comes and goes. */
function tryOut(story: Story, at: number): number {
  const { draw, events } = story;
  const { one, whole, chance } = draw;
  const device = someDevice(story);
  if (!device) return 0;
  const keeps = chance(0.3) && { keeps: true as const };
  let next = at;
  for (let left = whole(2, 7); left > 0; left -= 1) {
    const away = one([4, 30, 120]);
    const back = one(["report", "report first", "online"] as const);
    if (!keeps && chance(0.3)) events.push({ at: next, kind: "press", device: device.id });
    else events.push({ at: next, kind: "power", device: device.id, for: away, back, ...keeps });
    next += away + one([10, 60, 60, 300]);
  }
  return next - at;
}

/** What is on the way to a device, or in its answers, is wrong: for a moment, or longer than anybody waits. */
function breakWeb(story: Story, at: number, longest: number): number {
  const { draw, events, outputs } = story;
  const { one, whole, chance } = draw;
  const places = outputs.flatMap(({ id = "", url, confirm }) =>
    [url, confirm?.url].flatMap((address) => {
      const [place] = /^\w+:\/\/[^/]+/.exec(address ?? "") ?? [];
      return place === undefined ? [] : [{ id, host: place.replace(/\/\/.*@/, "//") }];
    }),
  );
  const [first, ...others] = places;
  if (!first) return 0;
  const { id, host } = one([first, ...others]);
  const length = one([1, 5, 60, 600, HOUR, 3 * HOUR, chance(0.3) ? DAY : 300, whole(1, 300)]);
  const fault = one<WebFault>([
    { kind: "refuses" },
    { kind: "is unreachable" },
    { kind: "closes before" },
    { kind: "closes after" },
    { kind: "closes after" },
    { kind: "hangs", seconds: null },
    { kind: "hangs", seconds: one([2, 9.9, 10.5]) },
    { kind: "status", status: one([302, 401, 404, 500, 502]) },
    { kind: "status", status: one([429, 503]), retryAfter: one([1, 45, 300, 590, 4_000]) },
    { kind: one(["long", "no json", "no value", "compressed", "echo"]) },
  ]);
  events.push({ at, kind: "web", host, ...(chance(0.4) && { device: id }), fault, for: length });
  return whole(1, Math.max(1, Math.min(longest, length)));
}

function someDevice({ draw, devices }: Story): Device | undefined {
  const [first, ...others] = devices;
  return first && draw.one([first, ...others]);
}

function someOutputTopic({ draw, outputs }: Story): string {
  const topics = outputs.flatMap(({ topic }) => topic ?? []);
  return draw.one([topics[0] ?? "device1/set", ...topics.slice(1)]);
}

const HOUR = 3_600;
const DAY = 86_400;
/** How long nothing happens before the broker is looked at. */
const QUIET = 25 * 60;
