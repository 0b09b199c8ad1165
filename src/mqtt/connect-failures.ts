import type { ConnectFailed } from "./broker-errors.ts";

/** Why there is no connection, in words that say what to look at. */
export function explainFailure(code: ConnectFailed["code"], message: string, broker: string): string {
  if (code === undefined) {
    return `The broker at ${broker} closed the connection without a word: does this port expect TLS (mqtts://), or is the broker behind it away?`;
  }
  if (typeof code === "number") return `The broker at ${broker} ${REFUSALS[code] ?? `refuses: ${message}`}`;
  const explained = TROUBLES.find(({ codes }) => codes.test(code));
  return explained
    ? explained.sentence(broker, message)
    : `No connection to the broker at ${broker}: ${message}`;
}

/** The broker speaks no MQTT 5 and says so: a code of 3.1.1, or that of 5. */
export function refusesVersion({ code }: ConnectFailed): boolean {
  return code === 1 || code === 132;
}

/** Closed before an answer: an old broker that does not know MQTT 5, or something in between. */
export function closedWithoutAnswer({ code }: ConnectFailed): boolean {
  return code === undefined || code === "ECONNRESET" || code === "EPIPE";
}

const BAD_PASSWORD = "refuses the user name or password: see mqtt.username and mqtt.password";
const NOT_AUTHORISED =
  "does not let vigie in (not authorised): see mqtt.username and mqtt.password, and the broker's list of who may connect";
const BAD_ID = "refuses vigie's client id: its list of client ids must allow those that begin with vigie-";
const UNAVAILABLE = "says that it is not available now";

/** CONNACK codes of 3.1.1 below 128, of MQTT 5 from there. */
const REFUSALS: Record<number, string> = {
  1: "speaks no version of MQTT that vigie knows",
  2: BAD_ID,
  3: UNAVAILABLE,
  4: BAD_PASSWORD,
  5: NOT_AUTHORISED,
  132: "speaks no version of MQTT that vigie knows",
  133: BAD_ID,
  134: BAD_PASSWORD,
  135: NOT_AUTHORISED,
  136: UNAVAILABLE,
  137: "says that it is too busy",
  138: "has banned vigie",
  149: "finds vigie's greeting too large",
  151: "says that a quota is used up",
  159: "says that connections come too often",
};

interface Trouble {
  codes: RegExp;
  sentence: (broker: string, message: string) => string;
}

const TROUBLES: readonly Trouble[] = [
  {
    codes: /^ECONNREFUSED$/,
    sentence: (broker) =>
      `Nothing listens at ${broker} (connection refused): is the broker running, is the port right?`,
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_FAIL)$/,
    sentence: (broker) =>
      `The broker's host in ${broker} is unknown: is the name right, does the name service answer?`,
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|ETIMEDOUT)$/,
    sentence: (broker) =>
      `The broker at ${broker} cannot be reached: is the machine on, is the network there?`,
  },
  {
    codes: /^(ECONNRESET|EPIPE)$/,
    sentence: (broker) =>
      `The broker at ${broker} cut the connection off before it answered: does one side speak TLS and the other not (mqtt:// or mqtts://)?`,
  },
  {
    codes: /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|EPROTO)$/,
    sentence: (broker) =>
      `The broker at ${broker} does not speak TLS on this port: mqtt:// instead of mqtts://?`,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    sentence: (broker, message) =>
      `The certificate of the broker at ${broker} is for another name; mqtt.tls.server_name says which to expect. ${message}`,
  },
  {
    codes: /^CERT_HAS_EXPIRED$|^CERT_NOT_YET_VALID$/,
    sentence: (broker) =>
      `The certificate of the broker at ${broker} is not valid now: expired, or this clock is wrong.`,
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO|^CERT_|^ERR_(TLS|SSL|OSSL)/,
    sentence: (broker, message) =>
      `TLS with the broker at ${broker} fails (${message}): does mqtt.tls.ca_file hold the authority that signed its certificate?`,
  },
  {
    codes: /^TIMEOUT$/,
    sentence: (broker) =>
      `The broker at ${broker} takes connections and does not answer: is it frozen or overloaded?`,
  },
];
