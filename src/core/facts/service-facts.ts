import type { Instant } from "../calendar/tariff.ts";
import type { FactsInput, MomentFacts, ProblemCode, ServiceFacts, ServiceStatus } from "./facts.ts";
import { isSilentForADay } from "./official-facts.ts";
import type { PollRecord } from "./poll-record.ts";

/** How well the service answers, and the most important problem. `moment` is null while the clock is known to be wrong. */
export function serviceFacts(input: FactsInput, moment: MomentFacts | null): ServiceFacts {
  const { polls, clock } = input;
  const status = serviceStatus(polls, clock.at);
  return {
    status,
    last_success: polls.shown_success,
    last_error: polls.failure,
    updated_at: polls.shown_update,
    problem_code: problemCode(status, moment, input),
    failed_outputs: input.failed_outputs,
  };
}

/** The instant from which the service counts as down, if no request succeeds before. */
export function downFrom(polls: PollRecord): Instant {
  return (polls.last_success ?? polls.started_at) + DOWN_AFTER;
}

function serviceStatus(polls: PollRecord, at: Instant): ServiceStatus {
  if (polls.kind === "invented") return "simulated";
  if (polls.kind === "none") return "off";
  if (at >= downFrom(polls)) return "down";
  // While no answer is known, not even in the state file, nothing shows that the service is well.
  return polls.failure === null && polls.last_success !== null ? "ok" : "degraded";
}

function problemCode(status: ServiceStatus, moment: MomentFacts | null, input: FactsInput): ProblemCode {
  if (!moment) return "clock";
  if (status === "down" || status === "degraded") return "service";
  if (isOfficialProblem(input, status)) return "official";
  if (input.failed_outputs.length > 0) return "output";
  if (isContradicted(moment)) return "contradiction";
  if (moment.announcement.late) return "late";
  return isRevised(moment) ? "revised" : "none";
}

/** At once where nothing else names official colours; else a day later: a source that is rarely needed must not be dead unseen. */
function isOfficialProblem({ official, clock }: FactsInput, service: ServiceStatus): boolean {
  // As of a service: while no answer is known, nothing shows that the source is well.
  if (service === "off" && official?.last_success === null) return true;
  if (!official?.light) return false;
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

const DOWN_AFTER = 3 * 3_600_000;
