import { daysBetween } from "../calendar/dates.ts";
import type { Color } from "../calendar/tariff.ts";
import { seasonOf } from "../calendar/tariff-season.ts";
import type { DatedFacts, SeasonFacts } from "./facts.ts";
import type { View } from "./view.ts";

/** The season of the tariff day in force: as the service says, and as vigie counts. */
export function seasonFacts(view: View): Pick<DatedFacts, "season" | "used" | "left"> {
  const season = saidSeason(view);
  const used = countOfficial(view);
  return { season, used, left: used && season && subtract(season.total, used) };
}

/** The service's answer about this very season: one about another says nothing of this one. */
function saidSeason({ knownDays, now }: View): SeasonFacts | null {
  const said = knownDays.seasons[seasonOf(now).label];
  if (!said) return null;
  const { seen_at: _, ...season } = said;
  return season;
}

/** Official days of the season, the one in force included; null while one of them is missing. */
function countOfficial({ knownDays, now }: View): Record<Color, number> | null {
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

function subtract(total: Record<Color, number>, used: Record<Color, number>): Record<Color, number> {
  return {
    bleu: total.bleu - used.bleu,
    blanc: total.blanc - used.blanc,
    rouge: total.rouge - used.rouge,
  };
}
