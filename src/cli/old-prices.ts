import type { Config } from "../config/config.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { daysAt } from "../core/facts/days-view.ts";
import { oldPriceRow } from "../core/facts/prices.ts";
import { sayOldPrices } from "../core/loop/price-problems.ts";
import { systemClock } from "../runtime/clock.ts";
import { NewerState } from "../state/state-format.ts";
import { CommandFailed } from "./exit-code.ts";
import { readKnownDays } from "./read-known-days.ts";

/** What is to be said of prices that have grown old, by what the vigie with this state folder has learnt; null: nothing. */
export async function findOldPrices(config: Config): Promise<string | null> {
  const row = rowBy(NO_KNOWN_DAYS, config, false);
  // If no row is old, the state, which another user may own, is not needed.
  if (row === null || config.service.base_url === "none") return row && sayOldPrices(row);
  try {
    const { knownDays } = await readKnownDays(config);
    return oldPricesBy(knownDays, config);
  } catch (error) {
    if (!(error instanceof CommandFailed || error instanceof NewerState)) throw error;
    return sayOldPrices(row, `whether the service names any is not known (${error.message})`);
  }
}

/** The same by these days. */
export function oldPricesBy(known: KnownDays, config: Config): string | null {
  const row = rowBy(known, config, config.service.base_url !== "none");
  return row && sayOldPrices(row);
}

function rowBy(known: KnownDays, { tariff }: Config, hasService: boolean): IsoDate | null {
  return oldPriceRow(daysAt(known, systemClock.now(), tariff), hasService);
}
