import { datesBetween } from "../calendar/dates.ts";
import type { Color } from "../calendar/tariff.ts";
import { isColorAllowed, isColorAllowedInRestOfSeason } from "../calendar/tariff-laws.ts";
import type { NextDayOfColor, Outlook } from "./facts.ts";
import type { View } from "./view.ts";

/** The first date with this colour, from `next` to the end of the horizon. */
export function nextDayOfColor(color: Color, view: View): NextDayOfColor {
  const { tariff, next, last, day } = view;
  for (const date of datesBetween(next, last)) {
    const known = day(date);
    if (known.color === color) return { date, confidence: known.confidence, outlook: "known" };
    if (known.color === null && isColorAllowed(date, color, tariff.laws)) return nothing("unknown");
  }
  return nothing(isColorAllowedInRestOfSeason(next, color, tariff.laws) ? "none_in_horizon" : "season_over");
}

function nothing(outlook: Outlook): NextDayOfColor {
  return { date: null, confidence: null, outlook };
}
