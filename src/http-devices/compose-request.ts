import { X509Certificate } from "node:crypto";
import { decodeIfEncoded } from "../config/output-address.ts";
import { readText } from "../config/read-text.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import type { DueSend } from "../core/outputs/due-send.ts";
import type { HttpAccess, HttpReports, HttpTarget, Output } from "../core/outputs/output.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { DeviceRequest } from "./request-device.ts";

/** The household has to change something before this request can be sent. The message holds no secret. */
export class NotComposable extends Error {}

export interface ComposedRequest extends DeviceRequest {
  /** What of it must not be shown if the device repeats it. */
  secrets: readonly string[];
}

/** What every request has: the same for all outputs. */
interface ComposeContext {
  version: string;
  signal: AbortSignal;
}

export async function composeSending(
  to: HttpTarget,
  access: HttpAccess | undefined,
  { payload, by }: DueSend,
  context: ComposeContext,
): Promise<ComposedRequest> {
  const id = by.kind === "http" ? by.id : "";
  const ownHeaders = access?.headers ?? {};
  const secret = await readSecret(access, [to.url, ...Object.values(ownHeaders)], context);
  const { url, authorization, secrets } = fillUrl(to.url, { payload, id, secret });
  const isBody = to.method !== "GET" && !to.url.includes("{payload}");
  const contentType = to.content_type ?? typeOf(payload);
  return {
    method: to.method,
    url,
    headers: {
      ...commonHeaders(context),
      ...(isBody && { "content-type": contentType }),
      ...authorization,
      ...fillHeaders(ownHeaders, secret, access),
    },
    ...(isBody && { body: payload }),
    ...(await readAuthority(to.url, access, context)),
    readsBody: false,
    secrets: [...secrets, ...headerSecrets(ownHeaders)],
  };
}

function typeOf(payload: string): string {
  const json = parseJson(payload);
  return typeof json === "object" && json !== null ? "application/json" : "text/plain; charset=utf-8";
}

export async function composeQuestion(
  from: HttpReports,
  { to, access }: Pick<Output, "to" | "access">,
  context: ComposeContext,
): Promise<ComposedRequest> {
  const isMeant = to.kind === "mqtt" || isSameMachine(to.url, from.url);
  const ownHeaders = isMeant ? (access?.headers ?? {}) : {};
  const secret = await readSecret(access, [from.url, ...Object.values(ownHeaders)], context);
  const { url, authorization, secrets } = fillUrl(from.url, { secret });
  return {
    method: "GET",
    url,
    headers: { ...commonHeaders(context), ...authorization, ...fillHeaders(ownHeaders, secret, access) },
    ...(await readAuthority(from.url, access, context)),
    readsBody: true,
    secrets: [...secrets, ...headerSecrets(ownHeaders)],
  };
}

/** What is meant for one machine is not shown to another, nor in plain text if it is sent encrypted. */
function isSameMachine(sent: string, asked: string): boolean {
  const [one, other] = [new URL(sent), new URL(asked)];
  return one.hostname === other.hostname && (one.protocol === other.protocol || other.protocol === "https:");
}

function commonHeaders({ version }: ComposeContext): Record<string, string> {
  return { "user-agent": `vigie/${version}`, accept: "*/*", "accept-encoding": "identity" };
}

interface UrlValues {
  payload?: string;
  id?: string;
  secret: string | undefined;
}

interface FilledUrl {
  url: string;
  authorization: Record<string, string>;
  secrets: string[];
}

/**
 * Values are put in after the address was parsed: none of them can move the request to another place. Parsing encodes braces, so
 * until then each placeholder is a word: `%7Bid%7D` means braces.
 */
function fillUrl(template: string, values: UrlValues): FilledUrl {
  const words = template.replaceAll(/\{(payload|secret|id)\}/g, `${PLACE}$1`);
  const { origin, pathname, search, username, password } = new URL(words);
  const encode = (name: keyof UrlValues) => encodeURIComponent(wellFormed(values[name] ?? ""));
  const path = pathname.replaceAll(PLACES, (_, name: keyof UrlValues) =>
    name === "secret" ? encode(name).replaceAll(MAY_STAND_IN_PATHS, decodeURIComponent) : encode(name),
  );
  const query = search.replaceAll(PLACES, (_, name: keyof UrlValues) => encode(name));
  const hasLogin = username !== "" || password !== "";
  return {
    url: `${origin}${path}${query}`,
    authorization: hasLogin ? { authorization: basic(username, password) } : {},
    secrets: [values.secret ?? "", decodeIfEncoded(password), hasLogin ? basic(username, password) : ""],
  };
}

/** No address has this word by chance. */
const PLACE = "value-of-vigie-7f3a-";
const PLACES = new RegExp(`${PLACE}(payload|secret|id)`, "g");
/** `$ & + , : ; = @`, encoded: RFC 3986 lets them stand in a path. Some services compare a token such as `123:abc` before they decode it. */
const MAY_STAND_IN_PATHS = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

function basic(username: string, password: string): string {
  const login = `${decodeIfEncoded(username)}:${decodeIfEncoded(password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

/** encodeURIComponent throws on half of a surrogate pair. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** A short word in a header is no token, and may stand in any answer. */
function headerSecrets(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers)
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((value) => value.length >= 8 && !value.includes("{secret}"));
}

function fillHeaders(
  headers: Readonly<Record<string, string>>,
  secret: string | undefined,
  access: HttpAccess | undefined,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value.includes("{secret}") && !FITS_A_HEADER.test(secret ?? ""))
      throw new NotComposable(
        `secret_file ${access?.secret_file} has more than one line, or a letter that no header can have (only ASCII can stand there): check what is in it`,
      );
    filled[name.toLowerCase()] = value.replaceAll("{secret}", () => secret ?? "");
  }
  return filled;
}

const FITS_A_HEADER = /^[\t\x20-\x7e]*$/;

/** undefined: none of these texts has a place for it. */
async function readSecret(
  access: HttpAccess | undefined,
  texts: readonly string[],
  { signal }: ComposeContext,
): Promise<string | undefined> {
  const path = access?.secret_file;
  if (path === undefined || !texts.some((text) => text.includes("{secret}"))) return undefined;
  const secret = (await read("secret_file", path, signal)).replace(/^\uFEFF|[\r\n]+$/g, "");
  if (secret === "") throw new NotComposable(`secret_file ${path} is empty: write the secret into it`);
  return secret;
}

/** The file is read each time, so that the next request trusts a renewed certificate. */
async function readAuthority(
  url: string,
  access: HttpAccess | undefined,
  { signal }: ComposeContext,
): Promise<{ ca?: string }> {
  const path = access?.ca_file;
  if (path === undefined || !url.toLowerCase().startsWith("https:")) return {};
  const ca = await read("tls.ca_file", path, signal);
  if (!isCertificate(ca))
    throw new NotComposable(`tls.ca_file ${path} holds no certificate: it has to be one in PEM`);
  return { ca };
}

/** Node ignores what is none, and then says that the device is not trusted. */
function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

async function read(option: string, path: string, signal: AbortSignal): Promise<string> {
  try {
    return (await readText(path, { signal, largest: LARGEST_FILE })).text;
  } catch (error) {
    const why = describeDiskError(error);
    throw new NotComposable(
      `${option} ${path} cannot be read: ${why}; check its path, and that the user of vigie may read it`,
    );
  }
}

/** Bytes: a file with the certificates of all authorities is larger than that of a secret. */
const LARGEST_FILE = 1024 * 1024;
