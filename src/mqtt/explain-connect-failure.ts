import type { ConnectFailed } from "./broker-errors.ts";

/** Why there is no connection, and what to check. `code`: see ConnectFailed. */
export function explainFailure(code: ConnectFailed["code"], message: string, broker: string): string {
  return `The broker at ${broker} ${reasonFor(code).replace("MESSAGE", message)}`;
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

const CLOSED =
  "closed the connection before it answered: does this port expect TLS (mqtts://), or is this a proxy whose broker is down?";
const CUT_OFF =
  "cut the connection off before it answered: does one side use TLS and the other not (mqtt:// or mqtts://)?";
const UNKNOWN_HOST = "has an unknown host name: is the name right, does DNS work?";
const UNREACHABLE = "cannot be reached: is the machine on, is the network there?";
const NO_TLS = "does not use TLS on this port: should mqtt.url begin with mqtt:// instead of mqtts://?";
const NOT_VALID_NOW =
  "has a certificate that is not valid now: it has expired, or the clock of this machine is wrong";
const UNKNOWN_AUTHORITY =
  "cannot be reached over TLS (MESSAGE): does mqtt.tls.ca_file hold the certificate of the authority that signed its certificate?";
const BAD_VERSION = "speaks neither MQTT 5 nor MQTT 3.1.1";
const BAD_ID = "refuses vigie's client id: its list of client ids must allow those that begin with vigie-";
const BAD_PASSWORD = "refuses the user name or password: see mqtt.username and mqtt.password";
const NOT_AUTHORISED =
  "does not let vigie in (not authorised): see mqtt.username and mqtt.password, and the broker's list of who may connect";
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
  138: "has banned vigie",
  149: "refuses vigie's first packet (CONNECT) as too large",
  151: "says that a quota is exceeded",
  159: "says that vigie connects too often",
  // Of the system, of TLS, and of this program (TIMEOUT).
  ECONNREFUSED: "is not listening (connection refused): is it running, is the port right?",
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
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "has a certificate for another name: set mqtt.tls.server_name to that name. MESSAGE",
  CERT_HAS_EXPIRED: NOT_VALID_NOW,
  CERT_NOT_YET_VALID: NOT_VALID_NOW,
  TIMEOUT: "takes connections and does not answer: is it frozen or overloaded?",
};
