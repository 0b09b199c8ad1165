import { retryAfterOf } from "../core/contract/http-headers.ts";
import { type DeviceResponse, isSuccess } from "./request-device.ts";

/** What an answer says by its status. */
export type Judgement =
  | { kind: "success" }
  /** It may be tried again soon. `retryAfter`: milliseconds, null: it does not say. */
  | { kind: "later"; message: string; retryAfter: number | null; mayHaveArrived: boolean }
  | { kind: "refused"; message: string };

export interface Asked {
  /** Scheme, host and port. */
  place: string;
  /** The option that holds the address. */
  option: "url" | "confirm.url";
  /** When the answer came, by this machine's wall clock. */
  now: number;
}

export function judgeAnswer(response: DeviceResponse, asked: Asked): Judgement {
  const { status } = response;
  if (isSuccess(status)) return { kind: "success" };
  const answers = `${asked.place} answers with status ${status}`;
  if (LATER.has(status) || (status >= 500 && status < 600))
    return {
      kind: "later",
      message: answers,
      retryAfter: waitAskedFor(response, asked.now),
      mayHaveArrived: OF_GATEWAYS.has(status),
    };
  return { kind: "refused", message: `${answers}: ${whatToCheck(response, asked)}` };
}

const LATER = new Set([408, 425, 429]);
/** Whoever answers so has passed the request on, and got no answer that can be used. */
const OF_GATEWAYS = new Set([502, 504]);

function whatToCheck({ status, headers }: DeviceResponse, { place, option }: Asked): string {
  if (status < 200 || status >= 400 || status === 304) return wordsFor(status, option, headers);
  return `this is a redirect${targetOf(headers.get("location"), place)}, which vigie does not follow; write the final address as ${option}`;
}

function wordsFor(status: number, option: Asked["option"], headers: DeviceResponse["headers"]): string {
  const isQuestion = option === "confirm.url";
  switch (status) {
    case 401:
    case 403:
      return /^\s*digest\b/i.test(headers.get("www-authenticate") ?? "")
        ? "it asks for a Digest login, which vigie cannot do; use another way in, or switch its login off"
        : "check the token, or the user and password";
    case 404:
    case 410:
      return `check the path of ${option}`;
    case 405:
      return isQuestion ? "it cannot be asked by GET; check confirm.url" : "check the option method";
    case 400:
    case 415:
    case 422:
      return isQuestion ? "check confirm.url" : "check the payload, and the option content_type";
    case 413:
    case 414:
      return "what is sent is too long for it";
    default:
      return `check ${option}, and what the device expects`;
  }
}

/** Where it points to. Another host is not named: its name may repeat what stood in the request. */
function targetOf(location: string | undefined, place: string): string {
  if (location === undefined || !URL.canParse(location, place)) return "";
  const { protocol, origin, hostname } = new URL(location, place);
  if (origin === place || !/^https?:$/.test(protocol)) return "";
  return hostname === new URL(place).hostname ? ` to ${origin}` : " to another host";
}

/** A device is not waited for longer. */
function waitAskedFor(response: DeviceResponse, now: number): number | null {
  const wait = retryAfterOf(response, now);
  return wait === null ? null : Math.min(LONGEST_RETRY, wait);
}

const LONGEST_RETRY = 600_000;
