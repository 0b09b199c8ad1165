import { type OpenedSources, openSources } from "../app/open-sources.ts";
import type { Config } from "../config/config.ts";
import { addDays, civilDate } from "../core/calendar/dates.ts";
import type { Color } from "../core/calendar/tariff.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import type { Source } from "../core/sources/source.ts";
import { EMPTY_MEMORY } from "../core/sources/source-kept.ts";
import { systemClock } from "../runtime/clock.ts";
import { codeOf } from "../runtime/error-code.ts";
import type { Log } from "../runtime/log.ts";
import { deadline } from "../runtime/wait.ts";
import { keepMemory } from "../service/memory-keeper.ts";
import { readWordsNow } from "../service/read-official.ts";
import {
  AnswerUnreadable,
  RequestRefused,
  ServiceBusy,
  ServiceError,
  ServiceFailed,
  ServiceUnreachable,
} from "../service/service-errors.ts";
import { type NetworkProblem, networkDetail, networkProblem } from "./network-problem.ts";
import { parsePart } from "./parse-part.ts";

/** Why a source cannot be used, for words in the language of the person. */
export type SourceProblem =
  | NetworkProblem
  | "not_found"
  | "refused"
  | "failed"
  | "busy"
  | "redirect"
  | "web_page"
  | "unreadable";

/** What a source says of one day. */
export interface NamedDay {
  color: Color | null;
  /** 0 to 1; null where it is official, or was not said. */
  confidence: number | null;
}

/** What a source has answered. */
export interface SourceAnswer {
  today: NamedDay;
  tomorrow: NamedDay;
  /** How many days of forecast; null of the official source. */
  forecasts: number | null;
}

export type Tried = SourceAnswer | Unusable;

/** `detail`: what helps in any language, such as `HTTP 503`. */
interface Unusable {
  problem: SourceProblem;
  detail: string | null;
}

/** Asks a forecast service, by its address, for what a person wants to see of it. */
export function tryService(base_url: string, signal: AbortSignal): Promise<Tried> {
  return trySource(
    { source: FORECAST_SERVICE, address: base_url },
    { service: { base_url }, official: { source: "off" } },
    signal,
    async ({ service, today, limits }) => {
      const forecasts = await service?.ask({ kind: "forecasts" }, limits);
      const days = forecasts?.answer.kind === "forecasts" ? forecasts.answer.days : [];
      const nameDay = async (date: string): Promise<NamedDay> => {
        const reply = await service?.ask({ kind: "date", date }, limits);
        if (reply?.answer.kind !== "date") return { color: null, confidence: null };
        const { day, is_official } = reply.answer;
        return { color: day.color, confidence: is_official ? null : day.confidence };
      };
      return {
        today: await nameDay(today),
        tomorrow: await nameDay(addDays(today, 1)),
        forecasts: days.length,
      };
    },
  );
}

/** Asks the official source, as the option names it. */
export function tryOfficial(source: string, signal: AbortSignal): Promise<Tried> {
  const asked = { source: RTE, address: source };
  return trySource(asked, { official: { source } }, signal, async ({ official, tariff, today, limits }) => {
    const reply = await official?.ask({ kind: "light" }, limits);
    const words = reply ? readWordsNow(reply.answer, systemClock.now(), tariff) : [];
    const nameDay = (date: string) => ({
      color: words.find((word) => word.date === date)?.color ?? null,
      confidence: null,
    });
    return { today: nameDay(today), tomorrow: nameDay(addDays(today, 1)), forecasts: null };
  });
}

interface Asking extends Pick<OpenedSources, "service" | "official">, Pick<Config, "tariff"> {
  today: string;
  limits: { signal: AbortSignal; essential: true };
}

async function trySource(
  { source, address }: { source: Source; address: string },
  given: object,
  signal: AbortSignal,
  ask: (asking: Asking) => Promise<SourceAnswer>,
): Promise<Tried> {
  const { config } = parsePart(given);
  if (!config) throw new Error("Expected an address that was checked");
  const sources = await openSources(config, {
    clock: systemClock,
    random: Math.random,
    memories: { service: keepMemory(EMPTY_MEMORY), official: keepMemory(EMPTY_MEMORY) },
    movedDays: { get: () => ({}) },
    log: SILENT,
    patience: { retries: 1, longestWait: 1_000 },
  });
  const limit = deadline(LIMIT, signal, () => {
    return new ServiceUnreachable(source, "vigie setup", address, `no answer within ${LIMIT / 1000} s`);
  });
  try {
    const { tariff } = config;
    const today = civilDate(systemClock.now(), tariff.time_zone);
    return await ask({ ...sources, tariff, today, limits: { signal: limit.signal, essential: true } });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    return explain(error);
  } finally {
    limit.clear();
    await sources.stop();
  }
}

function explain(error: ServiceError): Unusable {
  if (error instanceof ServiceUnreachable) {
    const problem = networkProblem(codeOf(error.cause));
    return { problem, detail: networkDetail(problem, error.cause) };
  }
  if (error instanceof ServiceBusy) return { problem: "busy", detail: null };
  if (error instanceof ServiceFailed) return { problem: "failed", detail: `HTTP ${error.status}` };
  if (error instanceof RequestRefused) {
    const problem = error.status === 404 ? "not_found" : "refused";
    return { problem, detail: `HTTP ${error.status}` };
  }
  const summary = error instanceof AnswerUnreadable ? error.summary : undefined;
  if (summary && summary.location !== null) return { problem: "redirect", detail: summary.location };
  const isWebPage = summary !== undefined && /^text\/html/i.test(summary.contentType ?? "");
  return { problem: isWebPage ? "web_page" : "unreadable", detail: null };
}

/** What the clients say of their retries; how it ended is said in the person's words. */
const nothing = () => undefined;
const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const LIMIT = 15_000;
