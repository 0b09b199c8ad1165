import { addDays, COLORS, type Color, type Day, possibleColors, tariffDay } from "../calendar.ts";
import type { House } from "./house.ts";
import type { Judge } from "./judge.ts";
import { judgeSnapshots, readAll, type Snapshot } from "./snapshots.ts";

/** `next_change/…`, `next_rouge/…` and `next_blanc/…` say what follows from the days that are shown beside them. */
export const nextDayJudges: readonly Judge[] = [
  judgeSnapshots("next change", (snapshot) => [
    judgeColorChange(snapshot),
    judgePeriodChange(snapshot),
    judgeRateChange(snapshot),
  ]),
  judgeSnapshots("next rouge and blanc", (snapshot) => [
    judgeNext("rouge", snapshot),
    judgeNext("blanc", snapshot),
  ]),
];

interface ShownDay {
  date: Day;
  color: Color | null;
  confidence: string;
}

/** The days from the one in force on, one after the other; null: a simulation pretends one of them, or one is not there now. */
function shownDays(snapshot: Snapshot): ShownDay[] | null {
  const found = new Map<Day, ShownDay>();
  for (const name of ["now", "next", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"]) {
    const parts = readAll(
      snapshot,
      PARTS.map((part) => `${name}/${part}`),
    );
    if (!parts) return null;
    const [date = "", word, confidence = "", source] = parts;
    // While the clock is known to be wrong, the date is not said.
    if (source === "simulation" || date === "None") return null;
    found.set(date, { date, color: COLORS.find((color) => color === word) ?? null, confidence });
  }
  // Somebody who pretends a colour for the day after hides it from `next` only.
  if (snapshot.read("simulation/color") !== "auto") return null;
  return [...found.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
}

const PARTS = ["date", "color", "confidence", "source"];

/** "When the value in force next becomes *different*; forecasts count; `None` if an unknown day comes first." */
function judgeColorChange(snapshot: Snapshot): string {
  const { read, house } = snapshot;
  const change = read("next_change/color");
  const [now, ...later] = daysFromNow(snapshot) ?? [];
  if (change === null || !now) return "skipped";
  const other = now.color === null ? now : later.find(({ color }) => color !== now.color);
  // A day after `d7` may be known, too.
  if (!other) return "skipped";
  if (other.color === null)
    return change === "None" ? "right" : `next_change/color is ${change}, and ${other.date} is unknown`;
  const at = Date.parse(change);
  const isRight =
    change !== "None" && tariffDay(at, house) === other.date && tariffDay(at - 1, house) < other.date;
  if (isRight) return "right";
  return `next_change/color is ${change}, and ${other.date} is the next day of another colour, ${other.color}`;
}

function daysFromNow(snapshot: Snapshot): ShownDay[] | null {
  const now = snapshot.read("now/date");
  const days = shownDays(snapshot)?.filter(({ date }) => now !== null && date >= now);
  // None may be missing between two.
  return days?.every(({ date }, index) => date === addDays(days[0]!.date, index)) ? days : null;
}

function judgePeriodChange(snapshot: Snapshot): string {
  const [change, until] = readAll(snapshot, ["next_change/period", "now/period_until"]) ?? [];
  // While the clock is known to be wrong, the moment is not said.
  if (until === undefined || snapshot.read("now/period") === "None") return "skipped";
  if (change === until) return "right";
  return `next_change/period is ${change}, and the period lasts until ${until}`;
}

function judgeRateChange(snapshot: Snapshot): string {
  const [change, text] = readAll(snapshot, ["next_change/rate", "rates_forecast"]) ?? [];
  if (change === undefined || text === undefined) return "skipped";
  const spans = readSpans(text).filter(({ end }) => end > snapshot.at);
  const [inForce] = spans;
  const other = spans.find(({ value }) => value !== inForce?.value);
  if (!other) {
    const end = spans.at(-1)?.end ?? snapshot.at;
    // A day after `d7` may be known, too.
    return change === "None" || Date.parse(change) >= end
      ? "right"
      : `next_change/rate is ${change}, and rates_forecast has no other rate`;
  }
  if (Date.parse(change) === other.start) return "right";
  const start = new Date(other.start).toISOString();
  return `next_change/rate is ${change}, and by rates_forecast the rate is another one from ${start} on`;
}

export interface Span {
  start: number;
  end: number;
  value: number;
}

export function readSpans(text: string): Span[] {
  return (JSON.parse(text) as { start: string; end: string; value: number }[]).map(
    ({ start, end, value }) => ({
      start: Date.parse(start),
      end: Date.parse(end),
      value,
    }),
  );
}

/** "The first such date from `next` on." */
function judgeNext(color: Color, snapshot: Snapshot): string {
  const said = readAll(
    snapshot,
    ["date", "confidence", "outlook"].map((part) => `next_${color}/${part}`),
  );
  const [, ...days] = daysFromNow(snapshot) ?? [];
  if (!said || days.length === 0) return "skipped";
  const allowed = allowedNext(color, days, snapshot.house);
  const isRight = allowed.some((one) => one.every((part, index) => part === said[index]));
  if (isRight) return "right";
  return `next_${color} is ${said.join(", ")}, and by the days that are shown it is ${allowed.map((one) => one.join(", ")).join(" or ")}`;
}

/** Date, confidence and outlook. */
function allowedNext(color: Color, days: readonly ShownDay[], house: House): string[][] {
  const none = (outlook: string) => ["None", "None", outlook];
  for (const day of days) {
    if (day.color === color) return [[day.date, day.confidence, "known"]];
    if (day.color !== null) continue;
    if (possibleColors(day.date, house).includes(color)) return [none("unknown")];
  }
  return [none("none_in_horizon"), none("season_over")];
}
