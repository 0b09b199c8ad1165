import type { ConnectFailed } from "./broker-errors.ts";

/** Why there is no connection, and what to check. `code`: see ConnectFailed. */
export function explainFailure(code: ConnectFailed["code"], message: string, broker: string): string {
  if (code === undefined) {
    return `The broker at ${broker} closed the connection before it answered: does this port expect TLS (mqtts://), or is this a proxy whose broker is down?`;
  }
  if (typeof code === "number") return `The broker at ${broker} ${REFUSALS[code] ?? `refuses: ${message}`}`;
  const explained = FAILURES.find(({ codes }) => codes.test(code));
  return explained
    ? explained.sentence(broker, message)
    : `No connection to the broker at ${broker}: ${message}`;
}

/** The broker says that it does not speak MQTT 5: with the code of 3.1.1, or with that of 5. */
export function refusesVersion({ code }: ConnectFailed): boolean {
  return code === 1 || code === 132;
}

/** An old broker that does not know MQTT 5 does so, and a proxy whose broker is down. */
export function closedWithoutAnswer({ code }: ConnectFailed): boolean {
  return code === undefined || code === "ECONNRESET" || code === "EPIPE";
}

const BAD_PASSWORD = "refuses the user name or password: see mqtt.username and mqtt.password";
const NOT_AUTHORISED =
  "does not let vigie in (not authorised): see mqtt.username and mqtt.password, and the broker's list of who may connect";
const BAD_ID = "refuses vigie's client id: its list of client ids must allow those that begin with vigie-";
const UNAVAILABLE = "says that it is not available";

/** CONNACK codes of 3.1.1 below 128, of MQTT 5 from there. */
const REFUSALS: Record<number, string> = {
  1: "speaks neither MQTT 5 nor MQTT 3.1.1",
  2: BAD_ID,
  3: UNAVAILABLE,
  4: BAD_PASSWORD,
  5: NOT_AUTHORISED,
  132: "speaks neither MQTT 5 nor MQTT 3.1.1",
  133: BAD_ID,
  134: BAD_PASSWORD,
  135: NOT_AUTHORISED,
  136: UNAVAILABLE,
  137: "says that it is too busy",
  138: "has banned vigie",
  149: "refuses vigie's first packet (CONNECT) as too large",
  151: "says that a quota is exceeded",
  159: "says that vigie connects too often",
};

interface Failure {
  codes: RegExp;
  sentence: (broker: string, message: string) => string;
}

const FAILURES: readonly Failure[] = [
  {
    codes: /^ECONNREFUSED$/,
    sentence: (broker) =>
      `Nothing listens at ${broker} (connection refused): is the broker running, is the port right?`,
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_FAIL)$/,
    sentence: (broker) => `The broker's host in ${broker} is unknown: is the name right, does DNS work?`,
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|ETIMEDOUT)$/,
    sentence: (broker) =>
      `The broker at ${broker} cannot be reached: is the machine on, is the network there?`,
  },
  {
    codes: /^(ECONNRESET|EPIPE)$/,
    sentence: (broker) =>
      `The broker at ${broker} cut the connection off before it answered: does one side use TLS and the other not (mqtt:// or mqtts://)?`,
  },
  {
    codes: /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|EPROTO)$/,
    sentence: (broker) =>
      `The broker at ${broker} does not use TLS on this port: should mqtt.url begin with mqtt:// instead of mqtts://?`,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    sentence: (broker, message) =>
      `The certificate of the broker at ${broker} is for another name: set mqtt.tls.server_name to that name. ${message}`,
  },
  {
    codes: /^CERT_HAS_EXPIRED$|^CERT_NOT_YET_VALID$/,
    sentence: (broker) =>
      `The certificate of the broker at ${broker} is not valid now: it has expired, or the clock of this machine is wrong.`,
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO|^CERT_|^ERR_(TLS|SSL|OSSL)/,
    sentence: (broker, message) =>
      `TLS with the broker at ${broker} fails (${message}): does mqtt.tls.ca_file hold the certificate of the authority that signed it?`,
  },
  {
    codes: /^TIMEOUT$/,
    sentence: (broker) =>
      `The broker at ${broker} takes connections and does not answer: is it frozen or overloaded?`,
  },
];
