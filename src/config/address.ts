/** The address for messages: without user and password, and without whatever could be a password. */
export function maskAddress(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? [];
  const end = rest.lastIndexOf("@");
  // `?token=…`
  const shown = rest.slice(end + 1).replace(/([?#]).+$/s, "$1***");
  if (end >= 0) return `${scheme}***@${shown}`;
  // `mqtt://user:password` without a host: what follows a colon is shown only if it is a port.
  const [, ipv6 = "", after = ""] = /^(\[[\da-f:.]+\])?(.*)$/is.exec(shown) ?? [];
  return `${scheme}${ipv6}${after.replace(/:(?!\d{1,5}([/?#]|$)).*$/s, ":***")}`;
}

/** undefined where this is no address, or has another scheme or no host. */
export function parseAddress(text: string, schemes: readonly string[]): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isAddress = schemes.includes(url.protocol) && url.hostname !== "" && /^[a-z]+:\/\/\S+$/i.test(text);
  return isAddress ? url : undefined;
}

/** The address of a broker; undefined where this is none. */
export function parseBrokerAddress(text: string): URL | undefined {
  return parseAddress(text, ["mqtt:", "mqtts:", "ws:", "wss:"]);
}

/** As people type it: without a scheme `mqtt://` is meant, and at port 8883 `mqtts://`. */
export function typedBrokerAddress(text: string): string {
  return text.includes("://") ? text : `${/:8883$/.test(text) ? "mqtts" : "mqtt"}://${text}`;
}

/** An address for requests: without user or password, and without what comes after a path. */
export function isHttpAddress(text: string): boolean {
  const url = parseAddress(text, ["http:", "https:"]);
  return url !== undefined && maskAddress(text) === text && !/[?#]/.test(text);
}

/** Whether the port is what is wrong: `mqtt://broker:99999`. */
export function hasWrongPort(text: string): boolean {
  if (URL.canParse(text)) return new URL(text).port === "0";
  return URL.canParse(text.replace(/:\d+(?=[/?#]|$)/, ""));
}

/** Moves user and password out of a broker's address, so that the address may be shown. */
export function splitCredentials(text: string): { url: string; username?: string; password?: string } {
  if (!text.includes("@")) return { url: text };
  const url = new URL(text);
  const { username, password } = url;
  if (username === "" && password === "") return { url: text };
  url.username = "";
  url.password = "";
  return {
    url: url.href,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
}

/** Whether this address is the machine, or the container, that vigie runs on. */
export function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const hostname = new URL(text).hostname.toLowerCase();
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}
