import type { Instant } from "../core/calendar/tariff.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { AskOptions } from "./asking.ts";
import type { MemoryKeeper } from "./client-memory.ts";
import { createTransport, type Transport, type TransportOptions } from "./http-transport.ts";
import { readArrival, retryAfterOf, sentAt } from "./read-response.ts";
import { createTurns } from "./request-turns.ts";
import { retryDelay } from "./retry-delay.ts";
import { createRevalidation } from "./revalidation.ts";
import { BudgetSpent, ServiceUnreachable } from "./service-errors.ts";

/** Sends politely, tries again where that is of use, and brings back JSON. */
interface Requester {
  get(path: string, ways: AskOptions): Promise<Received>;
  close(): Promise<void>;
}

export interface Received {
  json: unknown;
  date: Instant | null;
  /** Remembers the answer, so that next time "not modified" will do. */
  keep: () => void;
}

interface RequesterOptions extends TransportOptions {
  clock: Clock;
  random: () => number;
  memory: MemoryKeeper;
  log: Log;
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Default: HTTP. */
  transport?: Transport;
}

export function createRequester(options: RequesterOptions): Requester {
  const { clock, log, random, wait } = options;
  const { transport = createTransport(options) } = options;
  const turns = createTurns(options);
  const revalidation = createRevalidation();

  const getOnce = async (path: string, essential: boolean, signal: AbortSignal): Promise<Received> => {
    await turns.take(`GET ${path}`, essential, signal);
    const arrival = await transport.get(path, revalidation.headersFor(path), signal);
    if (arrival.status === 429) sayPause(turns.pause(retryAfterOf(arrival, clock.now())));
    else turns.resume();
    const known = arrival.status === 304 ? revalidation.recall(path) : undefined;
    const json = known ? known.json : readArrival(arrival, `GET ${path}`, clock.now());
    return { json, date: sentAt(arrival), keep: () => revalidation.keep(path, arrival, json) };
  };
  const sayPause = (milliseconds: number) =>
    log.warn(
      `The service wants to be left alone (429): nothing is sent to it for ${Math.ceil(milliseconds / 1000)} s`,
    );
  const sayDelay = (error: unknown, delay: number) => {
    // After a 429 the pause has been said already, and is kept where turns are taken.
    if (delay > 0) log.debug(`${describe(error)}; asking again in ${Math.ceil(delay / 1000)} s`);
  };
  const attempt = async (
    path: string,
    ways: AskOptions,
    number: number,
    last?: unknown,
  ): Promise<Received> => {
    try {
      // A retry is never essential: a service that is ill is not asked without end.
      return await getOnce(path, ways.essential === true && number === 1, ways.signal);
    } catch (error) {
      if (error instanceof ServiceUnreachable && error.unsent) turns.giveBack();
      // What ended the trying says less than what made it necessary.
      const ended = ways.signal.aborted || error instanceof BudgetSpent;
      if (ended) throw last ?? error;
      const delay = retryDelay(error, number, random());
      if (delay === null) throw error;
      sayDelay(error, delay);
      await waitOr(wait(delay, ways.signal), error);
      return attempt(path, ways, number + 1, error);
    }
  };
  const get: Requester["get"] = (path, ways) => attempt(path, ways, 1);
  return { get, close: transport.close };
}

/** Waits; where the wait is ended, the error that it was for counts. */
async function waitOr(waiting: Promise<void>, error: unknown): Promise<void> {
  try {
    await waiting;
  } catch {
    throw error;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
