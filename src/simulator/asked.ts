import { z } from "zod";
import { addDays, civilDate, daysBetween } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";
import { type Season, seasonLabelled } from "../core/calendar/tariff-season.ts";
import { endpoints } from "../core/contract/endpoints.ts";
import { seasonInForce } from "./quotas.ts";
import { invalid, Refusal } from "./refusal.ts";
import { TEMPO } from "./tempo.ts";

export type Query = Readonly<Record<string, string>>;

/** The season a request asks for; without a label the one in force (4.3). */
export function askedSeason(query: Query, at: Instant): Season {
  const name = endpoints.season.parameters.season;
  const label = query[name];
  if (label === undefined) return seasonInForce(at);
  if (!/^\d{4}-\d{4}$/.test(label)) {
    throw invalid(
      ["query", name],
      "string_pattern_mismatch",
      `Expected a season like 2025-2026, got ${label}`,
    );
  }
  const season = seasonLabelled(label);
  if (season === undefined || season.start < EARLIEST || season.start > LATEST) {
    throw invalid(["query", name], "value_error", `Expected two years in a row from 2000 on, got ${label}`);
  }
  return season;
}

/** The date a request asks for; nothing is said of days beyond D+7 (4.2). */
export function askedDate(text: string, at: Instant): IsoDate {
  const loc = ["path", "target_date"];
  if (!isDate(text)) throw invalid(loc, "date_from_datetime_parsing", `Expected YYYY-MM-DD, got ${text}`);
  const last = horizonEnd(at);
  if (text >= EARLIEST && text <= last) return text;
  throw invalid(loc, "value_error", `Expected a date from ${EARLIEST} to ${last}, got ${text}`);
}

/** The range a request asks for, cut to the days of which something can be official (4.4). */
export function askedRange(query: Query, names: RangeNames, at: Instant): { start: IsoDate; end: IsoDate } {
  const problems = [names.start, names.end].flatMap((name) => dateProblem(name, query[name]));
  if (problems.length > 0) throw new Refusal(422, problems);
  const { [names.start]: start = "", [names.end]: end = "" } = query;
  if (start > end) throw new Refusal(400, `Expected ${names.start} not to come after ${names.end}`);
  const days = daysBetween(start, end) + 1;
  if (days > LONGEST) throw new Refusal(400, `Expected at most ${LONGEST} days, got ${days}`);
  return { start: start < EARLIEST ? EARLIEST : start, end: earlier(end, horizonEnd(at)) };
}

interface RangeNames {
  start: string;
  end: string;
}

function dateProblem(name: string, value: string | undefined) {
  const loc = ["query", name];
  if (value === undefined) return [{ loc, msg: "Field required", type: "missing" }];
  if (isDate(value)) return [];
  return [{ loc, msg: `Expected YYYY-MM-DD, got ${value}`, type: "date_from_datetime_parsing" }];
}

function earlier(one: IsoDate, other: IsoDate): IsoDate {
  return one < other ? one : other;
}

function isDate(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}

/** D+7. */
function horizonEnd(at: Instant): IsoDate {
  return addDays(civilDate(at, TEMPO.time_zone), 7);
}

/** The holiday table and the seasons are good for these years. */
const EARLIEST = "2000-01-01";
const LATEST = "2099-09-01";
const LONGEST = 365;
