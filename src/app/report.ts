import { isoInstant } from "../core/calendar/dates.ts";
import type { ContradictionLine } from "../core/days/contradictions.ts";
import type { DayEvent } from "../core/days/day-events.ts";
import { dayEventPayload, describeDayEvent } from "../core/days/day-events.ts";
import type { FactsInput, Simulation } from "../core/facts/facts.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import type { PriceDifference } from "../core/facts/prices.ts";
import { simpleResultsIn } from "../core/rules/condition-types.ts";
import { decidingConditions, describeResult } from "../core/rules/reasons.ts";
import type { Rule } from "../core/rules/rule.ts";
import { nameTruth } from "../core/rules/truth.ts";
import type { Verdict } from "../core/rules/verdict.ts";
import {
  describeVerdictChange,
  type VerdictChange,
  verdictChangeEvent,
} from "../core/rules/verdict-changes.ts";
import type { Publisher } from "../mqtt/publisher.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { OFFICIAL_SOURCE, type Source } from "../service/sources.ts";

/** What the loop found, for the household in the log and for others on the topic `event`. */

export function reportDayEvent(event: DayEvent, log: Log, publisher: Publisher): void {
  publisher.publishEvent(dayEventPayload(event));
  if (event.kind === "revised") log.warn(describeDayEvent(event));
  else log.info(describeDayEvent(event));
}

export function reportVerdictChange(
  change: VerdictChange,
  log: Pick<Log, "info">,
  publisher: Pick<Publisher, "publishEvent">,
): void {
  const event = verdictChangeEvent(change);
  if (event) publisher.publishEvent(event);
  log.info(describeVerdictChange(change));
}

/** With `when_unknown` the verdict may stay as it was when a value is missing or cannot be read: nothing else would say so. */
export function reportMissingValues(verdicts: readonly Verdict[], problemLog: ProblemLog): void {
  for (const { rule, state, reason, conditions, threshold } of verdicts) {
    const key = valuesOf(rule);
    if (reason === "disabled")
      problemLog.isOver(key, `Rule ${rule.id} is disabled and needs no value any more`);
    const missing = decidingConditions(conditions).filter(({ condition }) => condition.kind === "mqtt");
    if (reason === "when_unknown" && missing.length > 0) {
      const found = missing.map((one) => describeResult(one, threshold)).join("; ");
      problemLog.starts(
        key,
        `Rule ${rule.id} counts as ${nameTruth(state)} (when_unknown), because a value is unknown: ${found}`,
      );
    }
    // A value may be missing that does not decide now: that of `all: [{ period: hc }, { mqtt: … }]` by day.
    const lacksValue = simpleResultsIn(conditions).some(
      ({ condition, truth }) => condition.kind === "mqtt" && truth === null,
    );
    if (!lacksValue) problemLog.isOver(key, `Rule ${rule.id} lacks no value any more`);
  }
}

/** Of a rule that a reload removes no verdict follows, so nothing else would end its problem. */
export function reportRemovedRules(
  before: readonly Rule[],
  now: readonly Rule[],
  problemLog: ProblemLog,
): void {
  for (const rule of before) {
    if (now.some(({ id }) => id === rule.id)) continue;
    problemLog.isOver(valuesOf(rule), `Rule ${rule.id} is removed and needs no value any more`);
  }
}

function valuesOf({ id }: Rule): string {
  return `values of rule ${id}`;
}

export function reportSwitchedBack(rule: string, enabled: boolean, log: Pick<Log, "info">): void {
  const [now, before] = enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
  log.info(`Rule ${rule} is ${now} again: the time for which a command had ${before} it is over`);
}

/** A simulation that was over by its time. One that a command ended, or replaced, is in the log already. */
export function reportSimulationEnd(
  running: { before: Simulation | null; now: Simulation | null },
  kept: Simulation | null,
  log: Log,
): void {
  const { before, now } = running;
  if (!before || now || kept?.begun !== before.begun) return;
  log.info(
    `The simulation has ended: ${before.color} is not pretended any more for the tariff day ${before.date}`,
  );
}

export function reportContradiction({ sentence, begins }: ContradictionLine, log: Log): void {
  if (begins) log.warn(sentence);
  else log.info(sentence);
}

/** Each source has its own limit of lines. It is never over: an answer that is used says nothing of the old one. */
export function reportRefusedWord(sentence: string, { name }: Source, problemLog: ProblemLog): void {
  problemLog.starts(`words of the ${name} that are not used`, sentence);
}

/** `hasAnswered`: it answered before this poll. One that never did does not answer "again". */
export function reportPoll(
  { failures, answers }: PollOutcome,
  { name }: Source,
  { problemLog, hasAnswered }: { problemLog: ProblemLog; hasAnswered: boolean },
): void {
  for (const failure of failures) problemLog.starts(name, failure);
  // Without answers and failures nothing was sent, so nothing is known of the source.
  if (answers > 0 && failures.length === 0)
    problemLog.isOver(name, hasAnswered ? `The ${name} answers again` : `The ${name} answers`);
}

/** The hourly poll succeeds also while the budget is spent. */
export function reportBudget(isSpent: boolean, source: Source, problemLog: ProblemLog): void {
  const key = `budget of the ${source.name}`;
  const { spent, over } = source === OFFICIAL_SOURCE ? OFFICIAL_BUDGET : SERVICE_BUDGET;
  if (isSpent) problemLog.starts(key, spent);
  else problemLog.isOver(key, over);
}

const SERVICE_BUDGET = {
  spent: "vigie has sent all requests that it may send today: only the hourly poll goes on",
  over: "vigie may send requests to the service again",
};
const OFFICIAL_BUDGET = {
  spent:
    "vigie has sent the official source all requests that it may send today: only the hourly ones and those of 18:00 and 05:50 go on",
  over: "vigie may send requests to the official source again",
};

/** Where the service and the configured table differ, one of the two is out of date; `tariff.rates_first` decides. */
export function reportPrices([first]: PriceDifference[], problemLog: ProblemLog): void {
  if (!first) {
    problemLog.isOver("prices", "The prices of the service and those of the configuration agree again");
    return;
  }
  const { color, period, service, configured } = first;
  problemLog.starts(
    "prices",
    `The price of ${color} ${period} is ${service} EUR/kWh in the service's answers and ${configured} in tariff.rates: one of the two is out of date`,
  );
}

/** Logged, because all topics of the moment are `None` then. */
export function reportClock({ at, right }: FactsInput["clock"], problemLog: ProblemLog): void {
  if (right) problemLog.isOver("clock", "The clock of this machine is right again");
  else problemLog.starts("clock", WRONG_CLOCK, { true_time: isoInstant(at) });
}

const WRONG_CLOCK =
  "The clock of this machine is wrong: until it is right, vigie publishes nothing of what is in force now";
