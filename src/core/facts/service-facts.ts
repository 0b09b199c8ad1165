import type { Instant } from "../calendar/tariff.ts";
import {
  type FactsInput,
  type MomentFacts,
  PROBLEM_CODES,
  type ProblemCode,
  type ServiceFacts,
  type ServiceStatus,
} from "./facts.ts";
import { isSilentForADay } from "./official-facts.ts";

/** How well the service answers, and the most important problem. `moment` is null while the clock is known to be wrong. */
export function serviceFacts(input: FactsInput, moment: MomentFacts | null): ServiceFacts {
  const { service } = input;
  const status = serviceStatus(input);
  return {
    status,
    last_success: service.shown_success,
    last_error: service.failure,
    updated_at: service.shown_update,
    problem_code: problemCode(status, moment, input),
    failed_outputs: input.failed_outputs,
  };
}

/** The most important problem while the broker is away. No topic ever says so: it would be read when the broker is back. */
export function withBrokerAway(code: ProblemCode): ProblemCode {
  const isMoreImportant = code !== "none" && PROBLEM_CODES.indexOf(code) < PROBLEM_CODES.indexOf("broker");
  return isMoreImportant ? code : "broker";
}

/** The instant from which the service counts as down, if no request succeeds before. A service that is asked seldom is not down in between. */
export function downFrom({ service, poll_every }: Pick<FactsInput, "service" | "poll_every">): Instant {
  const { last_success, started_at } = service;
  return (last_success ?? started_at) + Math.max(DOWN_AFTER, poll_every + LONGEST_DELAY);
}

function serviceStatus(input: FactsInput): ServiceStatus {
  const record = input.service;
  if (record.kind === "invented") return "simulated";
  if (record.kind === "none") return "off";
  if (input.clock.at >= downFrom(input)) return "down";
  // While no answer is known, not even in the state file, nothing shows that the service is well.
  return record.failure === null && record.last_success !== null ? "ok" : "degraded";
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
/** A poll begins within minutes of its time, and tries for four minutes. */
const LONGEST_DELAY = 15 * 60_000;
