import { Temporal } from "temporal-polyfill";
import { COLORS, type Color } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { UNKNOWN_PAYLOAD } from "../core/facts/format-value.ts";
import { valueAt } from "../runtime/value-at.ts";
import { type Cell, formatTable } from "./table.ts";

export interface PageOptions {
  title: string;
  color: boolean;
  /** `tariff.time_zone`: instants are shown in its local time. */
  zone: string;
}

/** The topics of a running vigie on one screen. */
export function formatTopics(
  topics: ReadonlyMap<string, string>,
  { title, color, zone }: PageOptions,
): string {
  const read = (topic: string) => topics.get(topic) ?? UNKNOWN_PAYLOAD;
  const wall = (topic: string) => local(read(topic), zone);
  const rules = idsBelow("rules", topics).map((id) => ruleRow(id, read, wall));
  const outputs = idsBelow("outputs", topics).map((id) => outputRow(id, read, wall));
  const sections = [
    heading(read, title) + simulationLine(read, wall),
    formatTable([nowRow(read, wall), nextRow(read, wall)], color),
    formatTable([DAYS_HEAD, ...DAYS.map((day) => dayRow(day, read))], color),
    formatTable(nextRows(read, wall), color),
    ...(rules.length === 0 ? [] : [formatTable(rules, color)]),
    ...(outputs.length === 0 ? [] : [formatTable(outputs, color)]),
    formatTable(countRows(read), color),
    serviceLines(read, wall),
  ];
  return `${sections.join("\n")}\n`;
}

type Read = (topic: string) => string;

function heading(read: Read, title: string): string {
  const invented = read("service/status") === "simulated" ? "  (the days are INVENTED by the simulator)" : "";
  // `vigie once` and a vigie that was purged leave no such topic.
  const availability = read("availability");
  const state = availability === UNKNOWN_PAYLOAD ? "not running" : availability;
  return `vigie on ${title}: ${state}${invented}\n`;
}

/** At the top where a colour is pretended. */
function simulationLine(read: Read, wall: Read): string {
  const color = read("simulation/color");
  if (color === "auto" || color === UNKNOWN_PAYLOAD) return "";
  return `${color} is PRETENDED (simulation) until ${wall("simulation/until")}\n`;
}

function nowRow(read: Read, wall: Read): Cell[] {
  const period = { hp: "peak", hc: "off-peak" }[read("now/period")] ?? "";
  return [
    "now",
    read("now/date"),
    dayCell("now", read),
    stage("now", read),
    `${period} until ${wall("now/period_until")}`,
    price(read("now/rate")),
  ];
}

function nextRow(read: Read, wall: Read): Cell[] {
  return [
    "next",
    read("next/date"),
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
    read(`${day}/date`),
    dayCell(day, read),
    stage(day, read),
    price(read(`${day}/rate_hp`)),
    price(read(`${day}/rate_hc`)),
  ];
}

function nextRows(read: Read, wall: Read): Cell[][] {
  const nextDay = (color: Color): Cell[] => {
    const date = read(`next_${color}/date`);
    return [
      `next ${color}`,
      date === UNKNOWN_PAYLOAD ? (OUTLOOK[read(`next_${color}/outlook`)] ?? "unknown") : date,
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
function ruleRow(id: string, read: Read, wall: Read): Cell[] {
  const topic = `rules/${id}`;
  const state = read(`${topic}/state`);
  return [
    `rule ${id}`,
    state === UNKNOWN_PAYLOAD ? "unknown" : state,
    nextVerdictChange(topic, read, wall),
    reasons(read(topic)).join("; "),
  ];
}

function nextVerdictChange(topic: string, read: Read, wall: Read): string {
  const [on, off] = [`${topic}/next_on`, `${topic}/next_off`];
  // Instants in UTC sort as texts do, and before the word for unknown.
  const isOnFirst = read(on) <= read(off);
  if (read(isOnFirst ? on : off) === UNKNOWN_PAYLOAD) return "";
  return isOnFirst ? `ON ${wall(on)}` : `OFF ${wall(off)}`;
}

/** Another program may have written there: then there are no reasons to show. */
function reasons(json: string): string[] {
  try {
    const { because }: { because?: unknown } = JSON.parse(json) ?? {};
    return Array.isArray(because) ? because.map(String) : [];
  } catch {
    return [];
  }
}

/** The ids of all rules, or of all outputs. */
function idsBelow(group: "rules" | "outputs", topics: ReadonlyMap<string, string>): string[] {
  const ids = [...topics.keys()].flatMap((topic) => {
    const [head, id, part, ...rest] = topic.split("/");
    return head === group && id !== undefined && part === "state" && rest.length === 0 ? [id] : [];
  });
  return ids.toSorted();
}

/** What was sent to a device, whether it has confirmed it, and why it was sent. */
function outputRow(id: string, read: Read, wall: Read): Cell[] {
  const topic = `outputs/${id}`;
  const { because, tries, last_answer, would_send } = outputJson(read(topic));
  const state = read(`${topic}/state`);
  const isSent = read(`${topic}/since`) !== UNKNOWN_PAYLOAD;
  const details = [
    ...(because === undefined ? [] : [because]),
    ...(state === "failed" && tries !== undefined ? [`sent ${tries} times`] : []),
    ...(["failed", "waiting"].includes(state) ? [`last answer: ${shorten(last_answer ?? "none")}`] : []),
    ...(would_send === undefined ? [] : [`would send ${shorten(would_send)}`]),
  ];
  return [
    `output ${id}`,
    state,
    isSent ? shorten(read(`${topic}/payload`)) : "",
    isSent ? `since ${wall(`${topic}/since`)}` : "",
    details.join("; "),
  ];
}

function shorten(payload: string): string {
  return payload.length > LONGEST_PAYLOAD ? `${payload.slice(0, LONGEST_PAYLOAD)}…` : payload;
}

const LONGEST_PAYLOAD = 24;

/** The values of the JSON that is not null; none where another program has written there. */
function outputJson(json: string): Record<string, string | undefined> {
  try {
    const values: unknown = JSON.parse(json);
    const known = Object.entries(values ?? {}).filter(([, value]) => value !== null);
    return Object.fromEntries(known.map(([key, value]) => [key, String(value)]));
  } catch {
    return {};
  }
}

function countRows(read: Read): Cell[][] {
  const counts = (kind: string) => COLORS.map((color) => word(read(`season/${kind}/${color}`)));
  const names = COLORS.map((color): Cell => ({ text: color, color }));
  return [
    [`season ${word(read("season/label"))}`, ...names],
    ["left, counted by vigie", ...counts("left")],
    ["used", ...counts("used")],
    ["left, as the service says", ...counts("remaining")],
  ];
}

function serviceLines(read: Read, wall: Read): string {
  const problem = read("service/problem_code");
  const failed = read("service/failed_outputs");
  const answers = (source: string) => {
    const status = read(`${source}/status`);
    return status === "off" ? "off" : `${status}, last answer ${wall(`${source}/last_success`)}`;
  };
  const errors = [read("service/last_error"), read("official/last_error")];
  const lines = [
    `service ${answers("service")}`,
    `official source ${answers("official")}`,
    ...(problem === "none" ? [] : [`problem: ${problem}`]),
    ...(failed === UNKNOWN_PAYLOAD ? [] : [`devices that do not do what they were sent: ${failed}`]),
    ...errors.filter((error) => error !== UNKNOWN_PAYLOAD),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function dayCell(day: string, read: Read): Cell {
  const text = read(`${day}/color`);
  const color = COLORS.find((one) => one === text) ?? null;
  return { text: color ?? "unknown", color };
}

function stage(day: string, read: Read): string {
  if (read(`${day}/source`) === "simulation") return "PRETENDED";
  const confidence = read(`${day}/confidence`);
  const words = word(read(`${day}/stage`));
  if (words === "forecast" && confidence !== UNKNOWN_PAYLOAD) return `forecast ${confidence} %`;
  return words + contradiction(read(day));
}

/** What each source says, where the JSON of a day has it: they contradict each other. */
function contradiction(json: string): string {
  const day = parseJson(json);
  const [rte, service] = ["rte", "service"].map((source) => valueAt(day, ["official_by", source]));
  return rte === undefined || service === undefined
    ? ""
    : ` while RTE says ${rte} and the service ${service}`;
}

function price(rate: string): string {
  return rate === UNKNOWN_PAYLOAD ? "" : `${rate} €/kWh`;
}

function word(value: string): string {
  return value === UNKNOWN_PAYLOAD ? "–" : value;
}

/** An instant as local time. */
function local(instant: string, timeZone: string): string {
  if (instant === UNKNOWN_PAYLOAD) return "not known";
  return Temporal.Instant.from(instant).toLocaleString("en-GB", { ...WALL, timeZone });
}

const WALL = {
  weekday: "short",
  day: "2-digit",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
} as const;
