import type { ServiceConfig } from "../config/config.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { sleep } from "../runtime/wait.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { askHistory } from "./ask-history.ts";
import { type MemoryKeeper, noteOfficial } from "./client-memory.ts";
import { addressOf, createTransport, type Transport } from "./http-transport.ts";
import { describeOtherTime } from "./other-time.ts";
import { readAnswer } from "./read-answer.ts";
import { type HttpResponse, readResponse, retryAfterOf, serviceTime } from "./read-response.ts";
import { type Reading, spellingsOf } from "./read-values.ts";
import { createRequestLimiter } from "./request-limiter.ts";
import { retryDelay } from "./request-limits.ts";
import { BudgetSpent, ServiceBusy, ServiceUnreachable } from "./service-errors.ts";
import { type RangeNames, type Reply, type RequestOptions, requestPath } from "./service-request.ts";

export interface ServiceClient {
  /** The answer to a request. Tries again while that is of use, until the signal aborts. */
  ask(request: Request, options: RequestOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface ClientOptions {
  config: Pick<ServiceConfig, "colors" | "confidence" | "rate_unit" | "history_parameters">;
  /** The address of the service; of the running simulator where `service.base_url` is `simulator`. */
  base: string;
  version: string;
  clock: Clock;
  random: () => number;
  memory: MemoryKeeper;
  log: Log;
  /** How long one request may take. */
  timeout?: number;
  /** Default: as often and as long as it takes. */
  patience?: Patience;
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  transport?: Transport;
}

/** How long a request may take that has to be tried again, or has to wait for the limits of requests. */
interface Patience {
  /** How often a request is tried again. */
  retries: number;
  /** Milliseconds: no single wait is longer. */
  longestWait: number;
}

const ENDLESS: Patience = { retries: Number.POSITIVE_INFINITY, longestWait: Number.POSITIVE_INFINITY };

/** From a request to its answer: `requestPath`, `transport.get` (one GET), `readResponse` (JSON), `readAnswer`. */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { config, memory, clock, log, random, wait = sleep, patience = ENDLESS } = options;
  const { retries, longestWait } = patience;
  const transport = options.transport ?? createTransport(options);
  const limiter = createRequestLimiter({ memory, clock, wait, longestWait });
  const cache = createAnswerCache();
  const spellings = spellingsOf(config.colors);
  const warnOnce = createWarnOnce(log);
  let hasOtherTime = false;

  async function ask(request: Request, names: RangeNames, limits: RequestOptions): Promise<Reply> {
    const path = requestPath(request, names);
    const { response, json } = await getJson(path, limits);
    const { percent } = memory.get();
    const reading = readAnswer(request, json, { ...config, operation: `GET ${path}`, spellings, percent });
    cache.keep(path, response, json);
    learn(reading);
    const { answer, assumptions } = reading;
    return { answer, date: serviceTime(response), assumptions };
  }

  async function getJson(path: string, { signal, essential = false, onRetry }: RequestOptions) {
    let failure: unknown;
    for (let attempt = 1; ; attempt += 1) {
      try {
        // A retry is never essential: a service that fails is not asked without end.
        return await getJsonOnce(path, essential && attempt === 1, signal);
      } catch (error) {
        // What ended the retries says less than the failure that made them necessary.
        if (signal.aborted || error instanceof BudgetSpent) throw failure ?? error;
        failure = error;
      }
      await waitForRetry(failure, attempt, { signal, onRetry });
    }
  }

  async function getJsonOnce(path: string, essential: boolean, signal: AbortSignal) {
    const operation = `GET ${path}`;
    await limiter.waitForAllowance(operation, essential, signal);
    const response = await transport.get(path, cache.conditions(path), signal).catch((error: unknown) => {
      if (error instanceof ServiceUnreachable && error.unsent) limiter.uncountLast();
      throw error;
    });
    noteStatus(response);
    const cached = response.status === 304 ? cache.get(path) : undefined;
    const request = { operation, address: addressOf(options.base, path) };
    const json = cached ? cached.json : readResponse(response, request, clock.now());
    return { response, json };
  }

  /** Rejects with the failure where another try is of no use, and where the signal ends the wait. */
  async function waitForRetry(failure: unknown, attempt: number, limits: RequestOptions): Promise<void> {
    const { signal, onRetry } = limits;
    const delay = retryDelay(failure, attempt, random());
    if (delay === null || attempt > retries) throw failure;
    const pause = Math.min(delay, longestWait);
    // After a 429 the delay is 0: its pause is in the log already, and the limiter keeps it.
    if (!(failure instanceof ServiceBusy)) {
      log.debug(`${messageOf(failure)}; trying again in ${Math.ceil(pause / 1000)} s`);
      onRetry?.(messageOf(failure));
    }
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
    log.warn(`The service answers "too many requests" (429): vigie sends it nothing for ${seconds} s`);
  }

  function learn({ answer, warnings, isPercent }: Reading): void {
    for (const warning of warnings) warnOnce(warning);
    warnOfOtherTime(answer);
    if (config.confidence === "auto" && isPercent && !memory.get().percent) {
      log.info("The service sends confidence in percent: from now on 1 means 1 %");
      memory.set({ ...memory.get(), percent: true });
    }
    if (answer.kind === "date") memory.set(noteOfficial(memory.get(), answer.is_official, clock.now()));
  }

  /** Once: the days move on with each poll, and with them the words. */
  function warnOfOtherTime(answer: Answer): void {
    const warning = hasOtherTime ? null : describeOtherTime(answer, clock.now());
    if (warning === null) return;
    hasOtherTime = true;
    log.warn(warning);
  }

  return {
    ask: (request, limits) => {
      if (request.kind !== "history") return ask(request, NO_NAMES, limits);
      return askHistory(request, limits, { setting: config.history_parameters, memory, log, ask });
    },
    close: transport.close,
  };
}

const NO_NAMES: RangeNames = { start: "", end: "" };

/** Logs each warning once; a service that sends new values without end does not fill the log. */
function createWarnOnce(log: Log): (warning: string) => void {
  const logged = new Set<string>();
  return (warning) => {
    if (logged.has(warning) || logged.size >= MOST_WARNINGS) return;
    logged.add(warning);
    log.warn(warning);
  };
}

const MOST_WARNINGS = 200;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
