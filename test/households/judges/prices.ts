import { COLORS, type Color, type Day, dateOf, type Period, tariffDay } from "../calendar.ts";
import type { Judge } from "./judge.ts";
import { readSpans, type Span } from "./next-days.ts";
import {
  judgeSnapshots,
  type MomentOfBook,
  momentsOf,
  numberOf,
  readAll,
  type Snapshot,
} from "./snapshots.ts";
import { shownFacts } from "./truth/conditions.ts";
import { periodAt } from "./truth/off-peak.ts";
import { pricesOf, ratesOf } from "./truth/prices.ts";

/** Each price follows from what the service has said and from the owner's configuration, and all that show the same one agree. */
export const priceJudge: Judge = judgeSnapshots("prices", (snapshot) => [
  ...PRICES.map((topic) => judgeAmount(topic, snapshot)),
  ...CIVIL_DAYS.flatMap((day) => PERIODS.map((period) => judgeDay(day, period, snapshot))),
  judgeNow(snapshot),
  ...COLORS.flatMap((color) => PERIODS.map((period) => judgePrice(color, period, snapshot))),
  judgeRateOfSpan(snapshot),
  judgeSpans("rates_forecast", snapshot),
  judgeAnnounced(snapshot),
]);

const CIVIL_DAYS = ["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"];
const PERIODS: readonly Period[] = ["hp", "hc"];
const PRICES = [
  "now/rate",
  ...CIVIL_DAYS.flatMap((day) => PERIODS.map((period) => `${day}/rate_${period}`)),
  ...COLORS.flatMap((color) => PERIODS.map((period) => `prices/${color}_${period}`)),
];

/** EUR/kWh: never below zero, nor in cents. */
function judgeAmount(topic: string, { read }: Snapshot): string {
  const payload = read(topic);
  if (payload === null) return "skipped";
  // A configured price is 5 EUR/kWh at most.
  const isPrice = payload === "None" || (/^\d(\.\d{1,5})?$/.test(payload) && Number(payload) <= 5);
  return isPrice ? "right" : `${topic} is ${payload}, which is no price in EUR/kWh`;
}

function judgeDay(day: string, period: Period, snapshot: Snapshot): string {
  return judgeBy(`${day}/rate_${period}`, snapshot, (known, at) => {
    const date = dateOf(day, at, known.house)!;
    const facts = shownFacts(known, date, at);
    if (facts.some((fact) => fact.isPretended || fact.isUnlawful)) return null;
    return facts.flatMap(({ color }) => ratesOf(known, date, color, period));
  });
}

function judgePrice(color: Color, period: Period, snapshot: Snapshot): string {
  return judgeBy(`prices/${color}_${period}`, snapshot, (known, at) => pricesOf(known, at, color, period));
}

/** "What is in force": the price of the day in force, in the period in force. */
function judgeNow(snapshot: Snapshot): string {
  const shown = readAll(snapshot, ["now/rate", "now/date", "today/date", "now/period"]);
  if (!shown) return "skipped";
  const [rate, now, today, period] = shown;
  if (now === today && now !== "None") {
    const ofDay = snapshot.read(`today/rate_${period}`);
    if (ofDay !== null && ofDay !== rate) return `now/rate is ${rate}, and today/rate_${period} is ${ofDay}`;
  }
  return judgeBy("now/rate", snapshot, (known, at) => {
    const date = tariffDay(at, known.house);
    const facts = shownFacts(known, date, at);
    if (facts.some((fact) => fact.isPretended || fact.isUnlawful)) return null;
    return facts.flatMap(({ color }) => ratesOf(known, date, color, periodAt(at, snapshot.house.offPeak)));
  });
}

/** By what was known just before, too: all that is right at one of these instants is right. */
function judgeBy(
  topic: string,
  snapshot: Snapshot,
  allowed: (known: MomentOfBook, at: number) => readonly (number | null)[] | null,
): string {
  const payload = snapshot.read(topic);
  if (snapshot.isSpecial || snapshot.isClockWrong || payload === null) return "skipped";
  const wanted = new Set<number | null>();
  for (const moment of momentsOf(snapshot)) {
    const found = allowed(moment, moment.at);
    if (found === null) return "skipped";
    for (const one of found) wanted.add(one === null ? null : Number(one.toFixed(5)));
  }
  const said = numberOf(payload);
  // While the clock may be wrong, the moment is not said.
  if (wanted.has(said) || (said === null && snapshot.isDoubted)) return "right";
  return `${topic} is ${payload}, and ${[...wanted].map((one) => one ?? "None").join(" or ")} is right`;
}

/** The spans of `rates_forecast` begin with the price in force. */
function judgeRateOfSpan(snapshot: Snapshot): string {
  const shown = readAll(snapshot, ["now/rate", "now/source", "now/date", "rates_forecast"]);
  if (!shown || shown[1] === "simulation" || shown[2] === "None") return "skipped";
  const [rate = "", , , text = ""] = shown;
  const inForce = readSpans(text).find(({ start, end }) => start <= snapshot.at && snapshot.at < end);
  const said = inForce === undefined ? "None" : String(inForce.value);
  return said === rate ? "right" : `now/rate is ${rate}, and rates_forecast says ${said}`;
}

/** The spans of a day have its prices, and none is missing between two. */
function judgeSpans(topic: string, snapshot: Snapshot): string {
  const text = snapshot.read(topic);
  if (text === null || snapshot.read("simulation/color") !== "auto") return "skipped";
  const spans = readSpans(text);
  const gap = spans.find(({ end }, index) => spans[index + 1] && spans[index + 1]!.start !== end);
  if (gap) return `${topic} has a gap after ${new Date(gap.end).toISOString()}`;
  for (const span of spans) {
    const wrong = wrongIn(span, snapshot);
    if (wrong)
      return `${topic} says ${span.value} from ${new Date(span.start).toISOString()} on, and ${wrong}`;
  }
  return "right";
}

function wrongIn({ start, value }: Span, snapshot: Snapshot): string | null {
  const { house, isSpecial } = snapshot;
  const day = dayOf(tariffDay(start, house), snapshot);
  if (!day) return null;
  const periods = isSpecial ? PERIODS : [periodAt(start, house.offPeak)];
  const rates = readAll(
    snapshot,
    periods.map((period) => `${day}/rate_${period}`),
  );
  if (!rates || snapshot.read(`${day}/source`) === "simulation" || rates.includes(String(value))) return null;
  return `${day} costs ${rates.join(" or ")}`;
}

/** The name of the civil day with this date. */
function dayOf(date: Day, { read }: Snapshot): string | undefined {
  return CIVIL_DAYS.find((day) => read(`${day}/date`) === date);
}

/** "Announced days only": `rates` is what `rates_forecast` begins with, up to the first day that is not official. */
function judgeAnnounced(snapshot: Snapshot): string {
  const shown = readAll(snapshot, ["rates", "rates_forecast"]);
  if (!shown) return "skipped";
  const [rates = [], all = []] = shown.map(readSpans);
  const isBeginning = rates.every((span, index) => JSON.stringify(span) === JSON.stringify(all[index]));
  if (!isBeginning) return "rates is not what rates_forecast begins with";
  for (const [index, { start }] of all.entries()) {
    const day = dayOf(tariffDay(start, snapshot.house), snapshot);
    const official = day && snapshot.read(`${day}/official`);
    if (!day || !official || official === "None" || snapshot.read(`${day}/source`) === "simulation") continue;
    const isIn = index < rates.length;
    if (isIn && official !== "ON") return `rates has a span of ${day}, which is not official`;
    // It may come after a day that is not official.
    if (index === rates.length && official === "ON") return `rates has no span of ${day}, which is official`;
  }
  return "right";
}
