const NO_TLS = "it does not speak TLS there; is it http:// ?";

/** Why a server cannot be reached, by the code of the error: words that follow a colon. */
export const NETWORK_WORDS: readonly (readonly [string, string])[] = [
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "there is no such host name"],
  ["EAI_AGAIN", "its name cannot be looked up at the moment"],
  ["ECONNRESET", "it broke the connection"],
  ["ETIMEDOUT", "it does not answer"],
  ["EHOSTUNREACH", "there is no route to it"],
  ["ENETUNREACH", "there is no network"],
  ["EPROTO", NO_TLS],
  ["ERR_SSL_WRONG_VERSION_NUMBER", NO_TLS],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name"],
];
