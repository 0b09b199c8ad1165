import type { IsoDate } from "../calendar/tariff.ts";
import type { Prices } from "../facts/facts.ts";
import type { Problem } from "../log/problem.ts";

/** If the service and the configured table differ, one of the two is out of date; `tariff.rates_first` decides. */
export function differentPrices({ difference }: Prices): Problem | null {
  if (!difference) return null;
  const { color, period, service, configured } = difference;
  return {
    sentence: `The price of ${color} ${period} is ${service} EUR/kWh in the service's answers and ${configured} in tariff.rates: one of the two is out of date`,
    over: "The prices of the service and those of the configuration agree again",
  };
}

export function oldPrices({ old_row }: Prices): Problem | null {
  if (old_row === null) return null;
  return { sentence: sayOldPrices(old_row), over: "The prices in force are not old any more" };
}

/** Also `vigie check` says it. `service`: what is known of the service's prices. */
export function sayOldPrices(row: IsoDate, service = "no service names any"): string {
  return `The newest prices of tariff.rates began on ${row}, more than eight months ago, and ${service}. Compare them with your contract, and add a row with the new ones`;
}
