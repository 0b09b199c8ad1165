import { Temporal } from "temporal-polyfill";
import { type FoundHealth, judgeHealth } from "../app/judge-health.ts";
import { isoInstant, wallTime } from "../core/calendar/dates.ts";
import { COLORS, type Color, type Instant } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { PROBLEM_CODES, type ProblemCode } from "../core/facts/facts.ts";
import { UNKNOWN_PAYLOAD } from "../core/facts/format-value.ts";
import { withBrokerAway } from "../core/facts/service-facts.ts";
import { oneLine } from "../runtime/escape-controls.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import { type Cell, formatTable } from "./table.ts";

export interface PageOptions {
  title: string;
  color: boolean;
  /** `tariff.time_zone`: instants are shown in its local time. */
  zone: string;
  now: Instant;
  /** What the vigie with this state folder says of its health; null where it has not run on this machine. */
  health: FoundHealth | null;
  /** The page is shown again after each change. */
  isWatched: boolean;
}

/** The topics of a running vigie on one screen, which is at most 100 columns wide. */
export function formatTopics(topics: ReadonlyMap<string, string>, options: PageOptions): string {
  const { color, zone } = options;
  const read = (topic: string) => topics.get(topic) ?? UNKNOWN_PAYLOAD;
  const wall = (topic: string) => local(read(topic), zone);
  const rules = idsBelow("rules", topics).map((id) => ruleRow(id, read, zone));
  const outputs = idsBelow("outputs", topics).map((id) => outputRow(id, read, zone));
  const sections = [
    heading(read, options) + simulationLine(read, wall),
    formatTable([nowRow(read, wall), nextRow(read, wall)], color),
    formatTable([DAYS_HEAD, ...DAYS.map((day) => dayRow(day, read))], color) + contradictionLines(read),
    formatTable(nextRows(read, wall), color),
    ...(rules.length === 0 ? [] : [formatWithText(rules)]),
    ...(outputs.length === 0 ? [] : [formatWithText(outputs)]),
    formatTable(countRows(read), color),
    serviceLines(read, wall, options),
    ...(options.isWatched ? [watchLine(options)] : []),
  ];
  return `${sections.join("\n")}\n`;
}

type Read = (topic: string) => string;

function heading(read: Read, { title, zone, now, health }: PageOptions): string {
  const lastReport = health && local(isoInstant(health.health.at), zone);
  // `vigie once` and a vigie that was purged leave no such topic.
  const availability = read("availability");
  const since = availability === "offline" && lastReport !== null ? ` since ${lastReport}` : "";
  const state = availability === UNKNOWN_PAYLOAD ? "not running" : availability;
  const clock = isClockWrong(read) ? ", but the clock of this machine is wrong" : "";
  const lines = [`vigie on ${title}: ${state}${since}${clock}`];
  // A vigie that was killed counts as online until the grace is over.
  const { loop, disk } = judgeHealth(health, now);
  if (!disk.ok) lines.push(disk.words);
  if (availability === "online" && health && !loop.ok)
    lines.push(`The vigie with this state folder ${loop.words} (last report ${lastReport})`);
  if (read("service/status") === "simulated") lines.push("The days are INVENTED by the simulator");
  return lines.map((line) => wrap(line)).join("");
}

function isClockWrong(read: Read): boolean {
  // While it may be wrong only, all is shown by it.
  return read("service/problem_code") === "clock" && read("now/date") === UNKNOWN_PAYLOAD;
}

function watchLine({ now, zone }: PageOptions): string {
  const time = wallTime(now, zone).slice("2026-01-05T".length);
  return `This page is of ${time}. It is shown again after each change; Ctrl-C ends it\n`;
}

/** At the top where a colour is pretended. */
function simulationLine(read: Read, wall: Read): string {
  const color = read("simulation/color");
  if (color === "auto" || color === UNKNOWN_PAYLOAD) return "";
  const date = valueAt(parseJson(read("simulation")), ["date"]);
  const day = typeof date === "string" ? ` for the tariff day ${oneLine(date)}` : "";
  return `${oneLine(color)} is PRETENDED${day} (simulation) until ${wall("simulation/until")}\n`;
}

function nowRow(read: Read, wall: Read): Cell[] {
  const period = { hp: "peak", hc: "off-peak" }[read("now/period")] ?? "";
  return [
    "now",
    dateCell(read("now/date")),
    dayCell("now", read),
    stage("now", read),
    `${period} until ${wall("now/period_until")}`,
    price(read("now/rate")),
  ];
}

function nextRow(read: Read, wall: Read): Cell[] {
  return [
    "next",
    dateCell(read("next/date")),
    dayCell("next", read),
    stage("next", read),
    `from ${wall("next/at")}`,
    "",
  ];
}

const DAYS = ["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"];
const DAYS_HEAD: Cell[] = ["", "date", "colour", "", "peak", "off-peak"];

function dayRow(day: string, read: Read): Cell[] {
  return [
    day,
    dateCell(read(`${day}/date`)),
    dayCell(day, read),
    stage(day, read),
    price(read(`${day}/rate_hp`)),
    price(read(`${day}/rate_hc`)),
  ];
}

function nextRows(read: Read, wall: Read): Cell[][] {
  const nextDay = (color: Color): Cell[] => {
    const date = read(`next_${color}/date`);
    // What lies ahead depends on which day it is.
    if (isClockWrong(read)) return [`next ${color}`, "unknown"];
    if (date === UNKNOWN_PAYLOAD)
      return [`next ${color}`, OUTLOOK[read(`next_${color}/outlook`)] ?? "unknown"];
    const confidence = read(`next_${color}/confidence`);
    return [
      `next ${color}`,
      dateCell(date),
      confidence === UNKNOWN_PAYLOAD ? "" : `confidence ${confidence} %`,
    ];
  };
  const change: Cell[] = ["next change of colour", wall("next_change/color")];
  return [nextDay("rouge"), nextDay("blanc"), change];
}

const OUTLOOK: Record<string, string> = {
  none_in_horizon: "none in the next 7 days",
  season_over: "no more this season",
};

/** The verdict of a rule, when that changes next, and why. */
function ruleRow(id: string, read: Read, zone: string): string[] {
  const topic = `rules/${id}`;
  const state = read(`${topic}/state`);
  return [
    `rule ${id}`,
    state === UNKNOWN_PAYLOAD ? "unknown" : state,
    [certainty(topic, read, zone), nextVerdictChange(topic, read, zone)]
      .filter((one) => one !== "")
      .join("; "),
    reasons(read(topic)).join("; "),
  ];
}

function nextVerdictChange(topic: string, read: Read, zone: string): string {
  const [on, off] = [`${topic}/next_on`, `${topic}/next_off`];
  // Instants in UTC sort as texts do, and before the word for unknown.
  const isOnFirst = read(on) <= read(off);
  const change = read(isOnFirst ? on : off);
  if (change === UNKNOWN_PAYLOAD) return "";
  const span = spansOf(topic, read).find((one) => valueAt(one, ["start"]) === change);
  const perhaps = valueAt(span, ["sure"]) === true ? "" : "perhaps ";
  return `${perhaps}${isOnFirst ? "ON" : "OFF"} ${local(change, zone)}`;
}

function spansOf(topic: string, read: Read): readonly unknown[] {
  return listAt(parseJson(read(`${topic}/plan`)), ["spans"]);
}

/** Until when the verdict is certain, where after that a forecast or a value decides, by which it stays the same. */
function certainty(topic: string, read: Read, zone: string): string {
  const [first, second] = spansOf(topic, read);
  const state = valueAt(first, ["state"]);
  if (typeof state !== "boolean") return "";
  if (valueAt(first, ["sure"]) === false) return "not certain";
  const until = valueAt(second, ["start"]);
  const isSame = valueAt(second, ["state"]) === state && typeof until === "string";
  return isSame ? `certain until ${local(until, zone)}` : "";
}

/** Another program may have written there: then there are no reasons to show. */
function reasons(json: string): string[] {
  return listAt(parseJson(json), ["because"]).map(String);
}

/** The ids of all rules, or of all outputs. */
function idsBelow(group: "rules" | "outputs", topics: ReadonlyMap<string, string>): string[] {
  const ids = [...topics.keys()].flatMap((topic) => {
    const [head, id, part, ...rest] = topic.split("/");
    return head === group && id !== undefined && part === "state" && rest.length === 0 ? [id] : [];
  });
  return ids.toSorted();
}

function sentSoOften(tries: string): string {
  return tries === "1" ? "sent once" : `sent ${tries} times`;
}

/** What was sent to a device, whether it has confirmed it, and why it was sent. */
function outputRow(id: string, read: Read, zone: string): string[] {
  const topic = `outputs/${id}`;
  const { because, tries, last_answer, away_since, next_try, would_send } = outputJson(read(topic));
  const state = read(`${topic}/state`);
  const isSent = read(`${topic}/since`) !== UNKNOWN_PAYLOAD;
  const details = [
    ...(because === undefined ? [] : [inPast(because)]),
    ...(["failed", "contrary"].includes(state) && tries !== undefined ? [sentSoOften(tries)] : []),
    ...(["failed", "waiting", "contrary"].includes(state)
      ? [`last answer: ${shorten(last_answer ?? "none")}`]
      : []),
    ...(away_since === undefined ? [] : [`away since ${local(away_since, zone)}`]),
    ...(next_try === undefined ? [] : [`next try ${local(next_try, zone)}`]),
    ...(would_send === undefined ? [] : [`would send ${shorten(would_send)}`]),
  ];
  return [
    `output ${id}`,
    state,
    isSent ? shorten(read(`${topic}/payload`)) : "",
    isSent ? `since ${local(read(`${topic}/since`), zone)}` : "",
    details.join("; "),
  ];
}

/** `rouge_peak is ON` was so when the payload was sent. */
function inPast(because: string): string {
  return because.replace(/ is (ON|OFF|unknown)$/, " was $1").replace(/ are OFF$/, " were OFF");
}

/** JSON is cut in the middle: a command for a device often says on or off at its end. */
function shorten(payload: string): string {
  if (payload.length <= LONGEST_PAYLOAD) return payload;
  const end = payload.startsWith("{") ? payload.slice(-SHOWN_END) : "";
  return `${payload.slice(0, LONGEST_PAYLOAD - end.length)}…${end}`;
}

const LONGEST_PAYLOAD = 28;
const SHOWN_END = 18;

/** The values of the JSON that are not null; none where another program has written there. */
function outputJson(json: string): Record<string, string | undefined> {
  const known = Object.entries(parseJson(json) ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(known.map(([key, value]) => [key, String(value)]));
}

function countRows(read: Read): Cell[][] {
  const counts = (kind: string) => COLORS.map((color) => word(read(`season/${kind}/${color}`)));
  const names = COLORS.map((color): Cell => ({ text: color, color }));
  return [
    [`season ${word(read("season/label"))}`, ...names],
    ["used, with the day in force", ...counts("used")],
    ["left after the day in force", ...counts("left")],
    ["left, as the service says", ...counts("remaining")],
  ];
}

function serviceLines(read: Read, wall: Read, { health, now, zone }: PageOptions): string {
  const brokerAway = brokerProblem(health, now, zone);
  const published = read("service/problem_code");
  const code = PROBLEM_CODES.find((one) => one === published) ?? "none";
  const problem = brokerAway === null ? published : withBrokerAway(code);
  const failed = read("service/failed_outputs");
  const answers = (source: "service" | "official") => {
    const answered = read(`${source}/status`);
    if (answered === "off") return "off";
    // A simulator invents what either says.
    const status = answered === "ok" && read("service/status") === "simulated" ? "simulated" : answered;
    const { at, isSaved } = lastAnswer(source, health, now) ?? {};
    // What is published moves less often than the source answers.
    const isLeast = at === undefined || isSaved;
    const last = at === undefined ? wall(`${source}/last_success`) : local(at, zone);
    const word = status === "ok" && isSaved ? "no answer yet since the start" : status;
    return `${word}, last answer ${last}${isLeast && last !== NOT_KNOWN ? " or later" : ""}`;
  };
  const lines = [`service ${answers("service")}`];
  if (!["off", UNKNOWN_PAYLOAD].includes(read("official/status")))
    lines.push(`official source ${answers("official")}`);
  if (brokerAway !== null && problem === "broker") lines.push(brokerAway);
  else if (problem !== "none" && problem !== UNKNOWN_PAYLOAD)
    lines.push(`problem: ${problem}: ${describeProblem(problem, read)}`);
  // The problem says it already.
  const errorOf = (source: string) => (problem === source ? UNKNOWN_PAYLOAD : read(`${source}/last_error`));
  const [error, officialError] = [errorOf("service"), errorOf("official")];
  if (error !== UNKNOWN_PAYLOAD) lines.push(`last error: ${error}`);
  if (officialError !== UNKNOWN_PAYLOAD) lines.push(`last error of the official source: ${officialError}`);
  if (failed !== UNKNOWN_PAYLOAD) lines.push(`devices that do not do what they were sent: ${failed}`);
  return lines.map((line) => wrap(line)).join("");
}

/** As the running vigie says it; undefined where it cannot be asked, or has had none. */
function lastAnswer(source: "service" | "official", found: FoundHealth | null, now: Instant) {
  if (!found || !judgeHealth(found, now).loop.ok) return undefined;
  const { last_success, official_success, saved } = found.health.data;
  const at = source === "service" ? last_success : official_success;
  return at === null ? undefined : { at: isoInstant(at), isSaved: saved?.includes(source) ?? false };
}

/** What the running vigie says of the broker where it does not reach it: no topic can say it. */
export function brokerProblem(found: FoundHealth | null, now: Instant, zone: string): string | null {
  if (!found || !judgeHealth(found, now).loop.ok) return null;
  const { connected, url, away_since } = found.health.broker;
  if (connected) return null;
  const since = away_since === undefined ? "" : ` since ${local(isoInstant(away_since), zone)}`;
  return `problem: broker: the running vigie has not reached ${url}${since}, so no device can be commanded over MQTT`;
}

function describeProblem(problem: string, read: Read): string {
  if (problem === "clock" && !isClockWrong(read))
    return "the clock of this machine may be wrong, as its log says";
  if (problem !== "service" && problem !== "official") return PROBLEMS[problem] ?? "unknown";
  const error = read(`${problem}/last_error`);
  if (error !== UNKNOWN_PAYLOAD) return error;
  return read(`${problem}/last_success`) === UNKNOWN_PAYLOAD ? "it has not answered yet" : "it is silent";
}

const PROBLEMS: Readonly<Record<string, string>> = {
  vigie: "an error of vigie itself, which its log describes",
  clock: "the clock of this machine is wrong, so nothing of what is in force now is known",
  output: "a device does not do what it was sent",
  contradiction: "RTE and the service name different official colours",
  late: "the colour of tomorrow is not official yet",
  revised: "an official colour was corrected",
} satisfies Record<Exclude<ProblemCode, "none" | "broker" | "service" | "official">, string>;

function dayCell(day: string, read: Read): Cell {
  const text = read(`${day}/color`);
  const color = COLORS.find((one) => one === text) ?? null;
  return { text: color ?? "unknown", color };
}

function stage(day: string, read: Read): string {
  if (read(`${day}/source`) === "simulation") return "PRETENDED";
  // The tariff allows bleu on every day: it is the only colour there.
  if (read(`${day}/source`) === "laws" && read(`${day}/color`) === UNKNOWN_PAYLOAD) return "can only be bleu";
  const confidence = read(`${day}/confidence`);
  const words = word(read(`${day}/stage`));
  return words === "forecast" && confidence !== UNKNOWN_PAYLOAD ? `forecast ${confidence} %` : words;
}

/** What each source says of a date, where the JSON of a day has it: they contradict each other. A row has no room for it. */
function contradictionLines(read: Read): string {
  // Before 06:00 the day in force is yesterday.
  const lines = ["now", ...DAYS].flatMap((name) => {
    const day = parseJson(read(name));
    const [rte, service] = ["rte", "service"].map((source) => valueAt(day, ["official_by", source]));
    if (rte === undefined || service === undefined) return [];
    return [
      `${oneLine(`${dateCell(read(`${name}/date`))}: RTE says ${rte}, the service says ${service}`)}\n`,
    ];
  });
  return [...new Set(lines)].join("");
}

/** A date with its weekday: `Mon 2026-01-05`. */
function dateCell(date: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return word(date);
  const weekday = new Date(date).toLocaleDateString("en-GB", { weekday: "short", timeZone: "UTC" });
  return `${weekday} ${date}`;
}

/** Rows whose last cell is a long text: it stands beside the others, or below them where little room is left. */
function formatWithText(rows: readonly (readonly string[])[]): string {
  const table = formatTable(
    rows.map((row) => row.slice(0, -1)),
    false,
  );
  const lines = table.trimEnd().split("\n");
  const width = Math.max(...lines.map((line) => line.length)) + 2;
  return rows
    .map((row, index) => {
      const line = lines[index] ?? "";
      const text = row.at(-1) ?? "";
      if (width > WIDTH - LEAST_ROOM)
        return (line.length > WIDTH ? wrap(line) : `${line}\n`) + wrap(text, "    ");
      const beside = wrap(text, " ".repeat(width)).slice(width);
      return beside === "" ? `${line}\n` : line.padEnd(width) + beside;
    })
    .join("");
}

const LEAST_ROOM = 40;

/** A text as lines that are not wider than the page; a word that is wider stays whole. Nothing for an empty text. */
function wrap(text: string, indent = ""): string {
  const lines: string[] = [];
  for (const word of oneLine(text)
    .split(" ")
    .filter((word) => word !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines.map((line) => `${line}\n`).join("");
}

const WIDTH = 100;

function price(rate: string): string {
  return rate === UNKNOWN_PAYLOAD ? "" : `${rate} €/kWh`;
}

function word(value: string): string {
  return value === UNKNOWN_PAYLOAD ? "–" : value;
}

/** An instant as local time; as it is where another program has written something else there. */
function local(instant: string, timeZone: string): string {
  if (instant === UNKNOWN_PAYLOAD) return NOT_KNOWN;
  try {
    return Temporal.Instant.from(instant).toLocaleString("en-GB", { ...WALL, timeZone });
  } catch {
    return instant;
  }
}

const NOT_KNOWN = "not known";
const WALL = {
  weekday: "short",
  day: "2-digit",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
} as const;
