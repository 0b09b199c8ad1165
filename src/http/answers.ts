import type { IncomingMessage } from "node:http";
import type { HttpConfig } from "../config/config.ts";
import { chooseLanguage } from "./languages.ts";
import { type Guard, plainAddress } from "./peers.ts";
import type { Renderings } from "./renderings.ts";
import type { Route } from "./routes.ts";

/** What is sent back. */
export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: Buffer;
}

/** Of every answer. Styles, scripts, images and connections of the page are its own, nothing is inline. */
export const SECURITY_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** Why a request is not answered; undefined: it is. The longest address is that of a calendar with all its options. */
export function findRefusal(request: IncomingMessage, guard: Guard): Answer | undefined {
  const { method = "", url = "", headers, socket } = request;
  const peer = socket.remoteAddress ?? "";
  if (!guard.isAllowed(peer)) {
    return textAnswer(403, `${plainAddress(peer)} may not connect: http.allow does not name it`);
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

const LONGEST_URL = 2_048;

/** The text of a route, or that the browser has it already. */
export function answerRoute(
  route: Route,
  request: IncomingMessage,
  renderings: Renderings,
  option: HttpConfig["language"],
): Answer {
  const { url = "", headers } = request;
  const language = chooseLanguage(option, headers["accept-language"]);
  const query = new URLSearchParams(url.split("?", 2)[1]);
  const rendering = renderings.find(route, { language, query });
  if (!rendering) return textAnswer(503, "vigie is starting", { "Retry-After": "1" });
  const { body, etag } = rendering;
  const common = {
    ...SECURITY_HEADERS,
    "Cache-Control": "no-cache",
    ETag: etag,
    ...(route.variesBy.includes("language") && option === "auto" && { Vary: "Accept-Language" }),
  };
  if (hasEtag(headers["if-none-match"], etag)) return { status: 304, headers: common, body: NOTHING };
  return {
    status: 200,
    headers: { ...common, "Content-Type": route.type, "Content-Length": body.length },
    body,
  };
}

/** `If-None-Match: "a", W/"b"` or `*`. */
function hasEtag(header: string | undefined, etag: string): boolean {
  const known = (header ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}

/** For people and supervisors; never cached. */
export function textAnswer(status: number, words: string, headers: Record<string, string> = {}): Answer {
  const body = Buffer.from(`${words}\n`);
  const type = { "Content-Type": "text/plain; charset=utf-8", "Content-Length": body.length };
  return { status, headers: { ...SECURITY_HEADERS, ...headers, "Cache-Control": "no-store", ...type }, body };
}

const NOTHING = Buffer.alloc(0);
