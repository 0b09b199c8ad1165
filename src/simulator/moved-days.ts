import { addDays, civilDate, datesBetween } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";
import { isColorAllowed } from "../core/calendar/tariff-laws.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import {
  announceAt,
  type MovedDays,
  OFFICIAL_AT,
  officialColor,
  trueColor,
  type World,
} from "./official-colors.ts";
import { TEMPO } from "./tempo.ts";

interface MoveOptions {
  at: Instant;
  seed: number;
  /** Those that were moved before. */
  moved: MovedDays;
  /** Nobody was told a day so far. Otherwise days that are official or past stay as they are. */
  isFirst: boolean;
}

/**
 * The moved days with which a first look shows something: a rouge day within the next three days; if none of them may be rouge,
 * within the next week; if none of that may be, a blanc day within the next three. It changes its place with the last such day
 * of the season, so a season keeps its number of each colour. Nothing is moved if the season has no such day left.
 */
export function moveDays({ at, seed, moved, isFirst }: MoveOptions): MovedDays {
  const world: World = { seed, moved, days: new Map(), announcements: announceAt(OFFICIAL_AT) };
  const isOpen = (date: IsoDate) => officialColor(date, at, world) === undefined;
  const today = civilDate(at, TEMPO.time_zone);
  for (const { color, within } of WISHES) {
    const allowed = datesBetween(addDays(today, 1), addDays(today, within)).filter((date) =>
      isColorAllowed(date, color, TEMPO.laws),
    );
    const there = allowed.find((date) => trueColor(date, world) === color);
    // Its forecast might be wrong.
    if (there) return { ...moved, [there]: color };
    const target = allowed.find((date) => isFirst || isOpen(date));
    if (!target) continue;
    const { start, end } = seasonOf(target);
    const others = datesBetween(start, end).filter((date) => trueColor(date, world) === color);
    const other = others.findLast(isOpen) ?? (isFirst ? others[0] : undefined);
    if (other) return { ...moved, [target]: color, [other]: trueColor(target, world) };
  }
  return moved;
}

const WISHES = [
  { color: "rouge", within: 3 },
  { color: "rouge", within: 7 },
  { color: "blanc", within: 3 },
] as const;
