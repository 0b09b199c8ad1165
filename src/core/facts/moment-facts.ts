import { addDays, dayStart, nextMidnight, wallInstant } from "../calendar/dates.ts";
import { nextPeriodChange, periodAt } from "../calendar/period.ts";
import type { Instant, IsoDate } from "../calendar/tariff.ts";
import type { MomentFacts } from "./facts.ts";
import type { View } from "./view.ts";

/** What is true until the next boundary. */
export function momentFacts(view: View, lateAfter: string): MomentFacts {
  const { at, tariff, today, day } = view;
  const nextStart = dayStart(view.next, tariff);
  const edge = nextPeriodChange(at, tariff);
  const lateFrom = wallInstant(today, lateAfter, tariff.time_zone);
  const midnight = nextMidnight(at, tariff.time_zone);
  const now = day(view.now);
  const period = periodAt(at, tariff);
  return {
    now: { ...now, period, rate: now.rates[period], color_until: nextStart, period_until: edge ?? null },
    next: { ...day(view.next), at: nextStart },
    days: civilDays(view),
    announcement: announcement(view, lateFrom),
    boundaries: {
      day: nextStart,
      period: Math.min(edge ?? nextStart, nextStart),
      midnight,
      late: lateFrom > at ? lateFrom : midnight,
    },
  };
}

function civilDays({ today, day }: View): MomentFacts["days"] {
  const ahead = (days: number) => day(addDays(today, days));
  return {
    today: day(today),
    tomorrow: ahead(1),
    d2: ahead(2),
    d3: ahead(3),
    d4: ahead(4),
    d5: ahead(5),
    d6: ahead(6),
    d7: ahead(7),
  };
}

function announcement({ at, today, day }: View, lateFrom: Instant): MomentFacts["announcement"] {
  const date: IsoDate = addDays(today, 1);
  const { stage, official } = day(date);
  return { stage: stage ?? "forecast", date, late: at >= lateFrom && !official };
}
