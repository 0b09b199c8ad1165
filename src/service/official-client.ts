import type { Tariff } from "../core/calendar/tariff.ts";
import type { OfficialAnswer, OfficialRequest } from "../core/contract/answer.ts";
import { officialEndpoints } from "../core/contract/endpoints.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { createPoliteClient, type PoliteOptions } from "./polite-client.ts";
import { parseOfficial, readOfficial } from "./read-official.ts";
import { type SourceTimes, sourceTimes } from "./read-response.ts";
import { type RequestOptions, withQuery } from "./service-request.ts";

export interface OfficialClient {
  /** The answer to a request. Tries again while that is of use, until the signal aborts. */
  ask(request: OfficialRequest, options: RequestOptions): Promise<OfficialReply>;
  close(): Promise<void>;
}

export interface OfficialReply extends SourceTimes {
  answer: OfficialAnswer;
}

interface OfficialClientOptions extends PoliteOptions {
  tariff: Pick<Tariff, "laws">;
}

export function createOfficialClient(options: OfficialClientOptions): OfficialClient {
  const { tariff, clock } = options;
  const client = createPoliteClient(RTE, { ...options, parse: parseOfficial });
  return {
    ask: (request, limits) => {
      const path = officialPath(request);
      return client.get(path, limits, (json, response) => ({
        answer: readOfficial(request, json, { operation: `GET ${path}`, tariff }),
        ...sourceTimes(response, clock.now()),
      }));
    },
    close: client.close,
  };
}

function officialPath(request: OfficialRequest): string {
  if (request.kind === "light") return officialEndpoints.light.path;
  const { path, parameters } = officialEndpoints.season;
  return withQuery(path, { [parameters.season]: request.label });
}
