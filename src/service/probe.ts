import type { ServiceConfig } from "../config/config.ts";
import { addDays } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";
import type { Request } from "../core/contract/answer.ts";
import type { Endpoint } from "../core/contract/endpoints.ts";
import { deadline } from "../runtime/wait.ts";
import type { Reply } from "./asking.ts";
import type { Observed } from "./read-values.ts";
import type { ServiceClient } from "./service-client.ts";
import { blocksAllRequests, isServiceError, ServiceUnreachable } from "./service-errors.ts";

interface Probe {
  endpoint: Endpoint;
  ok: boolean;
  message: string;
  /** What was taken for granted at the points that the interface leaves open. */
  assumed: string[];
}

interface ProbeOptions {
  client: ServiceClient;
  config: Pick<ServiceConfig, "base_url" | "rate_unit">;
  today: IsoDate;
  signal: AbortSignal;
  /** How long each endpoint is asked. */
  limit?: number;
}

/** Asks each endpoint once; where the service is away, the rest is spared. */
export async function probe(options: ProbeOptions): Promise<Probe[]> {
  const probes: Probe[] = [];
  let hopeless = false;
  for (const request of requestsFor(options.today)) {
    if (hopeless) {
      probes.push({
        endpoint: request.kind,
        ok: false,
        message: "not asked: it would fare the same",
        assumed: [],
      });
      continue;
    }
    try {
      probes.push(describeReply(await askWithin(request, options), options.config.rate_unit));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      hopeless = blocksAllRequests(error);
      probes.push({ endpoint: request.kind, ok: false, message: error.message, assumed: [] });
    }
  }
  return probes;
}

function requestsFor(today: IsoDate): Request[] {
  return [
    { kind: "forecasts" },
    { kind: "date", date: addDays(today, 1) },
    { kind: "season" },
    { kind: "history", start: addDays(today, -30), end: addDays(today, -1) },
  ];
}

async function askWithin(
  request: Request,
  { client, config, signal, limit = LIMIT }: ProbeOptions,
): Promise<Reply> {
  const ended = deadline(limit, signal, () => {
    return new ServiceUnreachable(request.kind, config.base_url, `no answer within ${limit / 1000} s`);
  });
  return client.ask(request, { signal: ended.signal, essential: true }).finally(ended.clear);
}

const LIMIT = 60_000;

function describeReply(reply: Reply, rateUnit: ServiceConfig["rate_unit"]): Probe {
  const { answer, observed, path } = reply;
  const assumed = [...describeDays(observed, rateUnit), ...describeNames(path)];
  switch (answer.kind) {
    case "forecasts":
      return { endpoint: "forecasts", ok: true, message: `${answer.days.length} days`, assumed };
    case "date":
      return {
        endpoint: "date",
        ok: true,
        message: `${answer.day.date}: ${answer.day.color ?? "no colour"}`,
        assumed,
      };
    case "history":
      return { endpoint: "history", ok: true, message: `${answer.entries.length} days`, assumed };
    case "season":
      return { endpoint: "season", ok: true, message: `season ${answer.season.label}`, assumed: [] };
  }
}

function describeDays({ colors, confidence, rates, official }: Observed, unit: string): string[] {
  const spelled = colors.map(({ text, color }) => `"${text}" is ${color ?? "no colour that is known"}`);
  return [
    `colours: ${spelled.join(", ") || "none came"}`,
    confidence === null
      ? "confidence: none came"
      : `confidence: from ${confidence.low} to ${confidence.high}, taken as ${confidence.scale}`,
    rates === null ? "prices: none came" : `prices: from ${rates.low} to ${rates.high}, taken as ${unit}`,
    ...(official === null ? [] : [`is_official: ${official ? "is said" : "is not said"}`]),
  ];
}

function describeNames(path: string): string[] {
  const names = [...new URLSearchParams(path.split("?")[1] ?? "").keys()];
  return names.length > 0 ? [`parameters: ${names.join(", ")}`] : [];
}
