import { addDays, civilDate, wallInstant } from "../calendar/dates.ts";
import type { Instant, IsoDate, Rates, Tariff } from "../calendar/tariff.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, OfficialColor } from "./known-days.ts";

/** An official colour as the date endpoint or history says it: the latest counts, another one is a revision. */
export function learnOfficial(known: KnownDay, said: OfficialColor): KnownDay {
  const old = known.official;
  if (!old) return { ...known, official: said };
  if (old.color !== said.color) return { ...known, official: { ...said, revised_from: old.color } };
  const official = confirm(old, said);
  return isEqual(old, official) ? known : { ...known, official };
}

/** Of a batch that names several colours, only what was known before it and its last word count. */
export function settleOfficial(before: OfficialColor | undefined, after: OfficialColor): OfficialColor {
  const { revised_from, ...last } = after;
  if (!before) return last;
  if (before.color === last.color) {
    const official = confirm(before, last);
    return isEqual(before, official) ? before : official;
  }
  return { ...last, revised_from: before.color };
}

/** From 11:30 of the day before on, an official colour is no longer corrected (days-and-time: stages). */
export function isBeyondCorrection(date: IsoDate, now: Instant, tariff: Tariff): boolean {
  // Of a year of history only the last day needs the clock.
  if (date <= civilDate(now, tariff.time_zone)) return true;
  return now >= wallInstant(addDays(date, -1), "11:30", tariff.time_zone);
}

/** Rates said for one date stay said for it where a later answer leaves them out. */
export function mergeRates(old: Rates, said: Rates): Rates {
  return { hp: said.hp ?? old.hp, hc: said.hc ?? old.hc };
}

function confirm(old: OfficialColor, said: OfficialColor): OfficialColor {
  return { ...old, rates: mergeRates(old.rates, said.rates), final: old.final || said.final };
}
