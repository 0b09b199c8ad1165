import type { Request } from "../core/contract/answer.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import { deadline } from "../runtime/wait.ts";
import { BudgetSpent, isHopeless } from "./service-errors.ts";

type Asker = (request: Request, signal: AbortSignal) => Promise<Request[]>;

/** Asks one after the other, and what the answers give rise to; stops where the next question would fare the same. */
export async function askRound(parent: AbortSignal, agenda: Request[], ask: Asker): Promise<PollOutcome> {
  const limit = deadline(POLL_LIMIT, parent, () => new RoundGivenUp());
  const outcome: PollOutcome = { failures: [], answers: 0 };
  const asked = new Set<string>();
  const queue = [...agenda];
  for (let request = queue.shift(); request; request = queue.shift()) {
    const key = JSON.stringify(request);
    if (asked.has(key)) continue;
    asked.add(key);
    try {
      queue.push(...(await ask(request, limit.signal)));
      outcome.answers += 1;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof BudgetSpent)) outcome.failures.push(error.message);
      if (isHopeless(error) || limit.signal.aborted) break;
    }
  }
  limit.clear();
  return outcome;
}

/** The round's own deadline. */
class RoundGivenUp extends Error {
  override readonly name = "RoundGivenUp";

  constructor() {
    super(`The poll was given up: the service took longer than ${POLL_LIMIT / 60_000} minutes`);
  }
}

const POLL_LIMIT = 240_000;
