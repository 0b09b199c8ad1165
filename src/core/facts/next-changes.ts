import { addDays, dayStart } from "../calendar/dates.ts";
import { nextPeriodChange, periodSpans } from "../calendar/period.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { DatedFacts } from "./facts.ts";
import type { View } from "./view.ts";

/** When what is in force next becomes different; null where an unknown day comes first, or nothing known differs. */
export function nextChange(view: View): DatedFacts["next_change"] {
  return {
    color: nextColorChange(view),
    period: nextPeriodChange(view.at, view.tariff) ?? null,
    rate: nextRateChange(view),
  };
}

function nextColorChange({ tariff, now, day }: View): Instant | null {
  const { color } = day(now);
  for (let date = now; color !== null && day(date).color !== null; date = addDays(date, 1)) {
    if (day(date).color !== color) return dayStart(date, tariff);
  }
  return null;
}

function nextRateChange({ at, tariff, now, day }: View): Instant | null {
  let inForce: number | null = null;
  for (let date = now; day(date).color !== null; date = addDays(date, 1)) {
    const { rates } = day(date);
    for (const { start, end, period } of periodSpans(date, tariff)) {
      const rate = rates[period];
      if (end <= at) continue;
      if (rate === null) return null;
      if (inForce !== null && rate !== inForce) return start;
      inForce = rate;
    }
  }
  return null;
}
