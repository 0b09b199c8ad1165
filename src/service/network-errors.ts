import type { Source } from "../core/sources/source.ts";
import { codeOf } from "../runtime/error-code.ts";
import { NETWORK_WORDS } from "../runtime/network-words.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import { AnswerUnreadable, ServiceUnreachable } from "./service-errors.ts";

/** The error of a request that brought no response, in words for the log. */
export function explainNetworkError(source: Source, operation: string, host: string, cause: unknown): Error {
  const code = codeOf(cause);
  if (code === "UND_ERR_HEADERS_OVERFLOW" || (cause instanceof Error && cause.name === "HTTPParserError")) {
    const why = `Expected an answer in HTTP, got something else from ${host}`;
    return new AnswerUnreadable(operation, why, { cause });
  }
  const words = WORDS.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
  const reason = (code === "" ? words : `${words} (${code})`) + suspectBroker(source, host);
  return new ServiceUnreachable(source, operation, host, reason, { cause, unsent: NOT_CONNECTED.has(code) });
}

/** A broker closes the connection when it receives HTTP. */
function suspectBroker({ id }: Source, host: string): string {
  const [, port] = /:(1883|8883)$/.exec(host) ?? [];
  return port === undefined
    ? ""
    : `. Port ${port} looks like that of an MQTT broker: is ${REQUEST_RULES[id].option} the address of the service?`;
}

const WORDS = new Map([
  ...NETWORK_WORDS,
  ["UND_ERR_SOCKET", "it closed the connection without an answer"],
  ["UND_ERR_CONNECT_TIMEOUT", "it does not answer"],
  ["CERT_HAS_EXPIRED", "its certificate has expired, or this machine's clock is wrong"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet, or this machine's clock is wrong"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is signed by itself only"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate is signed by nobody this machine trusts"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate is signed by nobody this machine trusts"],
]);

/** Errors before a connection is there: nothing was sent. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
