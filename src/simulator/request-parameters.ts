import { z } from "zod";
import { addDays, civilDate, daysBetween } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";
import { type Season, seasonWithLabel } from "../core/calendar/tariff-season.ts";
import { endpoints, type ValidationError } from "../core/contract/endpoints.ts";
import { seasonInForce, TEMPO } from "./tempo.ts";

type Detail = ValidationError["detail"];

/** A request that cannot be answered: status 422 lists the wrong parameters, 400 is a sentence. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: 400 | 422;
  readonly detail: Detail | string;

  constructor(status: 400 | 422, detail: Detail | string) {
    super(typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join(", "));
    this.status = status;
    this.detail = detail;
  }
}

/** The requested season; without a label the one in force (4.3). */
export function readSeason(query: URLSearchParams, at: Instant): Season {
  const name = endpoints.season.parameters.season;
  const label = query.get(name);
  if (label === null) return seasonInForce(at);
  if (!/^\d{4}-\d{4}$/.test(label)) {
    const msg = `Expected a season like 2025-2026, got ${label}`;
    throw new Refusal(422, [{ loc: ["query", name], msg, type: "string_pattern_mismatch" }]);
  }
  const season = seasonWithLabel(label);
  if (season === undefined || season.start < EARLIEST || season.start > LATEST) {
    const msg = `Expected two years in a row from 2000 on, got ${label}`;
    throw new Refusal(422, [{ loc: ["query", name], msg, type: "value_error" }]);
  }
  return season;
}

/** The requested date, which lies at most seven days ahead (4.2). */
export function readDate(text: string, at: Instant): IsoDate {
  const loc = ["path", "target_date"];
  if (!isDate(text)) throw new Refusal(422, [wrongDate(loc, text)]);
  const last = lastDate(at);
  if (text >= EARLIEST && text <= last) return text;
  const msg = `Expected a date from ${EARLIEST} to ${last}, got ${text}`;
  throw new Refusal(422, [{ loc, msg, type: "value_error" }]);
}

/** The requested range of history, cut to the days that can be official (4.4). */
export function readRange(query: URLSearchParams, at: Instant): { start: IsoDate; end: IsoDate } {
  const names = endpoints.history.parameters;
  const start = query.get(names.start);
  const end = query.get(names.end);
  const problems = [...dateProblems(names.start, start), ...dateProblems(names.end, end)];
  if (start === null || end === null || problems.length > 0) throw new Refusal(422, problems);
  if (start > end) throw new Refusal(400, `Expected ${names.start} not to come after ${names.end}`);
  const days = daysBetween(start, end) + 1;
  if (days > MOST_DAYS) throw new Refusal(400, `Expected at most ${MOST_DAYS} days, got ${days}`);
  return { start: start < EARLIEST ? EARLIEST : start, end: earlier(end, lastDate(at)) };
}

function earlier(one: IsoDate, other: IsoDate): IsoDate {
  return one < other ? one : other;
}

function dateProblems(name: string, value: string | null): Detail {
  const loc = ["query", name];
  if (value === null) return [{ loc, msg: "Field required", type: "missing" }];
  return isDate(value) ? [] : [wrongDate(loc, value)];
}

function wrongDate(loc: string[], text: string): Detail[number] {
  return { loc, msg: `Expected YYYY-MM-DD, got ${text}`, type: "date_from_datetime_parsing" };
}

function isDate(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}

/** D+7. */
function lastDate(at: Instant): IsoDate {
  return addDays(civilDate(at, TEMPO.time_zone), 7);
}

/** The holiday table and the seasons are good for these years. */
const EARLIEST = "2000-01-01";
const LATEST = "2099-09-01";
const MOST_DAYS = 365;
