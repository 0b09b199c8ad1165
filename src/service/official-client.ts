import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { OfficialAnswer, OfficialRequest } from "../core/contract/answer.ts";
import { officialEndpoints } from "../core/contract/endpoints.ts";
import { createPoliteClient, type PoliteOptions } from "./polite-client.ts";
import { parseOfficial, readOfficial } from "./read-official.ts";
import { type SourceTimes, sourceTimes } from "./read-response.ts";
import type { RequestMemory } from "./request-memory.ts";
import type { AnswerUnreadable } from "./service-errors.ts";
import { type RequestOptions, withQuery } from "./service-request.ts";
import { OFFICIAL_SOURCE } from "./sources.ts";
import { createWarnOnce } from "./warn-once.ts";

export interface OfficialClient {
  /** The answer to a request. Tries again while that is of use, until the signal aborts. */
  ask(request: OfficialRequest, options: OfficialRequestOptions): Promise<OfficialReply>;
  close(): Promise<void>;
}

export interface OfficialRequestOptions extends RequestOptions {
  /** The true time as an answer comes, given the source's own clock in this answer (null where it does not say). */
  trueTime: (date: Instant | null) => Instant;
}

export interface OfficialReply extends SourceTimes {
  answer: OfficialAnswer;
  /** The answer counts as a failure for this reason, although its words count; null where it does not. */
  failure: AnswerUnreadable | null;
}

interface OfficialClientOptions extends PoliteOptions<RequestMemory> {
  tariff: Pick<Tariff, "time_zone" | "laws">;
}

export function createOfficialClient(options: OfficialClientOptions): OfficialClient {
  const { tariff, clock, log } = options;
  const client = createPoliteClient(OFFICIAL_SOURCE, { ...options, parse: parseOfficial });
  const warnOnce = createWarnOnce(log);
  return {
    ask: (request, { trueTime, ...limits }) => {
      const path = officialPath(request);
      return client.get(path, limits, (json, response) => {
        const times = sourceTimes(response, clock.now());
        const operation = `GET ${path}`;
        const { answer, failure, warnings } = readOfficial(request, json, {
          operation,
          tariff,
          now: trueTime(times.date),
        });
        for (const warning of warnings) warnOnce(warning);
        return { answer, failure, ...times };
      });
    },
    close: client.close,
  };
}

function officialPath(request: OfficialRequest): string {
  if (request.kind === "light") return officialEndpoints.light.path;
  const { path, parameters } = officialEndpoints.season;
  return withQuery(path, { [parameters.season]: request.label });
}
