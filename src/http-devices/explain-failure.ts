import { codeOf } from "../runtime/error-code.ts";
import { NETWORK_WORDS } from "../runtime/network-words.ts";

/**
 * Why there was no answer: words that follow a colon. Those of Node and undici are never repeated, as some hold the address, a
 * header or what the device sent.
 */
export function explainFailure(cause: unknown): string {
  const code = codeOf(cause);
  if (cause instanceof Error && cause.name === "HTTPParserError") return NOT_HTTP;
  if (code === "UND_ERR_SOCKET" && cause instanceof Error && cause.message === "bad response")
    return "it answers 100 Continue first, which vigie cannot read";
  const words = WORDS.get(code) ?? PATTERNS.find(([pattern]) => pattern.test(code))?.[1];
  if (words !== undefined) return `${words} (${code})`;
  return code === "" ? "the connection failed" : `the connection failed (${code})`;
}

/** The request itself cannot be sent, now or later. */
export function isForGood(cause: unknown): boolean {
  return UNSENDABLE.test(codeOf(cause));
}

const UNSENDABLE = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)$/;
const NOT_HTTP = "its answer is not HTTP";
const BROKEN = "it broke the connection";
const NO_NAME = "its name cannot be looked up at the moment";
const NO_TLS = "it does not speak TLS there; is it http:// ?";
const UNKNOWN_AUTHORITY =
  "its certificate is signed by nobody this machine trusts; set tls.ca_file to that of the authority that signed it";
const NOT_VALID_NOW = "its certificate is not valid now: it has expired, or this machine's clock is wrong";
const FORBIDDEN = "this machine does not let vigie connect there; check its firewall";

const WORDS = new Map([
  ...NETWORK_WORDS,
  ["EPIPE", BROKEN],
  ["ECONNABORTED", BROKEN],
  ["UND_ERR_SOCKET", "it closed the connection before the end of its answer"],
  ["EHOSTDOWN", "there is no route to it"],
  ["ENETDOWN", "there is no network"],
  ["EACCES", FORBIDDEN],
  ["EPERM", FORBIDDEN],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", NO_TLS],
  ["CERT_HAS_EXPIRED", NOT_VALID_NOW],
  ["CERT_NOT_YET_VALID", NOT_VALID_NOW],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "its answer has another length than it says"],
  ["UND_ERR_HEADERS_OVERFLOW", "the headers of its answer are too long"],
]);

const PATTERNS: readonly [RegExp, string][] = [
  [/^HPE_/, NOT_HTTP],
  [/^EAI_/, NO_NAME],
  [/SELF_SIGNED|^UNABLE_TO|^CERT_/, UNKNOWN_AUTHORITY],
  [/^ERR_(TLS|SSL|OSSL)/, "TLS failed"],
  [UNSENDABLE, "this request cannot be sent; check the option headers"],
];
