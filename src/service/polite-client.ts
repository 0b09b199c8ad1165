import { retryAfterOf } from "../core/contract/http-headers.ts";
import type { Source } from "../core/sources/source.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { sleep } from "../runtime/wait.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { addressOf, createTransport, type Transport } from "./http-transport.ts";
import type { MemoryKeeper } from "./memory-keeper.ts";
import { type HttpResponse, readResponse } from "./read-response.ts";
import { createRequestLimiter } from "./request-limiter.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { retryDelay } from "./retry-delay.ts";
import { BudgetSpent, ServiceBusy, ServiceUnreachable } from "./service-errors.ts";
import type { RequestOptions } from "./service-request.ts";

/** Sends requests to one source: with retries, within its limits, and not while it asks for a pause. */
export interface PoliteClient {
  /** What `read` makes of the JSON at this path. Tries again while that is of use, until the signal aborts. */
  get<T>(path: string, options: RequestOptions, read: Read<T>): Promise<T>;
  close(): Promise<void>;
}

/** Throws `AnswerUnreadable` for JSON that is no answer. */
type Read<T> = (json: unknown, response: HttpResponse) => T;

export interface PoliteOptions {
  /** The address of the source; of the running simulator if the option says `simulator`. */
  base: string;
  version: string;
  clock: ClockWithTimers;
  random: () => number;
  memory: MemoryKeeper;
  log: Log;
  /** How long one request may take. */
  timeout?: number;
  /** Default: as often and as long as it takes. */
  patience?: Patience;
  transport?: Transport;
  /** Default: `JSON.parse`. */
  parse?: (text: string) => unknown;
}

/** How long a request may take that has to be tried again, or has to wait for the limits of requests. */
interface Patience {
  /** How often a request is tried again. */
  retries: number;
  /** Milliseconds: no single wait is longer. */
  longestWait: number;
}

const ENDLESS: Patience = { retries: Number.POSITIVE_INFINITY, longestWait: Number.POSITIVE_INFINITY };

export function createPoliteClient(source: Source, options: PoliteOptions): PoliteClient {
  const { memory, clock, log, random, patience = ENDLESS } = options;
  const wait = (milliseconds: number, signal: AbortSignal) => sleep(milliseconds, signal, clock);
  const { retries, longestWait } = patience;
  const transport = options.transport ?? createTransport({ ...options, source });
  const limiter = createRequestLimiter({ source, memory, clock, wait, longestWait });
  const cache = createAnswerCache();

  async function get<T>(path: string, limits: RequestOptions, read: Read<T>): Promise<T> {
    const { response, json } = await getJson(path, limits);
    const result = read(json, response);
    cache.keep(path, response, json);
    return result;
  }

  async function getJson(path: string, limits: RequestOptions) {
    const { signal, essential = false } = limits;
    let failure: unknown;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await getJsonOnce(path, budgetOf(attempt, essential), signal);
      } catch (error) {
        // What ended the retries says less than the failure that made them necessary.
        if (signal.aborted || error instanceof BudgetSpent) throw failure ?? error;
        failure = error;
      }
      await waitForRetry(failure, attempt, limits);
    }
  }

  /** A retry is never essential: a source that fails is not asked without end. */
  function budgetOf(attempt: number, essential: boolean): number {
    if (attempt > 1) return REQUEST_RULES[source.id].retryBudget;
    return essential ? Number.POSITIVE_INFINITY : source.budget;
  }

  async function getJsonOnce(path: string, budget: number, signal: AbortSignal) {
    const operation = `GET ${path}`;
    await limiter.waitForAllowance(operation, budget, signal);
    const answer = clock.atRealPace(transport.get(path, cache.conditions(path), signal));
    const response = await answer.catch((error: unknown) => {
      if (error instanceof ServiceUnreachable && error.unsent) limiter.uncountLast();
      throw error;
    });
    noteStatus(response);
    const cached = response.status === 304 ? cache.get(path) : undefined;
    const request = { operation, address: addressOf(options.base, path) };
    const json = cached ? cached.json : readResponse(response, source, request, clock.now(), options.parse);
    return { response, json };
  }

  /** Rejects with the failure if another try is of no use, and if the signal ends the wait. */
  async function waitForRetry(failure: unknown, attempt: number, limits: RequestOptions): Promise<void> {
    const { signal, post, once = false } = limits;
    const delay = retryDelay(failure, attempt, random());
    if (delay === null || once || attempt > retries) throw failure;
    const pause = Math.min(delay, longestWait);
    // After a 429 the delay is 0: its pause is in the log already, and the limiter keeps it.
    const isPause = failure instanceof ServiceBusy;
    const message = messageOf(failure);
    if (!isPause) log.debug(`${message}; trying again in ${Math.ceil(pause / 1000)} s`);
    post?.({ kind: "tried", failure: message, isPause });
    await wait(pause, signal).catch(() => {
      throw failure;
    });
  }

  function noteStatus(response: HttpResponse): void {
    if (response.status !== 429) {
      limiter.endPause();
      return;
    }
    const pause = limiter.pause(retryAfterOf(response, clock.now()));
    // A command that does not wait for so long fails, and its error says so.
    if (pause > longestWait) return;
    const seconds = Math.ceil(pause / 1000);
    log.warn(`The ${source.name} answers "too many requests" (429): vigie sends it nothing for ${seconds} s`);
  }

  return { get, close: transport.close };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
