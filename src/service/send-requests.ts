import type { Request } from "../core/contract/answer.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import { deadline } from "../runtime/wait.ts";
import { BudgetSpent, blocksAllRequests, describeFailures } from "./service-errors.ts";

/** Sends one request; resolves with the requests that its answer makes necessary. */
type Send = (request: Request, signal: AbortSignal) => Promise<Request[]>;

/**
 * Sends the requests of one poll one after the other, then those that their answers make necessary; each one once. Ends
 * early where all other requests would fail, too, and after four minutes.
 */
export async function sendRequests(
  parent: AbortSignal,
  requests: readonly Request[],
  send: Send,
): Promise<PollOutcome> {
  const limit = deadline(POLL_LIMIT, parent, () => new PollTooSlow());
  const errors: Error[] = [];
  let answers = 0;
  const sent = new Set<string>();
  const queue = [...requests];
  for (let request = queue.shift(); request; request = queue.shift()) {
    const key = JSON.stringify(request);
    if (sent.has(key)) continue;
    sent.add(key);
    try {
      queue.push(...(await send(request, limit.signal)));
      answers += 1;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof BudgetSpent)) errors.push(error);
      if (blocksAllRequests(error) || limit.signal.aborted) break;
    }
  }
  limit.clear();
  return { failures: describeFailures(errors, answers), answers };
}

class PollTooSlow extends Error {
  override readonly name = "PollTooSlow";

  constructor() {
    const minutes = POLL_LIMIT / 60_000;
    super(
      `The poll was ended after ${minutes} minutes, as the service was too slow; the next poll asks again`,
    );
  }
}

const POLL_LIMIT = 240_000;
