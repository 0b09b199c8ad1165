import { addDays, tariffDate, weekday } from "../calendar/dates.ts";
import { periodAt } from "../calendar/period.ts";
import { byColor, type Color, type Instant, type IsoDate, type Period } from "../calendar/tariff.ts";
import { allowedColors } from "../calendar/tariff-laws.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import { wallClock } from "../calendar/wall-clock.ts";
import { CIVIL_DAYS } from "../facts/facts.ts";
import { seasonFacts } from "../facts/season-facts.ts";
import type { View } from "../facts/view.ts";
import { type DayName, WEEKDAYS, type Weekday } from "./rule.ts";
import type { Seen, Sight } from "./seen.ts";

/** What rules can see. All but the time on the wall stays as it is until the next frame begins. */
export interface Frame {
  start: Instant;
  /** Milliseconds that the wall shows since midnight, at the start. */
  wall: number;
  period: Period;
  weekday: Weekday;
  /** Days and counts are looked at only where a rule asks for them. */
  day: (name: DayName) => Sight;
  /** Tariff days from `next` on: it is the first. */
  ahead: (place: number) => Sight;
  rate: () => Measure;
  season: () => SeasonSight;
  /** What was asked of this frame before. */
  looks: Map<unknown, { threshold: number | null; seen: Seen }>;
}

/** A number, and whether it stands whatever the forecasts become. */
export interface Measure {
  value: number | null;
  certain: boolean;
}

export interface SeasonSight {
  days_remaining: Measure;
  remaining: Record<Color, Measure>;
  left: Record<Color, Measure>;
}

export function frameAt(start: Instant, view: View): Frame {
  const { tariff, now, next } = view;
  const sights = new Map<IsoDate, Sight>();
  const sight = (date: IsoDate): Sight => {
    const known = sights.get(date) ?? { facts: view.day(date), possible: allowedColors(date, tariff.laws) };
    sights.set(date, known);
    return known;
  };
  const period = periodAt(start, tariff);
  let season: SeasonSight | undefined;
  return {
    start,
    wall: wallClock(start, tariff.time_zone),
    period,
    weekday: WEEKDAYS[weekday(now) - 1] ?? "sun",
    day: (name) => sight(dateOf(name, view)),
    ahead: (place) => sight(addDays(next, place)),
    rate: () => {
      const { facts } = sight(now);
      return { value: facts.rates[period], certain: facts.official };
    },
    season: () => {
      season ??= seasonSight(view);
      return season;
    },
    looks: new Map(),
  };
}

function dateOf(name: DayName, { now, next, today }: View): IsoDate {
  if (name === "now") return now;
  return name === "next" ? next : addDays(today, CIVIL_DAYS.indexOf(name));
}

/** What the service says of the season stands for the tariff day on which it said so. */
function seasonSight(view: View): SeasonSight {
  const { season, left } = seasonFacts(view);
  const seenAt = view.knownDays.seasons[seasonOf(view.now).label]?.seen_at;
  const fresh = seenAt !== undefined && tariffDate(seenAt, view.tariff) === view.now;
  const said = (value: number | null): Measure => ({ value, certain: fresh });
  const counted = (value: number | null): Measure => ({ value, certain: true });
  return {
    days_remaining: said(season?.days_remaining ?? null),
    remaining: byColor((color) => said(season?.remaining[color] ?? null)),
    left: byColor((color) => counted(left?.[color] ?? null)),
  };
}
