import { addDays, civilDate, dayStart, tariffDate, wallInstant } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { OfficialRequest } from "../contract/answer.ts";
import type { SeldomFailures } from "../facts/source-record.ts";
import { mayBeAsked } from "./plan-requests.ts";
import { hasComeSince, lastMultiple, recheckTime, UNTIL_FINAL } from "./poll-times.ts";
import type { RequestTimes } from "./request-times.ts";

export interface OfficialTimesInput {
  /** `service.poll.announcement.between`. */
  between: readonly [string, string];
  tariff: Tariff;
  /** What the official source has said of a date. */
  wordFor: (date: IsoDate) => { color: Color; confirmed: boolean } | undefined;
  /** The colour that the forecast service names for a date, official or not. */
  serviceColor: (date: IsoDate) => Color | null;
  /** When the season was last answered. */
  asked: IsoDate | null;
  failures: SeldomFailures;
  /** 0 to 1, chosen once for each installation, so that they do not all ask in the same second. */
  offset: number;
}

export interface DueOfficial {
  request: OfficialRequest;
  /** Sent even when the day's budget of requests is spent. */
  essential: boolean;
}

/** The requests to the official source that are due now, the most important first. At the start both are due. */
export function dueOfficial(now: Instant, requested: RequestTimes, input: OfficialTimesInput): DueOfficial[] {
  // vigie may be killed and started again every ten seconds: a start alone makes no request essential.
  const light = requested.polled.light ?? null;
  const last = light ?? requested.before_start;
  const essential = [recheckTime(now, input), hourlyTime(now, input)].some((at) =>
    hasComeSince(last, at, now),
  );
  const isLightDue =
    essential ||
    light === null ||
    [windowTime(now, input), differenceTime(now, input)].some((at) => hasComeSince(light, at, now));
  const due: DueOfficial[] = [];
  if (isLightDue) due.push({ request: { kind: "light" }, essential });
  if (isSeasonDue(now, requested, input)) {
    const { label } = seasonOf(tariffDate(now, input.tariff));
    due.push({ request: { kind: "season", label }, essential: false });
  }
  return due;
}

/** In the hours of the announcement: every 15 minutes until tomorrow is known, then every 30 until it is confirmed. */
function windowTime(now: Instant, input: OfficialTimesInput): Instant | undefined {
  const today = civilDate(now, input.tariff.time_zone);
  const { begin, end } = windowOf(today, input);
  const word = input.wordFor(addDays(today, 1));
  if (now < begin || now >= end || word?.confirmed) return undefined;
  const at = lastMultiple(now, word ? UNTIL_FINAL : UNTIL_KNOWN, input.offset);
  return at >= begin ? at : undefined;
}

/** From the end of these hours until the day begins: hourly, until it is confirmed. */
function hourlyTime(now: Instant, input: OfficialTimesInput): Instant | undefined {
  const { tariff, wordFor, offset } = input;
  const today = civilDate(now, tariff.time_zone);
  const isOver = now >= windowOf(today, input).end;
  const date = isOver ? addDays(today, 1) : today;
  if (now >= dayStart(date, tariff) || wordFor(date)?.confirmed) return undefined;
  const at = lastMultiple(now, HOUR, offset);
  return at >= windowOf(addDays(date, -1), input).end ? at : undefined;
}

function windowOf(date: IsoDate, { between, tariff }: OfficialTimesInput): { begin: Instant; end: Instant } {
  const [begin, end] = between;
  return {
    begin: wallInstant(date, begin, tariff.time_zone),
    end: wallInstant(date, end, tariff.time_zone),
  };
}

/** Hourly, as long as the two sources name different colours. */
function differenceTime(now: Instant, input: OfficialTimesInput): Instant | undefined {
  return doSourcesDiffer(now, input) ? lastMultiple(now, HOUR, input.offset) : undefined;
}

/** Whether the two sources name different colours for the day in force, the next one or tomorrow. */
function doSourcesDiffer(now: Instant, { tariff, wordFor, serviceColor }: OfficialTimesInput): boolean {
  const inForce = tariffDate(now, tariff);
  const tomorrow = addDays(civilDate(now, tariff.time_zone), 1);
  return [inForce, addDays(inForce, 1), tomorrow].some((date) => {
    const [word, color] = [wordFor(date), serviceColor(date)];
    return word !== undefined && color !== null && word.color !== color;
  });
}

/** At the start, and once a day at night. */
function isSeasonDue(now: Instant, requested: RequestTimes, input: OfficialTimesInput): boolean {
  const { tariff, offset, asked, failures } = input;
  const today = civilDate(now, tariff.time_zone);
  const first = wallInstant(today, SEASON_FROM, tariff.time_zone);
  const last = wallInstant(today, SEASON_TO, tariff.time_zone);
  if (!mayBeAsked({ kind: "season" }, { failures, now, tariff })) return false;
  const { season } = requested.polled;
  if (season === undefined) return true;
  const isTime = asked !== today && now >= first + offset * (last - first);
  // If nothing could be sent, no failure counts it.
  return (isTime || failures.season !== undefined) && (season > now || now - season >= HOUR);
}

const UNTIL_KNOWN = 15 * 60_000;
const HOUR = 60 * 60_000;
const SEASON_FROM = "02:00";
const SEASON_TO = "05:00";
