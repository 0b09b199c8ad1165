import type { GivenBroker } from "./broker.ts";

/**
 * The line for a shell that pretends a rouge day. `readPassword` is the command that prints the password: it does not stand in
 * the line. null: mosquitto_pub has no WebSocket.
 */
export function pretendRouge(
  { url, username, tls }: GivenBroker,
  readPassword: string | undefined,
): string | null {
  const { protocol, hostname, port } = new URL(url);
  const isEncrypted = protocol === "mqtts:";
  if (!isEncrypted && protocol !== "mqtt:") return null;
  const usedPort = port || (isEncrypted ? "8883" : "1883");
  return [
    `mosquitto_pub -h ${hostname.replaceAll(/[[\]]/g, "")}`,
    ...(usedPort === "1883" ? [] : [`-p ${usedPort}`]),
    ...(isEncrypted ? [tls?.ca_file ? `--cafile ${quote(tls.ca_file)}` : "--tls-use-os-certs"] : []),
    ...(username === undefined ? [] : [`-u ${quote(username)}`]),
    ...(readPassword === undefined ? [] : [`-P "$(${readPassword})"`]),
    "-t vigie/simulation/set -m rouge",
  ].join(" ");
}

/** As one word of a shell. */
export function quote(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
