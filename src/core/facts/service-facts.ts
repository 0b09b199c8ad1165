import type { Instant } from "../calendar/tariff.ts";
import { type KnownDays, newestForecast } from "../days/known-days.ts";
import {
  type FactsInput,
  type MomentFacts,
  type OfficialFacts,
  PROBLEM_CODES,
  type ProblemCode,
  type ServiceFacts,
  type ServiceStatus,
} from "./facts.ts";
import { isSilentForADay, lastError, roundDown, type SourceRecord, sourceStatus } from "./source-record.ts";

/** How well the service answers, and the most important problem. `moment` is null while the clock is known to be wrong. */
export function serviceFacts(input: FactsInput, moment: MomentFacts | null): ServiceFacts {
  const status = serviceStatus(input);
  return {
    status,
    ...answersOf(input.service, newestForecast(input.knownDays.days)),
    updated_at: shownUpdate(input.knownDays),
    problem_code: problemCode(status, moment, input),
    failed_outputs: input.failed_outputs,
  };
}

/**
 * `updated_at` as it is published: exact with each forecast that changes, and in steps of four hours from then on. So an answer that
 * says the same again is rarely a message.
 */
export function shownUpdate({ days, updated_at }: KnownDays): Instant | null {
  return updated_at === null ? null : roundDown(updated_at, newestForecast(days));
}

/** null: there is no official source. */
export function officialFacts(record: SourceRecord | null, at: Instant): OfficialFacts {
  return { status: record ? sourceStatus(record, at) : "off", ...answersOf(record) };
}

/** `changed_at`: so that the last answer moves together with the forecasts, in one message. */
function answersOf(
  record: SourceRecord | null,
  changed_at: Instant | null = null,
): Pick<OfficialFacts, "last_success" | "last_error"> {
  if (!record) return { last_success: null, last_error: null };
  const { answered_at } = record;
  const last_success = answered_at === null ? null : roundDown(answered_at, changed_at);
  return { last_success, last_error: lastError(record) };
}

/** The most important problem while the broker is away. No topic ever says so: it would be read when the broker is back. */
export function withBrokerAway(code: ProblemCode): ProblemCode {
  const isMoreImportant = code !== "none" && PROBLEM_CODES.indexOf(code) < PROBLEM_CODES.indexOf("broker");
  return isMoreImportant ? code : "broker";
}

function serviceStatus({ service, isInvented, clock }: FactsInput): ServiceStatus {
  if (isInvented) return "simulated";
  return service ? sourceStatus(service, clock.at) : "off";
}

function problemCode(status: ServiceStatus, moment: MomentFacts | null, input: FactsInput): ProblemCode {
  if (input.vigie_failed) return "vigie";
  if (!moment || input.clock.doubted_by !== undefined) return "clock";
  if (status === "down" || status === "degraded") return "service";
  if (isOfficialProblem(input, status)) return "official";
  if (input.failed_outputs.length > 0) return "output";
  if (isContradicted(moment)) return "contradiction";
  if (moment.announcement.late) return "late";
  return isRevised(moment) ? "revised" : "none";
}

/** At once if nothing else names official colours, else a day later: a source that is rarely needed must not be dead unseen. */
function isOfficialProblem({ official, clock }: FactsInput, service: ServiceStatus): boolean {
  // While no answer is known, nothing shows that the source is well.
  if (service === "off" && official?.answered_at === null) return true;
  if (!official?.failing) return false;
  return service === "off" || isSilentForADay(official, clock.at);
}

/** Whether the sources contradict each other about a day that is not over yet. */
function isContradicted({ now, next, days }: MomentFacts): boolean {
  return [now, next, days.tomorrow].some((day) => day.official_by !== null);
}

/** Whether the official colour of a day that is not over yet was another one before. */
function isRevised({ now, next, days }: MomentFacts): boolean {
  return [now, next, days.tomorrow].some((day) => day.revised_from !== null);
}
