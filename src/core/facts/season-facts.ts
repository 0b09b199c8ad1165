import { daysBetween } from "../calendar/dates.ts";
import { byColor, type Color } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { DatedFacts } from "./facts.ts";
import type { View } from "./view.ts";

/** The season of the tariff day in force: as the service gives it, and as vigie counts it. */
export function seasonFacts(view: View): Pick<DatedFacts, "season" | "used" | "left"> {
  const season = view.knownDays.seasons[seasonOf(view.now).label] ?? null;
  const used = countOfficialDays(view);
  return { season, used, left: used && season && byColor((color) => season.total[color] - used[color]) };
}

/** The official days of the season, with the one in force; null while one of them is missing. */
function countOfficialDays({ knownDays, now }: View): Record<Color, number> | null {
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
