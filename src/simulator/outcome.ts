import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Instant } from "../core/calendar/tariff.ts";
import type { FaultName } from "./faults.ts";
import { bodyBytes, jsonReply, type Reply } from "./reply.ts";

interface Circumstances {
  url: string;
  at: Instant;
  /** How often this outcome had its turn, for what alternates. */
  round: number;
  /** Seconds. */
  retryAfter: number;
}

/** What a faulty service answers in the place of the right answer. */
export const outcomes = {
  redirect: (_, { url }) => ({
    status: 302,
    headers: { location: new URL("/elsewhere", url).href },
    body: "",
  }),
  "400": () => jsonReply(400, { detail: "Bad Request" }),
  "422": () =>
    jsonReply(422, { detail: [{ loc: ["query"], msg: "Unprocessable request", type: "value_error" }] }),
  "429": () => jsonReply(429, { detail: "Too Many Requests" }),
  "429-retry-after": (_, now) => withHeader(jsonReply(429, { detail: "Too Many Requests" }), retryAfter(now)),
  "500": () => ({
    status: 500,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: "Internal Server Error",
  }),
  html: () => ({ status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: PAGE }),
  huge: (reply) => ({ ...reply, body: padded(reply) }),
  "gzip-bomb": async (reply) => ({
    ...withHeader(reply, { "content-encoding": "gzip" }),
    body: await bomb(),
  }),
} satisfies Partial<Record<FaultName, (reply: Reply, now: Circumstances) => Reply | Promise<Reply>>>;

/** Both forms that HTTP knows, by turns. */
function retryAfter({ at, round, retryAfter }: Circumstances): Record<string, string> {
  const date = new Date(at + retryAfter * 1000).toUTCString();
  return { "retry-after": round % 2 === 0 ? String(retryAfter) : date };
}

function withHeader(reply: Reply, headers: Record<string, string>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Still the same JSON: only its size is wrong. */
function padded(reply: Reply): Uint8Array<ArrayBuffer> {
  const body = bodyBytes(reply);
  const more = new Uint8Array(body.length + HUGE).fill(SPACE);
  more.set(body);
  return more;
}

/** Made once: 50 MB of zeros in 50 kB. */
function bomb(): Promise<Uint8Array<ArrayBuffer>> {
  zeros ??= promisify(gzip)(Buffer.alloc(BOMB)).then((packed) => Uint8Array.from(packed));
  return zeros;
}

let zeros: Promise<Uint8Array<ArrayBuffer>> | undefined;
const BOMB = 50 * 1024 * 1024;
const SPACE = 0x20;
const HUGE = 5 * 1024 * 1024;
const PAGE = "<!doctype html><title>Maintenance</title><p>We will be back soon.</p>\n";
