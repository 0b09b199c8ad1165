import { addDays, daysBetween } from "../core/calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { seasonOf } from "../core/calendar/tariff-season.ts";
import type { Answer, OfficialAnswer, OfficialRequest, Request } from "../core/contract/answer.ts";
import { blocksAllRequests, describeFailures } from "../core/sources/request-failure.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import type { Source } from "../core/sources/source.ts";
import { deadline } from "../runtime/wait.ts";
import type { OfficialClient } from "./official-client.ts";
import { readWordsNow } from "./read-official.ts";
import type { ServiceClient } from "./service-client.ts";
import { failureOf, ServiceError, ServiceUnreachable } from "./service-errors.ts";
import type { TriedEvent } from "./service-request.ts";

interface Probe<Content> {
  endpoint: string;
  message: string;
  /** What vigie assumes at the points that the interface leaves open. */
  assumed: string[];
  /** null after a failure. */
  answer: Content | null;
}

interface ProbeOptions<Client> {
  client: Client;
  /** As configured. */
  address: string;
  today: IsoDate;
  signal: AbortSignal;
  post: (event: TriedEvent) => void;
}

/** Requests each endpoint of the forecast service once. */
export function probeService(options: ProbeOptions<ServiceClient>): Promise<Probe<Answer>[]> {
  const { client, today, post } = options;
  const season = seasonOf(addDays(today, -1));
  const start = daysBetween(season.start, today) < MONTH ? addDays(today, -MONTH) : season.start;
  const requests: Request[] = [
    { kind: "forecasts" },
    { kind: "date", date: addDays(today, 1) },
    { kind: "season" },
    { kind: "history", start, end: addDays(today, -1) },
  ];
  return probeAll(FORECAST_SERVICE, requests, options, async (request, signal) => {
    const { answer, assumptions } = await client.ask(request, { signal, essential: true, post });
    return { message: describe(answer), assumed: assumptions, answer };
  });
}

/** Requests each endpoint of the official source once. */
export function probeOfficial(
  options: ProbeOptions<OfficialClient> & { now: () => Instant; tariff: Tariff },
): Promise<Probe<OfficialAnswer>[]> {
  const { client, today, now, tariff, post } = options;
  const { label } = seasonOf(addDays(today, -1));
  const requests: OfficialRequest[] = [{ kind: "light" }, { kind: "season", label }];
  return probeAll(RTE, requests, options, async (request, signal) => {
    const { answer } = await client.ask(request, { signal, essential: true, post });
    const words = readWordsNow(answer, now(), tariff);
    const colors = words.map(({ date, color }) => `${date} ${color}`).join(", ");
    const message = answer.kind === "light" ? colors : `season ${label}: ${countDays(words.length)}`;
    return { message, assumed: [], answer };
  });
}

/** After an error that would meet every other request, too, the rest is not requested. */
async function probeAll<One extends { kind: string }, Content>(
  source: Source,
  requests: readonly One[],
  { address, signal }: Pick<ProbeOptions<unknown>, "address" | "signal">,
  ask: (request: One, signal: AbortSignal) => Promise<Omit<Probe<Content>, "endpoint">>,
): Promise<Probe<Content>[]> {
  const probes: Probe<Content>[] = [];
  let isBlocked = false;
  let answers = 0;
  for (const request of requests) {
    const endpoint = request.kind;
    const failed = (message: string) => ({ endpoint, message, assumed: [], answer: null });
    if (isBlocked) {
      probes.push(failed("not requested, as it would fail for the same reason"));
      continue;
    }
    const limit = deadline(LIMIT, signal, () => {
      return new ServiceUnreachable(source, endpoint, address, `no answer within ${LIMIT / 1000} s`);
    });
    try {
      probes.push({ endpoint, ...(await ask(request, limit.signal)) });
      answers += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const failure = failureOf(error);
      isBlocked = blocksAllRequests(failure);
      probes.push(
        failed(
          describeFailures(source, [{ failure }], answers)
            .map(({ sentence }) => sentence)
            .join("; "),
        ),
      );
    } finally {
      limit.clear();
    }
  }
  return probes;
}

const LIMIT = 60_000;
const MONTH = 30;

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
