import type { Color } from "../calendar/tariff.ts";
import { isPossible, isPossibleInSeason } from "../calendar/tariff-laws.ts";
import { datesBetween } from "../calendar/tariff-season.ts";
import type { Outlook, Sighting } from "./facts.ts";
import type { View } from "./view.ts";

/** The first date with this colour, from `next` to the end of the horizon. */
export function sightColor(color: Color, view: View): Sighting {
  const { tariff, next, last, day } = view;
  for (const date of datesBetween(next, last)) {
    const known = day(date);
    if (known.color === color) return { date, confidence: known.confidence, outlook: "known" };
    if (known.color === null && isPossible(date, color, tariff.laws)) return nothing("unknown");
  }
  return nothing(isPossibleInSeason(next, color, tariff.laws) ? "none_in_horizon" : "season_over");
}

function nothing(outlook: Outlook): Sighting {
  return { date: null, confidence: null, outlook };
}
