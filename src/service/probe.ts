import type { ServiceConfig } from "../config/config.ts";
import { addDays } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Answer, Request } from "../core/contract/answer.ts";
import type { Endpoint } from "../core/contract/endpoints.ts";
import { deadline } from "../runtime/wait.ts";
import type { ServiceClient } from "./service-client.ts";
import { blocksAllRequests, ServiceError, ServiceUnreachable } from "./service-errors.ts";
import { FORECAST_SERVICE } from "./sources.ts";

interface Probe {
  endpoint: Endpoint;
  ok: boolean;
  message: string;
  /** What vigie assumes at the points that the interface leaves open. */
  assumed: string[];
}

interface ProbeOptions {
  client: ServiceClient;
  config: Pick<ServiceConfig, "base_url">;
  today: IsoDate;
  signal: AbortSignal;
}

/** Requests each endpoint once; after an error that would meet every other request, too, the rest is not requested. */
export async function probe(options: ProbeOptions): Promise<Probe[]> {
  const { today } = options;
  const requests: Request[] = [
    { kind: "forecasts" },
    { kind: "date", date: addDays(today, 1) },
    { kind: "season" },
    { kind: "history", start: addDays(today, -30), end: addDays(today, -1) },
  ];
  const probes: Probe[] = [];
  let isBlocked = false;
  for (const request of requests) {
    const failed = (message: string) => ({ endpoint: request.kind, ok: false, message, assumed: [] });
    if (isBlocked) {
      probes.push(failed("not requested, as it would fail for the same reason"));
      continue;
    }
    try {
      const { answer, assumptions } = await askWithinLimit(request, options);
      probes.push({ endpoint: request.kind, ok: true, message: describe(answer), assumed: assumptions });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      isBlocked = blocksAllRequests(error);
      probes.push(failed(error.message));
    }
  }
  return probes;
}

async function askWithinLimit(
  request: Request,
  { client, config, signal }: ProbeOptions,
): ReturnType<ServiceClient["ask"]> {
  const limit = deadline(LIMIT, signal, () => {
    const reason = `no answer within ${LIMIT / 1000} s`;
    return new ServiceUnreachable(FORECAST_SERVICE, request.kind, config.base_url, reason);
  });
  return client.ask(request, { signal: limit.signal, essential: true }).finally(limit.clear);
}

const LIMIT = 60_000;

function describe(answer: Answer): string {
  switch (answer.kind) {
    case "forecasts":
      return countDays(answer.days.length);
    case "date":
      return `${answer.day.date}: ${answer.day.color ?? "no colour"}`;
    case "history":
      return countDays(answer.entries.length);
    case "season":
      return `season ${answer.season.label}`;
  }
}

function countDays(count: number): string {
  return count === 1 ? "1 day" : `${count} days`;
}
