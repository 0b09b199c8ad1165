import { type Clock, systemClock } from "../../src/runtime/clock.ts";

/**
 * The days around now, for `moved` of a simulator, as a forecast of `days` is wrong on some dates: none is rouge unless a command
 * pretends it, whatever the date of a test is.
 */
export function bleuDays({ now }: Clock = systemClock): Record<string, "bleu"> {
  const dayFromNow = (days: number) => new Date(now() + days * DAY).toISOString().slice(0, 10);
  return Object.fromEntries(bleuDaysWith<"bleu">(dayFromNow(-20), dayFromNow(20), {}));
}

/** The dates from `from` to `to`: bleu, except for the named ones. */
export function bleuDaysWith<Color extends string>(from: string, to: string, named: Record<string, Color>) {
  const days = new Map<string, Color | "bleu">();
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY) {
    const date = new Date(at).toISOString().slice(0, 10);
    days.set(date, named[date] ?? "bleu");
  }
  return days;
}

const DAY = 86_400_000;
