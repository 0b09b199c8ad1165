import { hasWrongPort } from "./address.ts";

// The address of a device, or of a service that delivers messages: `http://192.0.2.40/relay/0?turn={payload}`. Its path and its
// query may hold a token, so that only scheme, host and port are ever shown.

export const SECRET = "{secret}";

const AN_ADDRESS = "an address that begins with http:// or https://, such as http://192.0.2.40/relay/0";

/** What is expected instead of this address; undefined where it is right. `allowed`: the placeholders that may stand in it. */
export function expectedAddress(text: string, allowed: readonly string[]): string | undefined {
  const [, head = "", rest = ""] = PARTS.exec(text) ?? [];
  if (/[{}]/.test(head)) {
    return "an address without { and } before its path: a placeholder stands only in the path or in the query";
  }
  if (/[\s\p{Cc}\\]/u.test(text))
    return "an address without spaces, line breaks and \\ (write %20 for a space)";
  if (/^https?:/i.test(text) && hasWrongPort(text)) {
    return "an address with a port from 1 to 65535, such as http://192.0.2.40:8080/relay/0";
  }
  if (!isHttp(text)) return AN_ADDRESS;
  if (text.includes("#"))
    return "an address without #, which no request contains (in a path or a query, write %23)";
  if (!hasReadableUser(text)) return "an address whose user and password have each % written as %25";
  return expectedPlaceholders(rest, allowed);
}

/** `http://user@192.0.2.40:80` and what comes after it. */
const PARTS = /^([^/?#\\]*:\/\/[^/?#\\]*)(.*)$/s;

/** Scheme, host and port, as people are shown it. */
export function placeOfAddress(text: string): string {
  return new URL(text).origin;
}

/** What a message may show of a text that stands in place of an address: nothing that could be a token or a password. */
export function showAddress(text: string): string {
  const [, head = "", rest = ""] = PARTS.exec(text) ?? [];
  // In an address of any other kind a token may stand in place of the host.
  const isKnown =
    /^(https?|mqtts?|wss?|tcp):\/\/./i.test(head) && URL.canParse(text) && new URL(text).host !== "";
  if (!isKnown) return showLength(text);
  const { protocol, host } = new URL(text);
  return JSON.stringify(`${protocol}//${host}${/^\/?$/.test(rest) ? rest : "/…"}`);
}

export function showLength(text: string): string {
  return text === "" ? '""' : `a text of ${text.length} characters`;
}

/** The parts of the path and of the query, in small letters: `rpc`, `switch` and `toggle` of `/rpc/Switch.Toggle`. */
export function wordsOfAddress(text: string): string[] {
  const [, , rest = ""] = PARTS.exec(text) ?? [];
  return wordsIn(decodeIfEncoded(rest));
}

export function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}

/** A % may stand there that encodes nothing. */
export function decodeIfEncoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether this is an address over HTTP; its placeholders may be any. */
export function isHttp(text: string): boolean {
  return /^https?:\/\/[^/?#\\]/i.test(text) && URL.canParse(text);
}

function hasReadableUser(text: string): boolean {
  const { username, password } = new URL(text);
  return !`${username}${password}`.replaceAll(/%[0-9a-f]{2}/gi, "").includes("%");
}

function expectedPlaceholders(rest: string, allowed: readonly string[]): string | undefined {
  const placeholders = allowed.map((name) => `{${name}}`);
  const others = placeholders.reduce((text, placeholder) => text.replaceAll(placeholder, ""), rest);
  if (!/[{}]/.test(others)) return undefined;
  if (others.includes("{payload}")) {
    return "an address without {payload}: vigie only asks there what the device does, and {payload} stands in the url of the output";
  }
  const shown = placeholders.join(", ");
  return `an address with no { and } but those of ${shown} (write others as %7B and %7D)`;
}

/** Written as each program writes it: without `:80`, say. undefined if it is no address over HTTP. */
export function plainAddress(text: string | undefined): string | undefined {
  return text !== undefined && isHttp(text) ? new URL(text).href : undefined;
}
