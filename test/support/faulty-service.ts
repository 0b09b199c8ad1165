import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import type { Instant } from "../../src/core/calendar/tariff.ts";
import { endpoints, officialEndpoints } from "../../src/core/contract/endpoints.ts";
import {
  createService,
  jsonReply,
  type Reply,
  revalidate,
  type ServiceRequest,
} from "../../src/simulator/answer-request.ts";
import { dayForecast, officialLightAnswer } from "../../src/simulator/answers.ts";
import { INDICATION_AT } from "../../src/simulator/forecast.ts";
import { announceAt, dayBeforeAt, type World } from "../../src/simulator/official-colors.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import type { SimulatorOptions } from "../../src/simulator/server.ts";
import { damageJson, damageOfficial, type Json } from "./damaged-json.ts";
import {
  createFaultSwitch,
  createOfficialFaultSwitch,
  type FaultName,
  type FaultSwitch,
  type OfficialFaultName,
} from "./service-faults.ts";

/** What a faulty service does with one request. */
export type Outcome =
  /** `down`: the connection ends without an answer. */
  { kind: "closed" } | { kind: "reply"; reply: FaultyReply; slow: boolean; delivery: Delivery };

export interface FaultyReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** `cut`: half of the body, then the end of the connection. */
type Delivery = "whole" | "cut" | "reset" | "drip";

export interface FaultyService {
  /** The world as the faults make it: `revised` announces other colours at first. */
  world: World;
  faults: FaultSwitch;
  /** Those of the official source. The faults of one source leave the other alone. */
  officialFaults: FaultSwitch<OfficialFaultName>;
  /** How many requests came to the forecast service. */
  requests(): number;
  /** The paths of the requests that came to the official source. */
  officialRequests: string[];
  answer(request: ServiceRequest): Promise<Outcome>;
}

export interface FaultyServiceOptions
  extends Pick<SimulatorOptions, "seed" | "days" | "officialAt" | "clock"> {
  faults?: readonly FaultName[];
  officialFaults?: readonly OfficialFaultName[];
  /** Seconds of `429-retry-after`; default 30. */
  retryAfter?: number;
}

/**
 * The simulator's answers with the faults in force, without a socket. Faults that exclude each other alternate, request
 * by request: first what is answered (`down`, a status, another body), then how it arrives (`reset`, `truncated`,
 * `drip`); `slow` comes before any of them but `down`.
 */
export function createFaultyService(options: FaultyServiceOptions): FaultyService {
  const { seed, days = new Map(), officialAt = "10:30", clock, retryAfter = 30 } = options;
  const faults = createFaultSwitch(options.faults);
  const officialFaults = createOfficialFaultSwitch(options.officialFaults);
  const announceTrueColor = announceAt(officialAt);
  const createWorld = (isRevised: () => boolean): World => ({
    seed,
    days,
    announcements: (date, color) =>
      isRevised() ? announceRevised(date, color) : announceTrueColor(date, color),
  });
  const world = createWorld(() => faults.has("revised"));
  const officialWorld = createWorld(() => officialFaults.has("revised"));
  const service = createService(world, clock);
  const officialService = createService(officialWorld, clock);
  let requests = 0;
  const officialRequests: string[] = [];

  const answerForecasts = (request: ServiceRequest): Promise<Outcome> => {
    const number = requests++;
    const at = clock.now();
    const content = damagedReply(request, { service, world, faults, at, number });
    return outcomeOf(content, { has: faults.has, at, retryAfter, number });
  };
  const answerOfficial = (request: ServiceRequest): Promise<Outcome> => {
    const number = officialRequests.push(request.url) - 1;
    const at = clock.now();
    const content = damagedOfficialReply(request, {
      service: officialService,
      world: officialWorld,
      faults: officialFaults,
      at,
      number,
    });
    return outcomeOf(content, { has: officialFaults.has, at, retryAfter, number });
  };
  const answer = (request: ServiceRequest) =>
    isOfficial(request) ? answerOfficial(request) : answerForecasts(request);
  return { world, faults, officialFaults, requests: () => requests, officialRequests, answer };
}

function isOfficial({ url }: ServiceRequest): boolean {
  const [path] = url.split("?");
  return Object.values(officialEndpoints).some((endpoint) => endpoint.path === path);
}

/** How the reply arrives, or what comes instead of it. */
async function outcomeOf(
  content: Reply,
  { has, at, retryAfter, number }: { has: HasFault; at: Instant; retryAfter: number; number: number },
): Promise<Outcome> {
  const replacement = alternate(REPLACEMENTS, number, has);
  if (replacement?.fault === "down") return { kind: "closed" };
  const reply = replacement
    ? await replace(replacement.fault, content, { at, retryAfter, round: replacement.round })
    : toBytes(content);
  const delivery = alternate(DELIVERIES, number, has);
  const slow = has("slow");
  if (delivery?.fault !== "truncated") {
    return { kind: "reply", reply, slow, delivery: delivery?.fault ?? "whole" };
  }
  // By turns: a connection that ends too early, and JSON that does.
  if (delivery.round % 2 === 0) return { kind: "reply", reply, slow, delivery: "cut" };
  return { kind: "reply", reply: { ...reply, body: halfOf(reply.body) }, slow, delivery: "whole" };
}

/** Both sources have these faults. */
type HasFault = (fault: (typeof REPLACEMENTS)[number] | (typeof DELIVERIES)[number] | "slow") => boolean;

/** Announces a rouge or blanc day as bleu in the early morning and corrects it at 11:00, as late as ever seen. */
export const announceRevised: World["announcements"] = (date, color) => {
  if (color === "bleu") return announceAt("10:30")(date, color);
  return [
    { at: dayBeforeAt(date, INDICATION_AT), color: "bleu" },
    { at: dayBeforeAt(date, "11:00"), color },
  ];
};

export function halfOf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

const REPLACEMENTS = [
  "down",
  "400",
  "422",
  "429",
  "500",
  "redirect",
  "429-retry-after",
  "html",
  "huge",
  "gzip-bomb",
] as const;

type Replacement = Exclude<(typeof REPLACEMENTS)[number], "down">;

const DELIVERIES = ["reset", "truncated", "drip"] as const;

/** The fault of a group that this request meets, and how many requests met it before. */
function alternate<T extends FaultName>(group: readonly T[], number: number, has: (fault: T) => boolean) {
  const active = group.filter(has);
  const fault = active[number % active.length];
  return fault && { fault, round: Math.floor(number / active.length) };
}

interface Circumstances<Name extends string> {
  service: (request: ServiceRequest) => Reply;
  world: World;
  faults: FaultSwitch<Name>;
  at: Instant;
  /** The number of this request. */
  number: number;
}

/** The simulator's reply with the faults that change what it says. */
function damagedReply(request: ServiceRequest, circumstances: Circumstances<FaultName>): Reply {
  const { service, world, faults, at, number } = circumstances;
  const isHistory = request.url.startsWith(endpoints.history.path);
  const isRenamed = isHistory && faults.has("history-names");
  const url = isRenamed ? withUsualNames(request.url) : request.url;
  const { status, headers, body } = service({ ...request, url, ifNoneMatch: "" });
  const { etag, "last-modified": modified = "", ...plain } = headers;
  if (status !== 200) return { status, headers, body: isRenamed ? withOtherNames(body) : body };
  let json: Json = JSON.parse(body);
  if (request.url.startsWith(`${endpoints.forecasts.path}?`) || request.url === endpoints.forecasts.path) {
    if (faults.has("wrong-today")) json = yesterdaysForecasts(json, at, world);
  }
  json = damageJson(json, faults.has, randomFrom(`damage/${world.seed}/${number}`));
  const reply = { status, headers: plain, body: JSON.stringify(json) };
  return isDisturbed(faults.has) ? reply : revalidate(reply, modified, request.ifNoneMatch);
}

/** No validators beside a fault of the connection: no 304 is to hide it. */
function isDisturbed(has: HasFault): boolean {
  return [...REPLACEMENTS, ...DELIVERIES, "slow" as const].some(has);
}

/** The same for the official source. */
function damagedOfficialReply(
  request: ServiceRequest,
  { service, world, faults, at, number }: Circumstances<OfficialFaultName>,
): Reply {
  const { status, headers, body } = service({ ...request, ifNoneMatch: "" });
  const { etag, "last-modified": modified = "", ...plain } = headers;
  if (status !== 200) return { status, headers, body };
  const isLight = request.url === officialEndpoints.light.path;
  // Yesterday's answer, as a cache would bring it.
  const answer =
    isLight && faults.has("wrong-today") ? officialLightAnswer(at - DAY, world) : JSON.parse(body);
  const json = damageOfficial(answer, faults.has, randomFrom(`damage/official/${world.seed}/${number}`));
  const reply = { status, headers: plain, body: JSON.stringify(json) };
  return isDisturbed(faults.has) ? reply : revalidate(reply, modified, request.ifNoneMatch);
}

const DAY = 86_400_000;

/** The interface leaves the names of the history's parameters open (4.4): this service has its own. */
function withUsualNames(url: string): string {
  const query = new URLSearchParams(url.split("?")[1] ?? "");
  const { start, end } = endpoints.history.parameters;
  const renamed = new URLSearchParams();
  for (const [usual, other] of [[start, "from"] as const, [end, "to"] as const]) {
    const value = query.get(other);
    if (value !== null) renamed.set(usual, value);
  }
  return `${endpoints.history.path}?${renamed}`;
}

function withOtherNames(body: string): string {
  const { start, end } = endpoints.history.parameters;
  return body.replaceAll(start, "from").replaceAll(end, "to");
}

/** The places of yesterday, each entry with its true date. */
function yesterdaysForecasts(answer: Json, at: Instant, world: World): Json {
  const { today, tomorrow, forecast, ...rest } = answer as { [key: string]: Json };
  const yesterday = addDays(civilDate(at, "Europe/Paris"), -1);
  const days = [tomorrow ?? null, ...(forecast as Json[]).slice(0, -1)];
  return { ...rest, today: dayForecast(yesterday, at, world), tomorrow: today ?? null, forecast: days };
}

/** What a faulty service answers in the place of the right answer. */
async function replace(
  fault: Replacement,
  right: Reply,
  { at, retryAfter, round }: { at: Instant; retryAfter: number; round: number },
): Promise<FaultyReply> {
  const { status, headers } = right;
  switch (fault) {
    case "redirect":
      return toBytes({ status: 302, headers: { location: "http://127.0.0.1/elsewhere" }, body: "" });
    case "400":
      return toBytes(jsonReply(400, { detail: "Bad Request" }));
    case "422": {
      const detail = [{ loc: ["query"], msg: "Unprocessable request", type: "value_error" }];
      return toBytes(jsonReply(422, { detail }));
    }
    case "429":
      return toBytes(jsonReply(429, { detail: "Too Many Requests" }));
    case "429-retry-after": {
      // Both forms that HTTP knows, by turns.
      const date = new Date(at + retryAfter * 1000).toUTCString();
      const reply = toBytes(jsonReply(429, { detail: "Too Many Requests" }));
      return {
        ...reply,
        headers: { ...reply.headers, "retry-after": round % 2 === 0 ? String(retryAfter) : date },
      };
    }
    case "500": {
      const plain = { "content-type": "text/plain; charset=utf-8" };
      return toBytes({ status: 500, headers: plain, body: "Internal Server Error" });
    }
    case "html":
      return toBytes({ status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: PAGE });
    case "huge":
      // Still the same JSON: only its size is wrong.
      return { status, headers, body: Buffer.concat([Buffer.from(right.body), Buffer.alloc(HUGE, " ")]) };
    case "gzip-bomb":
      bomb ??= promisify(gzip)(Buffer.alloc(BOMB));
      return { status, headers: { ...headers, "content-encoding": "gzip" }, body: await bomb };
  }
}

/** Made once: 50 MB of zeros in 50 kB. */
let bomb: Promise<Buffer> | undefined;
const BOMB = 50 * 1024 * 1024;
const HUGE = 5 * 1024 * 1024;
const PAGE = "<!doctype html><title>Maintenance</title><p>We will be back soon.</p>\n";

function toBytes({ status, headers, body }: Reply): FaultyReply {
  return { status, headers, body: Buffer.from(body) };
}
