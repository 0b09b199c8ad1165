import type { Request } from "../core/contract/answer.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import { deadline } from "../runtime/wait.ts";
import { BudgetSpent, blocksAllRequests } from "./service-errors.ts";

/** The requests of one poll, and what is done with each. */
interface Poll<Reply> {
  requests: readonly Request[];
  /** Sends one request; what it throws is a failure of the service. */
  ask: (request: Request, signal: AbortSignal) => Promise<Reply>;
  /** Takes an answer; returns the requests that it makes necessary. What it throws is an error of vigie. */
  take: (reply: Reply) => Request[];
}

/**
 * Sends the requests of one poll one after the other, then those that their answers make necessary; each one once. Ends
 * early where all other requests would fail, too, and after four minutes.
 */
export async function sendRequests<Reply>(parent: AbortSignal, poll: Poll<Reply>): Promise<PollOutcome> {
  const limit = deadline(POLL_LIMIT, parent, () => new PollTooSlow());
  try {
    return await sendEach(poll, limit.signal);
  } finally {
    limit.clear();
  }
}

async function sendEach<Reply>(
  { requests, ask, take }: Poll<Reply>,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const outcome: PollOutcome = { failures: [], answers: 0 };
  const sent = new Set<string>();
  const queue = [...requests];
  for (let request = queue.shift(); request; request = queue.shift()) {
    const key = JSON.stringify(request);
    if (sent.has(key)) continue;
    sent.add(key);
    let reply: Reply;
    try {
      reply = await ask(request, signal);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof BudgetSpent)) outcome.failures.push(error.message);
      if (blocksAllRequests(error) || signal.aborted) break;
      continue;
    }
    outcome.answers += 1;
    queue.push(...take(reply));
  }
  return outcome;
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
