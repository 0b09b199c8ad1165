import { maskAddress } from "../config/address.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { validationErrorSchema } from "../core/contract/endpoints.ts";
import { cleanText } from "./clean-text.ts";
import { readHttpTime, readRetryAfter } from "./http-time.ts";
import { AnswerUnreadable, type Came, RequestRefused, ServiceBusy, ServiceFailed } from "./service-errors.ts";

/** A response as it arrived: decompressed, not yet understood. */
export interface Arrival {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

/** The JSON of an answer; throws what its status, its type or its text amounts to. */
export function readArrival(arrival: Arrival, asked: string, now: Instant): unknown {
  const { status, headers, body } = arrival;
  const text = new TextDecoder().decode(body);
  const came = describeArrival(arrival, text);
  if (status === 429) {
    throw new ServiceBusy(asked, retryAfterOf(arrival, now));
  }
  if (status >= 500) throw new ServiceFailed(asked, came);
  if (status >= 400) throw new RequestRefused(asked, came, validationDetails(text));
  if (status >= 300) throw new AnswerUnreadable(asked, describeRedirect(headers), { came });
  if (status !== 200) throw new AnswerUnreadable(asked, `Expected status 200, got ${status}`, { came });
  if (!isJsonType(came.contentType)) {
    const why = `Expected application/json, got ${came.contentType}; is service.base_url the service's address?`;
    throw new AnswerUnreadable(asked, why, { came });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const cut = isCut(text);
    const why = cut ? "Expected whole JSON, got a part of it" : "Expected JSON, got something else";
    throw new AnswerUnreadable(asked, why, { came, cut, cause });
  }
}

/** What a 429 asks for; an instant is measured by the service's own clock, where it says it. */
export function retryAfterOf(arrival: Arrival, now: Instant): number | null {
  return readRetryAfter(arrival.headers.get("retry-after") ?? null, sentAt(arrival) ?? now);
}

/** The service's clock, where it says it. */
export function sentAt({ headers }: Arrival): Instant | null {
  const date = headers.get("date");
  return date === undefined ? null : readHttpTime(date);
}

function describeArrival({ status, headers }: Arrival, text: string): Came {
  const contentType = headers.get("content-type");
  return {
    status,
    contentType: contentType === undefined ? null : cleanText(contentType, 80),
    beginning: cleanText(text, BODY_SHOWN),
  };
}

const BODY_SHOWN = 1024;

function validationDetails(text: string) {
  try {
    return validationErrorSchema
      .parse(JSON.parse(text))
      .detail.slice(0, MOST_DETAILS)
      .map((detail) => ({
        loc: detail.loc.map((part) => (typeof part === "string" ? cleanText(part, 60) : part)),
        msg: cleanText(detail.msg, 200),
        type: cleanText(detail.type, 60),
      }));
  } catch {
    // Not the documented form (the interface leaves that of 400 open): the body is shown as it is.
    return [];
  }
}

const MOST_DETAILS = 8;

function describeRedirect(headers: Arrival["headers"]): string {
  const location = headers.get("location");
  if (location === undefined) return "Expected an answer, got a status that sends elsewhere";
  const target = maskAddress(cleanText(location.replace(/[?#].*$/s, ""), 200));
  return `Expected an answer, got a redirect to ${target}; it is not followed, set service.base_url instead`;
}

/** A service that names no type is believed if what it sends is JSON. */
function isJsonType(contentType: string | null): boolean {
  return contentType === null || /^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** Begins like JSON and ends too early. */
function isCut(text: string): boolean {
  const whole = text.trim();
  if (whole === "") return true;
  return (whole.startsWith("{") && !whole.endsWith("}")) || (whole.startsWith("[") && !whole.endsWith("]"));
}
