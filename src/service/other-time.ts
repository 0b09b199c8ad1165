import { civilDate, daysBetween } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";
import type { Answer } from "../core/contract/answer.ts";

/**
 * What to say where no day of the forecasts is near the day of this machine's clock; null where one is. Such are the days of
 * a simulator that was started with `--from`: it sends no `Date`, so that comparing the clocks does not find it.
 */
export function describeOtherTime(answer: Answer, now: Instant): string | null {
  if (answer.kind !== "forecasts") return null;
  const today = civilDate(now, "UTC");
  const dates = answer.days.map(({ date }) => date).toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  const isNear = dates.some((date) => Math.abs(daysBetween(today, date)) <= NEAR);
  if (first === undefined || last === undefined || isNear) return null;
  const days = first === last ? first : `${first} to ${last}`;
  return `The service speaks of ${monthOf(first)} (${days}), this machine's clock says ${monthOf(today)} (${today}). Check which of the two is wrong; the option --from of vigie simulator moves only the simulator's clock`;
}

function monthOf(date: IsoDate): string {
  return new Date(date).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
}

/** Days: of another time zone, or of a service that leaves out today and tomorrow. */
const NEAR = 2;
