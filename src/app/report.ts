import { isoInstant } from "../core/calendar/dates.ts";
import type { DayEvent } from "../core/days/day-events.ts";
import { dayEventPayload, describeDayEvent } from "../core/days/day-events.ts";
import type { FactsInput } from "../core/facts/facts.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import type { PriceDifference } from "../core/facts/prices.ts";
import type { Publisher } from "../mqtt/publisher.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";

/** News of a day, for its owner and for whoever hears the `event` topic. */
export function tellDayEvent(notice: DayEvent, log: Log, publisher: Publisher): void {
  publisher.publishEvent(dayEventPayload(notice));
  if (notice.kind === "revised") log.warn(describeDayEvent(notice));
  else log.info(describeDayEvent(notice));
}

/** What a poll came to, and whether its prices are those of the configuration. */
export function tellPoll(outcome: PollOutcome, differences: PriceDifference[], problemLog: ProblemLog): void {
  tellOutcome(outcome, problemLog);
  tellPrices(differences, problemLog);
}

/** Whoever sees nothing said of today finds the reason in the log. */
export function tellClock({ at, right }: FactsInput["clock"], problemLog: ProblemLog): void {
  if (right) problemLog.isOver("clock", "The clock of this machine is right again");
  else problemLog.starts("clock", WRONG_CLOCK, { true_time: isoInstant(at) });
}

function tellOutcome({ failures, answers }: PollOutcome, problemLog: ProblemLog): void {
  for (const failure of failures) problemLog.starts("service", failure);
  if (failures.length > 0) return;
  if (answers === 0) {
    problemLog.starts("budget", "The requests of this day are used up: only the hourly poll goes on");
    return;
  }
  problemLog.isOver("budget", "The service is asked again");
  problemLog.isOver("service", "The forecast service answers as it should again");
}

/** One of the two is out of date; whose counts is `tariff.rates_first`. */
function tellPrices(differences: PriceDifference[], problemLog: ProblemLog): void {
  const [first] = differences;
  if (!first) {
    problemLog.isOver("prices", "The service's prices and those of the configuration agree again");
    return;
  }
  const { color, period, service, owner } = first;
  problemLog.starts(
    "prices",
    `${color} ${period} costs ${service} EUR/kWh by the service and ${owner} by tariff.rates: one of them is out of date`,
  );
}

const WRONG_CLOCK =
  "The clock of this machine is wrong: until it is right, vigie does not say what is in force now";
