/** Addresses as an owner writes them; those of a broker may hold a user and a password, which no message shows. */

/** The same text without what could be a password: for messages. */
export function maskAddress(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? [];
  const end = rest.lastIndexOf("@");
  if (end >= 0) return `${scheme}***@${rest.slice(end + 1)}`;
  // `mqtt://user:password`, the host forgotten: what follows a colon and is no port is not shown.
  const [, number = "", after = ""] = /^(\[[\da-f:.]+\])?(.*)$/is.exec(rest) ?? [];
  return `${scheme}${number}${after.replace(/:(?!\d{1,5}(\/|$)).*$/s, ":***")}`;
}

/** The address as this program reads it; undefined where it is none, or has another scheme or no host. */
export function parseAddress(text: string, schemes: readonly string[]): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isMeant = schemes.includes(url.protocol) && url.hostname !== "" && /^[a-z]+:\/\/\S+$/i.test(text);
  return isMeant ? url : undefined;
}

/** Takes user and password out of a broker's address, so that the address may be shown. */
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

/** Is this address the machine (or container) that asks? */
export function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const hostname = new URL(text).hostname.toLowerCase();
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}
