import type { IncomingMessage } from "node:http";
import type { HttpConfig } from "../config/config.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import { type HttpAnswer, SECURITY_HEADERS } from "./http-answer.ts";
import { renderNothingInForce } from "./page/render-page.ts";
import { type Guard, plainAddress } from "./peers.ts";
import type { FindRendering } from "./renderings.ts";
import type { Route } from "./routes.ts";

/** Why a request is not answered; undefined: it is. */
export function findRefusal(request: IncomingMessage, guard: Guard): HttpAnswer | undefined {
  const { method = "", url = "", headers, socket } = request;
  const peer = socket.remoteAddress ?? "";
  if (!guard.isAllowed(peer)) {
    return textAnswer(403, `${plainAddress(peer)} may not connect: it is not in ${guard.option}`);
  }
  if (!guard.isProxy(peer) && !guard.isOwnName(headers.host)) {
    return textAnswer(
      421,
      "This is not a name of vigie's page. Use an IP address, or add the name to http.hosts",
    );
  }
  if (method !== "GET" && method !== "HEAD") {
    const words = "Only GET and HEAD are answered: vigie is changed over MQTT, not here";
    return textAnswer(405, words, { Allow: "GET, HEAD" });
  }
  if (url.length <= LONGEST_URL) return undefined;
  return textAnswer(414, `The address has more than ${LONGEST_URL} characters`);
}

/** The longest that is used is that of a calendar with all its options. */
const LONGEST_URL = 2_048;

/** The text of a route, or that the browser has it already. */
export function answerRoute(
  route: Route,
  request: IncomingMessage,
  find: FindRendering,
  option: HttpConfig["language"],
): HttpAnswer {
  const { url = "", headers } = request;
  const rendering = find(route, {
    language: chooseLanguage(option, headers["accept-language"]),
    query: new URLSearchParams(url.split("?", 2)[1]),
  });
  if (!rendering) return textAnswer(503, "vigie is starting", { "Retry-After": "1" });
  if ("problem" in rendering) return textAnswer(400, rendering.problem);
  const { etag, answer } = rendering;
  if (!hasEtag(headers["if-none-match"], etag)) return answer;
  const { "Content-Type": _, "Content-Length": __, ...unchanged } = answer.headers;
  return { status: 304, headers: unchanged, body: NOTHING };
}

/** Not one of the views, and never cached: it is gone as soon as something is in force. */
export function nothingInForceAnswer(
  { headers }: IncomingMessage,
  problems: readonly string[],
  option: HttpConfig["language"],
): HttpAnswer {
  const text = renderNothingInForce(problems, chooseLanguage(option, headers["accept-language"]));
  return textAnswer(200, text, { "Content-Type": "text/html; charset=utf-8" });
}

/** The language that the option names, else the one of the two that the browser likes best; English for all others. */
function chooseLanguage(option: HttpConfig["language"], header = ""): Language {
  if (option !== "auto") return option;
  const liked = header.split(",").flatMap((part) => {
    const [, language, quality = "1"] = /^\s*(fr|en)(?:-[\w-]*)?\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part) ?? [];
    return language ? [{ language: language.toLowerCase() as Language, quality: Number(quality) }] : [];
  });
  // Of two that are liked the same the first one; 0 means "not this one".
  const [best] = liked
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return best?.language ?? "en";
}

/** The name of a file has the hash of its text beside it: it may be kept for ever. */
export function fileAnswer({ type, text }: { type: string; text: string }): HttpAnswer {
  const body = Buffer.from(text);
  const headers = {
    ...SECURITY_HEADERS,
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Type": type,
    "Content-Length": body.length,
  };
  return { status: 200, headers, body };
}

/** `If-None-Match: "a", W/"b"` or `*`. */
function hasEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const known = header.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}

/** For people and supervisors; never cached. */
export function textAnswer(status: number, words: string, headers: Record<string, string> = {}): HttpAnswer {
  const body = Buffer.from(`${words}\n`);
  const type = { "Content-Type": "text/plain; charset=utf-8", "Content-Length": body.length };
  return { status, headers: { ...SECURITY_HEADERS, ...type, "Cache-Control": "no-store", ...headers }, body };
}

const NOTHING = Buffer.alloc(0);
