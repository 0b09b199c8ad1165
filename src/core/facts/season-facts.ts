import { daysBetween } from "../calendar/dates.ts";
import { byColor, type Color, type IsoDate } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { SeasonFacts } from "./facts.ts";

/** The season of the tariff day in force (`now`): as the service gives it, and as vigie counts it. */
export function seasonFacts(knownDays: KnownDays, now: IsoDate): SeasonFacts {
  const season = knownDays.seasons[seasonOf(now).label] ?? null;
  const used = countOfficialDays(knownDays, now);
  return { season, used, left: used && season && byColor((color) => season.total[color] - used[color]) };
}

/** The official days of the season, with the one in force; null while one of them is missing. */
function countOfficialDays(knownDays: KnownDays, now: IsoDate): Record<Color, number> | null {
  const { start } = seasonOf(now);
  const used = { bleu: 0, blanc: 0, rouge: 0 };
  let days = 0;
  for (const date in knownDays.days) {
    const color = knownDays.days[date]?.official?.color;
    if (color === undefined || date < start || date > now) continue;
    used[color] += 1;
    days += 1;
  }
  return days === daysBetween(start, now) + 1 ? used : null;
}
