import { maskAddress } from "./address.ts";
import { showAddress, showLength } from "./output-address.ts";

/** What messages may show of configured values: passwords never, addresses without a password, texts cut off. */

export type Path = readonly PropertyKey[];

/** The password, what is written in its place, and whatever contains it. */
export function isSecret(path: Path): boolean {
  return SECRET.every((key, index) => index >= path.length || path[index] === key);
}

const SECRET = ["mqtt", "password"];

/** Whether a message may show this value as it is, or another value that is made of it. */
export function isShown(value: unknown, path: Path): boolean {
  return !(isSecret(path) || isHidden(value, path));
}

/** What stands in place of the path of a secret's file; in an output also a header, and the rest of an address. */
function isHidden(value: unknown, path: Path): boolean {
  const [section] = path;
  const isPath = typeof value === "string" && /^\.{0,2}\//.test(value);
  if (["secret_file", "password_file"].includes(String(path.at(-1)))) return !isPath;
  if (section !== "outputs") return false;
  if (path.includes("headers") || path.at(-1) === "url") return true;
  return typeof value === "string" && value.includes("://");
}

function showHidden(value: unknown, path: Path): string {
  if (typeof value !== "string") return `a ${typeof value}`;
  return path.includes("headers") ? showLength(value) : showAddress(value);
}

export function showValue(value: unknown, path: Path): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return showList(value, path);
  if (typeof value === "object") return Object.keys(value).length === 0 ? "{}" : "key: value pairs";
  if (isSecret(path)) return `a ${typeof value === "string" ? "text" : typeof value}`;
  if (isHidden(value, path)) return showHidden(value, path);
  if (typeof value !== "string") return String(value);
  const isAddress = /url$|address$|^source$/.test(String(path.at(-1))) || /@|:\/\//.test(value);
  return quote(isAddress ? maskAddress(value) : value);
}

function showList(list: readonly unknown[], path: Path): string {
  if (list.length === 0) return "an empty list";
  if (isSecret(path)) return "a list";
  const shown = list.slice(0, MOST_SHOWN).map((one) => {
    if (Array.isArray(one)) return "[…]";
    return typeof one === "object" && one !== null ? "{…}" : showValue(one, path);
  });
  return `the list [${shown.join(", ")}${list.length > MOST_SHOWN ? ", …" : ""}]`;
}

const MOST_SHOWN = 3;

/** A key. `password:secret` without a space is one key, so only what looks like a word is shown. */
export function showKey(key: string): string {
  const word = startOfWord(key);
  return quote(word === key ? word : `${word}…`);
}

/** `tariff.rates[0].from` */
export function showPath(path: Path): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      const word = startOfWord(String(key));
      return (index > 0 ? "." : "") + (word !== "" && word === key ? word : `${word}…`);
    })
    .join("");
}

/** The beginning of a key that consists of letters, digits and `_ $ . -`. */
export function startOfWord(key: string): string {
  return /^[\p{L}\p{M}\p{N}_$.-]{0,40}/u.exec(key)?.[0] ?? "";
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
