import { addDays, civilDate, wallInstant } from "../core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import { inventSeason } from "./invented-season.ts";
import { TEMPO } from "./tempo.ts";

/** Days that have another colour than the seed gives them. */
export type MovedDays = Readonly<Record<IsoDate, Color>>;

/** The days that the simulator serves. */
export interface World {
  seed: number;
  /** Days given by hand; every other day is invented from the seed. */
  days: ReadonlyMap<IsoDate, Color>;
  /** They count more than the others, and their forecasts are right. */
  moved?: MovedDays;
  /** The official announcements of a day, in order of time. A service that corrects a colour announces twice. */
  announcements: (date: IsoDate, trueColor: Color) => Announcement[];
}

interface Announcement {
  at: Instant;
  color: Color;
}

/** Usual wall time of the day before at which a colour becomes official. */
export const OFFICIAL_AT = "10:30";

/** Announces the true colour once, at this wall time of the day before. */
export function announceAt(time: string): World["announcements"] {
  return (date, color) => [{ at: dayBeforeAt(date, time), color }];
}

/** The instant at this wall time on the day before a date. */
export function dayBeforeAt(date: IsoDate, time: string): Instant {
  return wallInstant(addDays(date, -1), time, TEMPO.time_zone);
}

/** The colour that a day has in the end. */
export function trueColor(date: IsoDate, { moved, days, seed }: World): Color {
  return moved?.[date] ?? days.get(date) ?? inventSeason(seasonOf(date).label, seed).get(date) ?? "bleu";
}

/** The official colour of a day at this instant; undefined before its first announcement. */
export function officialColor(date: IsoDate, at: Instant, world: World): Color | undefined {
  return announcementsOf(date, world).findLast((announcement) => announcement.at <= at)?.color;
}

/** The newest announcement at this instant, be it of tomorrow or of today. */
export function lastAnnouncement(at: Instant, world: World): Instant {
  const today = civilDate(at, TEMPO.time_zone);
  const instants = [today, addDays(today, 1)].flatMap((date) =>
    announcementsOf(date, world).map((announcement) => announcement.at),
  );
  return Math.max(...instants.filter((instant) => instant <= at));
}

function announcementsOf(date: IsoDate, world: World): Announcement[] {
  return world.announcements(date, trueColor(date, world));
}
