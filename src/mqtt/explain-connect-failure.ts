import type { ConnectFailed } from "./broker-errors.ts";

/** Why there is no connection, and what to check. `code`: see ConnectFailed. */
export function explainFailure(code: ConnectFailed["code"], message: string, broker: string): string {
  return `The broker at ${broker} ${REASONS[failureKind(code)].replace("MESSAGE", message)}`;
}

/** One kind for each thing that people can do about it. */
type FailureKind = keyof typeof REASONS;

export function failureKind(code: ConnectFailed["code"]): FailureKind {
  if (code === undefined) return "closed";
  const kind = KINDS[code];
  if (kind !== undefined) return kind;
  if (typeof code === "number") return "refused";
  if (/SELF_SIGNED|UNABLE_TO|^CERT_/.test(code)) return "unknown_authority";
  return /^ERR_(TLS|SSL|OSSL)/.test(code) ? "no_agreement_on_tls" : "other";
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

const BAD_CERTIFICATE =
  "cannot be reached over TLS (MESSAGE). Check that mqtt.tls.ca_file holds the certificate of the authority that signed its certificate";

const REASONS = {
  closed:
    "closed the connection before it answered. Check that mqtt.url has the port of a broker (for ws://, also the path), that it begins with mqtts:// if this port expects TLS, and that the broker behind a proxy is running",
  cut_off:
    "cut the connection off before it answered. Check that both sides use TLS (mqtts://), or neither does (mqtt://)",
  not_listening: "is not listening (connection refused). Check that it is running and that the port is right",
  unknown_name: "has an unknown host name. Check that the name is right and that DNS works",
  unreachable: "cannot be reached. Check that the machine is on and that the network works",
  forbidden:
    "cannot be reached: this machine does not let vigie connect there. Check its firewall, and the limits of vigie's service or container",
  no_tls:
    "does not use TLS on this port. Check that mqtt.url has the right port, or begins with mqtt:// instead of mqtts://",
  not_valid_now:
    "has a certificate that is not valid now: it has expired, or the clock of this machine is wrong",
  other_name: "has a certificate for another name: set mqtt.tls.server_name to that name. MESSAGE",
  unknown_authority: BAD_CERTIFICATE,
  no_agreement_on_tls: BAD_CERTIFICATE,
  bad_version: "supports neither MQTT 5 nor MQTT 3.1.1",
  bad_id: "refuses vigie's client id: its list of client ids must allow those that begin with vigie-",
  bad_password: "refuses the user name or password: see mqtt.username and mqtt.password",
  not_authorised:
    "refuses the login (not authorised): see mqtt.username and mqtt.password, and the broker's list of who may connect",
  unavailable: "says that it is not available",
  busy: "says that it is too busy",
  banned: "refuses: client banned",
  packet_too_large: "refuses vigie's first packet (CONNECT) as too large",
  quota: "says that a quota is exceeded",
  too_often: "says that vigie connects too often",
  refused: "refuses: MESSAGE",
  not_mqtt:
    "answers, but not in MQTT: this looks like the port of a web server, or of another program. Check the port in mqtt.url: a broker usually has 1883, or 8883 with mqtts://",
  silent: "takes connections and does not answer. Check that it is not frozen or overloaded",
  other: "cannot be reached: MESSAGE",
};

const KINDS: Record<string | number, FailureKind> = {
  // CONNACK codes of MQTT 3.1.1.
  1: "bad_version",
  2: "bad_id",
  3: "unavailable",
  4: "bad_password",
  5: "not_authorised",
  // CONNACK codes of MQTT 5.
  132: "bad_version",
  133: "bad_id",
  134: "bad_password",
  135: "not_authorised",
  136: "unavailable",
  137: "busy",
  138: "banned",
  149: "packet_too_large",
  151: "quota",
  159: "too_often",
  // Of the system, of TLS, and of this program (TIMEOUT).
  ECONNREFUSED: "not_listening",
  ENOTFOUND: "unknown_name",
  EAI_AGAIN: "unknown_name",
  EAI_NODATA: "unknown_name",
  EAI_FAIL: "unknown_name",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  EHOSTDOWN: "unreachable",
  ETIMEDOUT: "unreachable",
  ECONNRESET: "cut_off",
  EPIPE: "cut_off",
  ECONNABORTED: "cut_off",
  EACCES: "forbidden",
  EPERM: "forbidden",
  EADDRNOTAVAIL: "unreachable",
  EPROTO: "no_tls",
  ERR_SSL_WRONG_VERSION_NUMBER: "no_tls",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "no_tls",
  ERR_TLS_CERT_ALTNAME_INVALID: "other_name",
  CERT_HAS_EXPIRED: "not_valid_now",
  CERT_NOT_YET_VALID: "not_valid_now",
  NOT_MQTT: "not_mqtt",
  TIMEOUT: "silent",
};
