import { maskAddress } from "../config/address.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { type ValidationError, validationErrorSchema } from "../core/contract/endpoints.ts";
import { retryAfterOf, serverTime } from "../core/contract/http-headers.ts";
import { ANSWER_TOLERANCE, SAME_TIME } from "../core/facts/check-clock.ts";
import type { Source } from "../core/sources/source.ts";
import { cleanText } from "./clean-text.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import {
  AnswerUnreadable,
  type NamedRequest,
  RequestRefused,
  type ResponseSummary,
  ServiceBusy,
  ServiceFailed,
} from "./service-errors.ts";

/** A response as it arrived, decompressed. */
export interface HttpResponse {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

/** The JSON of a response; throws the error that its status, its content type or its body amounts to. */
export function readResponse(
  response: HttpResponse,
  source: Source,
  request: NamedRequest,
  now: Instant,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  const { status, body } = response;
  const { operation } = request;
  const text = new TextDecoder().decode(body);
  const summary = summarize(response, text);
  if (status === 429) throw new ServiceBusy(source, operation, retryAfterOf(response, now));
  if (status >= 500) throw new ServiceFailed(source, operation, summary);
  if (status >= 400) throw new RequestRefused(source, request, summary, validationDetails(text));
  if (status !== 200) throw new AnswerUnreadable(operation, describeStatus(summary, source), { summary });
  const { needsJsonType, option } = REQUEST_RULES[source.id];
  if (needsJsonType && !isJsonType(summary.contentType)) {
    const why = `Expected application/json, got ${summary.contentType}; is ${option} the address of the ${source.name}?`;
    throw new AnswerUnreadable(operation, why, { summary });
  }
  try {
    return parse(text);
  } catch (cause) {
    const cut = isCut(text);
    const why = cut ? "Expected whole JSON, got a part of it" : "Expected JSON, got something else";
    throw new AnswerUnreadable(operation, why, { summary, cut, cause });
  }
}

/** What an answer says of time; null if it does not say. */
export interface SourceTimes {
  /** What the clock of its source showed as the answer came. */
  date: Instant | null;
  /** When its source made it. */
  made_at: Instant | null;
  /** Its `Date` as it stands there: the source's clock showed it then, or later. */
  sent: Instant | null;
}

/**
 * There are two kinds of caches. One keeps the `Date` of the source, and `Age` counts on from it (RFC 9111); the other sends
 * its own time as `Date`. Of an answer of 10:00 that comes at 10:20, with an `Age` of 20 minutes, the one sends 10:00 and the
 * other 10:20. This machine's clock tells which: the source's is at `Date` or at `Date` plus `Age`, whichever is nearer. Only
 * a clock that is within a minute of the latter makes an answer later than `Date` less `Age`. And one that is far from the
 * latter has to be within a minute of `Date`: it may be 55 minutes after `Date` because it is 150 minutes behind, and `Age` 95.
 */
export function sourceTimes(response: HttpResponse, now: Instant): SourceTimes {
  const sent = serverTime(response);
  if (sent === null) return { date: null, made_at: null, sent };
  const age = ageOf(response);
  const difference = Math.abs(now - (sent + age));
  const farthest = difference <= ANSWER_TOLERANCE ? difference : SAME_TIME;
  const date = Math.abs(now - sent) <= farthest ? sent : sent + age;
  return { date, made_at: difference <= SAME_TIME ? sent : sent - age, sent };
}

/** For how long a cache has kept the answer, in milliseconds. */
function ageOf({ headers }: HttpResponse): number {
  const text = headers.get("age")?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) * 1000 : 0;
}

function summarize({ status, headers }: HttpResponse, text: string): ResponseSummary {
  const contentType = headers.get("content-type");
  const location = headers.get("location")?.replace(/[?#].*$/s, "");
  return {
    status,
    contentType: contentType === undefined ? null : cleanText(contentType, 80),
    location: location === undefined ? null : maskAddress(cleanText(location, 200)),
    beginning: cleanText(text, BODY_SHOWN),
  };
}

const BODY_SHOWN = 1024;

function validationDetails(text: string): ValidationError["detail"] {
  try {
    const { detail } = validationErrorSchema.parse(JSON.parse(text));
    return detail.slice(0, MOST_DETAILS).map(({ loc, msg, type }) => ({
      loc: loc.map((part) => (typeof part === "string" ? cleanText(part, 60) : part)),
      msg: cleanText(msg, 200),
      type: cleanText(type, 60),
    }));
  } catch {
    // Not the documented form (the interface leaves that of 400 open): the body is shown as it is.
    return [];
  }
}

const MOST_DETAILS = 8;

function describeStatus({ status, location }: ResponseSummary, { id }: Source): string {
  if (location === null) return `Expected status 200, got ${status}`;
  return `Expected an answer, got a redirect to ${location}; it is not followed, set ${REQUEST_RULES[id].option} instead`;
}

/** A response without a content type is read if it is JSON. */
function isJsonType(contentType: string | null): boolean {
  return contentType === null || /^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** Begins like JSON and ends too early. */
function isCut(text: string): boolean {
  const whole = text.trim();
  if (whole === "") return true;
  return (whole.startsWith("{") && !whole.endsWith("}")) || (whole.startsWith("[") && !whole.endsWith("]"));
}
