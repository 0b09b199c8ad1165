import { addDays, civilDate, dayStart, tariffDate, wallInstant } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { OfficialRequest } from "../contract/answer.ts";
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
    hasComeSince(light, windowTime(now, input), now) ||
    isDifferenceDue(now, requested, input);
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

/** A new difference at once, one that stays hourly. */
function isDifferenceDue(now: Instant, requested: RequestTimes, input: OfficialTimesInput): boolean {
  const differences = findDifferences(now, input);
  if (differences === "") return false;
  return (
    differences !== requested.differences ||
    hasComeSince(requested.polled.light ?? null, lastMultiple(now, HOUR, input.offset), now)
  );
}

/** The dates for which the two sources name different colours, with both colours: `2026-01-06 rouge bleu`. */
export function findDifferences(
  now: Instant,
  { tariff, wordFor, serviceColor }: Pick<OfficialTimesInput, "tariff" | "wordFor" | "serviceColor">,
): string {
  const inForce = tariffDate(now, tariff);
  const tomorrow = addDays(civilDate(now, tariff.time_zone), 1);
  const dates = [...new Set([inForce, addDays(inForce, 1), tomorrow])];
  return dates
    .flatMap((date) => {
      const [word, color] = [wordFor(date), serviceColor(date)];
      return word && color !== null && word.color !== color ? [`${date} ${word.color} ${color}`] : [];
    })
    .join(", ");
}

/** At the start, and once a day at night; again each hour as long as it is not answered. */
function isSeasonDue(now: Instant, requested: RequestTimes, { tariff, offset }: OfficialTimesInput): boolean {
  const today = civilDate(now, tariff.time_zone);
  const times = [addDays(today, -1), today].map((date) => {
    const first = wallInstant(date, SEASON_FROM, tariff.time_zone);
    const last = wallInstant(date, SEASON_TO, tariff.time_zone);
    return first + offset * (last - first);
  });
  const time = times.findLast((at) => at <= now);
  if (!hasComeSince(requested.answered.season ?? null, time, now)) return false;
  const { season } = requested.polled;
  return season === undefined || season > now || now - season >= HOUR;
}

const UNTIL_KNOWN = 15 * 60_000;
const HOUR = 60 * 60_000;
const SEASON_FROM = "02:00";
const SEASON_TO = "05:00";
