import { createHash } from "node:crypto";
import type { Instant } from "../core/calendar/tariff.ts";
import { endpoints, officialEndpoints } from "../core/contract/endpoints.ts";
import {
  dateAnswer,
  forecastsAnswer,
  historyAnswer,
  officialLightAnswer,
  officialSeasonAnswer,
  seasonAnswer,
  updatedAt,
} from "./answers.ts";
import type { World } from "./official-colors.ts";
import { Refusal, readDate, readRange, readSeason } from "./request-parameters.ts";

/** An HTTP request, as far as the answer depends on it. */
export interface ServiceRequest {
  method: string;
  /** Path and query. */
  url: string;
  ifNoneMatch: string;
  /** The address of the client: requests are limited for each client. */
  client: string;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type Service = (request: ServiceRequest) => Reply;

/**
 * Both sources without their server: the four endpoints of the forecast service (section 4) with its 60 requests a minute
 * for each client (section 8), and the two endpoints of the official source.
 */
export function createService(world: World, clock: { now(): Instant }): Service {
  const isAllowed = limitRate(PER_MINUTE);
  return ({ method, url, ifNoneMatch, client }) => {
    const at = clock.now();
    if (!isAllowed(client, at)) {
      return jsonReply(429, { detail: `Expected at most ${PER_MINUTE} requests a minute` });
    }
    const [path = "", query = ""] = url.split("?", 2);
    try {
      const answer = method === "GET" ? answerAt(path, new URLSearchParams(query), at, world) : undefined;
      if (answer === undefined) return jsonReply(404, { detail: "Not Found" });
      const modified = new Date(updatedAt(at, world)).toUTCString();
      return revalidate(jsonReply(200, answer), modified, ifNoneMatch);
    } catch (error) {
      if (error instanceof Refusal) return jsonReply(error.status, { detail: error.detail });
      // A clock in the year 9999, for example: no season can be invented there, and the program must go on.
      return jsonReply(500, { detail: String(error) });
    }
  };
}

const PER_MINUTE = 60;

/** The answer of the endpoint at this path; undefined where there is none. */
function answerAt(path: string, query: URLSearchParams, at: Instant, world: World): unknown {
  switch (path) {
    case endpoints.forecasts.path:
      return forecastsAnswer(at, world);
    case endpoints.season.path:
      return seasonAnswer(readSeason(query, at), at, world);
    case endpoints.history.path: {
      const { start, end } = readRange(query, at);
      return historyAnswer(start, end, at, world);
    }
    case officialEndpoints.light.path:
      return officialLightAnswer(at, world);
    case officialEndpoints.season.path:
      return officialSeasonAnswer(readSeason(query, at), at, world);
    default: {
      const [, date] = DATE_PATH.exec(path) ?? [];
      return date === undefined ? undefined : dateAnswer(readDate(date, at), at, world);
    }
  }
}

const DATE_PATH = new RegExp(`^${endpoints.date.path.replace("{target_date}", "([^/]+)")}$`);

/** Adds `ETag` and `Last-Modified`; status 304 for a client that holds this very body. */
export function revalidate(reply: Reply, modified: string, ifNoneMatch: string): Reply {
  const etag = `"${createHash("sha1").update(reply.body).digest("base64url")}"`;
  const validators = { etag, "last-modified": modified };
  const held = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (held.includes(etag)) return { status: 304, headers: validators, body: "" };
  return { ...reply, headers: { ...reply.headers, ...validators } };
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Counts requests by client and minute; false for each one above the limit. */
function limitRate(perMinute: number): (client: string, at: Instant) => boolean {
  let minute = 0;
  let counts = new Map<string, number>();
  return (client, at) => {
    const current = Math.floor(at / 60_000);
    if (current !== minute) {
      minute = current;
      counts = new Map();
    }
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    return count <= perMinute;
  };
}
