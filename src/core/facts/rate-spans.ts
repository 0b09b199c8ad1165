import { datesBetween } from "../calendar/dates.ts";
import { periodSpans } from "../calendar/period.ts";
import type { DayFacts, Span } from "./facts.ts";
import type { View } from "./view.ts";

/** One span a period, from the start of the tariff day in force to the first hour of which no rate is known. */
export function rateSpans({ tariff, now, last, day }: View, counts: (day: DayFacts) => boolean): Span[] {
  const spans: Span[] = [];
  for (const date of datesBetween(now, last)) {
    const facts = day(date);
    for (const { start, end, period } of periodSpans(date, tariff)) {
      const value = facts.rates[period];
      if (value === null || !counts(facts)) return spans;
      spans.push({ start, end, value });
    }
  }
  return spans;
}
