import { daysBetween, tariffDate } from "../core/calendar/dates.ts";
import type { Color, Instant } from "../core/calendar/tariff.ts";
import { datesBetween, type Season, seasonOf } from "../core/calendar/tariff-season.ts";
import { officialColor } from "./official.ts";
import { TEMPO } from "./tempo.ts";
import { trueColor, type World } from "./world.ts";

/**
 * SeasonResponse (2.5). `remaining` is the total less every day whose colour is official, so a day announced but not
 * begun is out of it already. `days_elapsed` counts the tariff days of the season that are over, `days_remaining` the
 * others, the day in force among them.
 */
export function seasonAnswer(season: Season, at: Instant, world: World) {
  const dates = datesBetween(season.start, season.end);
  const total = count(dates.map((date) => trueColor(date, world)));
  const used = count(dates.flatMap((date) => officialColor(date, at, world) ?? []));
  const over = daysBetween(season.start, tariffDate(at, TEMPO));
  const elapsed = Math.min(Math.max(over, 0), dates.length);
  return {
    season: season.label,
    start_date: season.start,
    end_date: season.end,
    remaining: {
      rouge: total.rouge - used.rouge,
      blanc: total.blanc - used.blanc,
      bleu: total.bleu - used.bleu,
    },
    total,
    days_elapsed: elapsed,
    days_remaining: dates.length - elapsed,
  };
}

/** The season in force: the old one until its last tariff day ends. */
export function seasonInForce(at: Instant): Season {
  return seasonOf(tariffDate(at, TEMPO));
}

function count(colors: Color[]): { rouge: number; blanc: number; bleu: number } {
  const of = (wanted: Color) => colors.filter((color) => color === wanted).length;
  return { rouge: of("rouge"), blanc: of("blanc"), bleu: of("bleu") };
}
