import type { ConnectFailed } from "./broker-errors.ts";

/** Why there is no connection, and what to check. `code`: see ConnectFailed. */
export function explainFailure(code: ConnectFailed["code"], message: string, broker: string): string {
  return `The broker at ${broker} ${reasonFor(code).replace("MESSAGE", message)}`;
}

/** Why a connection that was made has ended: words that follow a colon. */
export function explainEnd(code: unknown, message: string): string {
  if (message === "Keepalive timeout") return SILENT;
  return ENDS.get(code) ?? message;
}

/** The broker says that it does not speak MQTT 5: with the code of 3.1.1, or with that of 5. */
export function refusesVersion({ code }: ConnectFailed): boolean {
  return code === 1 || code === 132;
}

/** An old broker that does not know MQTT 5 does so, and a proxy whose broker is down. */
export function closedWithoutAnswer({ code }: ConnectFailed): boolean {
  return code === undefined || code === "ECONNRESET" || code === "EPIPE";
}

function reasonFor(code: ConnectFailed["code"]): string {
  if (code === undefined) return CLOSED;
  const reason = REASONS[code];
  if (reason !== undefined) return reason;
  if (typeof code === "number") return "refuses: MESSAGE";
  return /SELF_SIGNED|UNABLE_TO|^CERT_|^ERR_(TLS|SSL|OSSL)/.test(code)
    ? UNKNOWN_AUTHORITY
    : "cannot be reached: MESSAGE";
}

const SILENT = "the broker does not answer any more";
const CUT = "the broker or the network cut it off";
const NETWORK_AWAY = "the network between vigie and the broker is away";
const ENDS = new Map<unknown, string>([
  ["ECONNRESET", CUT],
  ["ECONNABORTED", CUT],
  ["EPIPE", CUT],
  ["ETIMEDOUT", SILENT],
  ["EHOSTUNREACH", NETWORK_AWAY],
  ["EHOSTDOWN", NETWORK_AWAY],
  ["ENETUNREACH", NETWORK_AWAY],
  ["ENETDOWN", NETWORK_AWAY],
]);
const CLOSED =
  "closed the connection before it answered. Check that mqtt.url has the port of a broker (for ws://, also the path), that it begins with mqtts:// if this port expects TLS, and that the broker behind a proxy is running";
const CUT_OFF =
  "cut the connection off before it answered. Check that both sides use TLS (mqtts://), or neither does (mqtt://)";
const UNKNOWN_HOST = "has an unknown host name. Check that the name is right and that DNS works";
const UNREACHABLE = "cannot be reached. Check that the machine is on and that the network works";
const FORBIDDEN =
  "cannot be reached: this machine does not let vigie connect there. Check its firewall, and the limits of vigie's service or container";
const NO_TLS =
  "does not use TLS on this port. Check that mqtt.url has the right port, or begins with mqtt:// instead of mqtts://";
const NOT_VALID_NOW =
  "has a certificate that is not valid now: it has expired, or the clock of this machine is wrong";
const UNKNOWN_AUTHORITY =
  "cannot be reached over TLS (MESSAGE). Check that mqtt.tls.ca_file holds the certificate of the authority that signed its certificate";
const BAD_VERSION = "supports neither MQTT 5 nor MQTT 3.1.1";
const BAD_ID = "refuses vigie's client id: its list of client ids must allow those that begin with vigie-";
const BAD_PASSWORD = "refuses the user name or password: see mqtt.username and mqtt.password";
const NOT_AUTHORISED =
  "refuses the login (not authorised): see mqtt.username and mqtt.password, and the broker's list of who may connect";
const UNAVAILABLE = "says that it is not available";

const REASONS: Record<string | number, string> = {
  // CONNACK codes of MQTT 3.1.1.
  1: BAD_VERSION,
  2: BAD_ID,
  3: UNAVAILABLE,
  4: BAD_PASSWORD,
  5: NOT_AUTHORISED,
  // CONNACK codes of MQTT 5.
  132: BAD_VERSION,
  133: BAD_ID,
  134: BAD_PASSWORD,
  135: NOT_AUTHORISED,
  136: UNAVAILABLE,
  137: "says that it is too busy",
  138: "refuses: client banned",
  149: "refuses vigie's first packet (CONNECT) as too large",
  151: "says that a quota is exceeded",
  159: "says that vigie connects too often",
  // Of the system, of TLS, and of this program (TIMEOUT).
  ECONNREFUSED: "is not listening (connection refused). Check that it is running and that the port is right",
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EAI_NODATA: UNKNOWN_HOST,
  EAI_FAIL: UNKNOWN_HOST,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  EHOSTDOWN: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ECONNRESET: CUT_OFF,
  EPIPE: CUT_OFF,
  ECONNABORTED: CUT_OFF,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EADDRNOTAVAIL: UNREACHABLE,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "has a certificate for another name: set mqtt.tls.server_name to that name. MESSAGE",
  CERT_HAS_EXPIRED: NOT_VALID_NOW,
  CERT_NOT_YET_VALID: NOT_VALID_NOW,
  NOT_MQTT:
    "answers, but not in MQTT: this looks like the port of a web server, or of another program. Check the port in mqtt.url: a broker usually has 1883, or 8883 with mqtts://",
  TIMEOUT: "takes connections and does not answer. Check that it is not frozen or overloaded",
};
