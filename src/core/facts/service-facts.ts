import type { Instant } from "../calendar/tariff.ts";
import type {
  FactsInput,
  MomentFacts,
  PollRecord,
  ProblemCode,
  ServiceFacts,
  ServiceStatus,
} from "./facts.ts";

/** How the service fares, and the one problem that matters most. */
export function serviceFacts(known: FactsInput, moment: MomentFacts | null): ServiceFacts {
  const { polls, clock } = known;
  const status = serviceStatus(polls, clock.at);
  return {
    status,
    last_success: polls.shown_success,
    last_error: polls.failure,
    updated_at: polls.shown_update,
    problem_code: problemCode(status, moment, known.output_problem ?? false),
  };
}

/** From when on the service counts as down, if nothing succeeds before. */
export function downFrom(polls: PollRecord): Instant {
  return (polls.last_success ?? polls.started_at) + DOWN_AFTER;
}

function serviceStatus(polls: PollRecord, at: Instant): ServiceStatus {
  if (polls.simulated) return "simulated";
  if (at >= downFrom(polls)) return "down";
  // Before the first answer ever nobody knows that all is well.
  return polls.failure === null && polls.last_success !== null ? "ok" : "degraded";
}

/** `moment` is null while the clock is known to be wrong. */
function problemCode(status: ServiceStatus, moment: MomentFacts | null, output: boolean): ProblemCode {
  if (!moment) return "clock";
  if (status === "down" || status === "degraded") return "service";
  if (output) return "output";
  if (moment.announcement.late) return "late";
  return isRevised(moment) ? "revised" : "none";
}

/** A day that is not over yet was revised after it had been official. */
function isRevised({ now, next, days }: MomentFacts): boolean {
  return [now, next, days.tomorrow].some((day) => day.revised_from !== null);
}

const DOWN_AFTER = 3 * 3_600_000;
