import type { IsoDate, Tariff } from "../calendar/tariff.ts";
import type { FactsInput } from "../facts/facts.ts";
import { comparePrices, oldPriceRow } from "../facts/prices.ts";
import type { ServiceKind } from "../facts/source-record.ts";
import { type View, viewAt } from "../facts/view.ts";
import type { LogLine } from "../log/log-line.ts";

/** What the log says of prices that are out of date, or were. */
export function priceLines(input: FactsInput, tariff: Tariff): LogLine[] {
  const view = viewAt(input.knownDays, input.clock.at, tariff);
  return [describeDifference(input, tariff), oldPricesLine(view, input.service.kind)];
}

/** If the service and the configured table differ, one of the two is out of date; `tariff.rates_first` decides. */
function describeDifference(input: FactsInput, tariff: Tariff): LogLine {
  const problem = "prices";
  const [first] = comparePrices(input, tariff);
  if (!first)
    return { problem, isOver: "The prices of the service and those of the configuration agree again" };
  const { color, period, service, configured } = first;
  return {
    problem,
    starts: `The price of ${color} ${period} is ${service} EUR/kWh in the service's answers and ${configured} in tariff.rates: one of the two is out of date`,
  };
}

export function oldPricesLine(view: View, service: ServiceKind): LogLine {
  const problem = "old prices";
  const row = oldPriceRow(view, service !== "none");
  if (row === null) return { problem, isOver: "The prices in force are not old any more" };
  return { problem, starts: sayOldPrices(row) };
}

/** Also `vigie check` says it. `service`: what is known of the service's prices. */
export function sayOldPrices(row: IsoDate, service = "no service names any"): string {
  return `The newest prices of tariff.rates began on ${row}, more than eight months ago, and ${service}. Compare them with your contract, and add a row with the new ones`;
}
