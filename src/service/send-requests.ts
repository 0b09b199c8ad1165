import type { PollOutcome } from "../core/facts/poll-record.ts";
import { deadline } from "../runtime/wait.ts";
import { BudgetSpent, blocksAllRequests, describeFailures } from "./service-errors.ts";
import type { Source } from "./sources.ts";

/** A poll ends after this, answered or not. */
export const POLL_LIMIT = 240_000;

/** Sends one request; resolves with the requests that its answer makes necessary. */
type Send<Request> = (request: Request, signal: AbortSignal) => Promise<Request[]>;

/**
 * Sends the requests of one poll one after the other, then those that their answers make necessary; each one once. Ends
 * early where all other requests would fail, too, and after four minutes.
 */
export async function sendRequests<Request>(
  source: Source,
  parent: AbortSignal,
  requests: readonly Request[],
  send: Send<Request>,
): Promise<PollOutcome> {
  const limit = deadline(POLL_LIMIT, parent, () => new PollTooSlow(source));
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
  return { failures: describeFailures(source, errors, answers), answers };
}

class PollTooSlow extends Error {
  override readonly name = "PollTooSlow";

  constructor({ name }: Source) {
    const minutes = POLL_LIMIT / 60_000;
    super(
      `The poll was ended after ${minutes} minutes, as the ${name} was too slow; the next poll asks again`,
    );
  }
}
