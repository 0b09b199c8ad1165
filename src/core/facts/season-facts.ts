import { daysBetween } from "../calendar/dates.ts";
import { byColor, COLORS, type Color, type IsoDate, type Tariff } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { KnownDays } from "../days/known-days.ts";
import { officialColor } from "../days/official-color.ts";
import type { SeasonFacts } from "./facts.ts";

/** The season of the tariff day in force (`now`): as the service gives it, and as vigie counts it. */
export function seasonFacts(knownDays: KnownDays, now: IsoDate, tariff: Tariff): SeasonFacts {
  const season = knownDays.seasons[seasonOf(now).label] ?? null;
  const used = countOfficialDays(knownDays, now);
  const assumed = tariff.assume_season_total || (!season && isNamedByRte(knownDays, now));
  const total = assumed ? usualTotal(now, tariff) : (season?.total ?? null);
  const left = used && total && byColor((color) => total[color] - used[color]);
  // A season that had more days of a colour than it has shows that its number of days is not the right one.
  const isWrong = left !== null && COLORS.some((color) => left[color] < 0);
  return { season, by_date: assumed ? seasonOf(now) : null, used, left: isWrong ? null : left, assumed };
}

/** Whether RTE has named days of this season: a service that gives none is not needed then. */
function isNamedByRte({ days }: KnownDays, now: IsoDate): boolean {
  const { start } = seasonOf(now);
  return Object.entries(days).some(([date, { rte_word }]) => rte_word && date >= start && date <= now);
}

/** 22 rouge, 43 blanc, and bleu all other days of the season of this date; null if the tariff has no laws. */
export function usualTotal(now: IsoDate, { laws }: Pick<Tariff, "laws">): Record<Color, number> | null {
  if (laws === "off") return null;
  const { start, end } = seasonOf(now);
  const [rouge, blanc] = [22, 43];
  return { rouge, blanc, bleu: daysBetween(start, end) + 1 - rouge - blanc };
}

/** The official days of the season, with the one in force; null while one of them is missing. */
function countOfficialDays(knownDays: KnownDays, now: IsoDate): Record<Color, number> | null {
  const { start } = seasonOf(now);
  const used = { bleu: 0, blanc: 0, rouge: 0 };
  let days = 0;
  for (const date in knownDays.days) {
    const color = officialColor(knownDays.days[date], date < now)?.color;
    if (color === undefined || date < start || date > now) continue;
    used[color] += 1;
    days += 1;
  }
  return days === daysBetween(start, now) + 1 ? used : null;
}
