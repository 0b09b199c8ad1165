import { MONTHS, WEEKDAYS } from "../core/calendar/tariff.ts";
import { HOST_NAME, parseNetwork } from "./http-options.ts";
import { LONGEST_ID } from "./id-word.ts";
import { nearest } from "./nearest-word.ts";
import { milliseconds, writeLength } from "./value-schemas.ts";

/** The value that is probably meant, as it is written; undefined where it cannot be told. `allowed`: the words that may stand there. */
export function suggestValue(
  value: unknown,
  expected: string,
  allowed: readonly string[],
): string | undefined {
  return nearest(textOf(value), allowed) ?? rewrite(value, expected, allowed);
}

function rewrite(value: unknown, expected: string, allowed: readonly string[]): string | undefined {
  const form = FORMS.find(({ start }) => expected.startsWith(start));
  if (form) return form.write(value, expected);
  const duration = toDuration(value);
  return allowed.find((word) => word === duration);
}

/** By the first words of what is expected: how a value that is written in another form is written in that one. */
const FORMS: readonly { start: string; write: (value: unknown, expected: string) => string | undefined }[] = [
  { start: "a time of day", write: (value) => inQuotes(toTime(value)) },
  { start: "one of jan", write: (value) => toWords(value, MONTHS) },
  { start: "one of mon", write: (value) => toWords(value, WEEKDAYS) },
  {
    start: 'two different times of day, such as "',
    write: (value, expected) => inQuotes(toWindow(value, expected)),
  },
  { start: "two ", write: (value) => toList(toTimes(value)) },
  {
    start: "a duration",
    write: (value, expected) => toDuration(value, expected) ?? withUnits(value, expected),
  },
  { start: "a date", write: toDate },
  { start: "a whole percent", write: toPercent },
  { start: "a price", write: toPrice },
  {
    start: "a number",
    write: (value) => (typeof value === "string" ? toNumber(withoutPercent(value))?.toString() : undefined),
  },
  { start: "a text", write: (value) => (typeof value === "string" ? undefined : inQuotes(textOf(value))) },
  { start: "small letters and digits", write: toId },
  { start: "the key of a component", write: toKey },
  { start: "a topic such as", write: toTopic },
  { start: "a topic without quotes", write: (value) => textOf(value).slice(1, -1) },
  { start: "keys joined by dots", write: toPath },
  { start: "simulator", write: toServiceAddress },
  { start: "embedded", write: toBrokerAddress },
  { start: "a condition", write: (value) => (Array.isArray(value) ? BOTH_GROUPS : undefined) },
  { start: "bounds", write: toBounds },
  { start: "a list of windows", write: toWindows },
  { start: "a list of component keys", write: (value) => toList([textOf(value)]) },
  {
    start: "a list of addresses or networks",
    write: (value) => (parseNetwork(textOf(value)) ? toList([textOf(value)]) : undefined),
  },
  { start: "a list of host names", write: (value) => toList(toHost(value)) },
  { start: "a host name", write: (value) => toHost(value)?.[0] },
  { start: "off, rte, simulator", write: (value) => nearest(textOf(value), ["off", "rte", "simulator"]) },
  { start: "off, a port", write: (value) => nearest(textOf(value), ["off"]) ?? toListen(value) },
  { start: "a port", write: toListen },
];

const BOTH_GROUPS = "{ all: [ … ] } or { any: [ … ] }";

/** Empty for what is neither text nor number nor true or false. */
function textOf(value: unknown): string {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : "";
}

function inQuotes(text: string | undefined): string | undefined {
  return text ? JSON.stringify(text) : undefined;
}

function toList(texts: readonly string[] = []): string | undefined {
  const quoted = texts.map(inQuotes).join(", ");
  return quoted === "" ? undefined : `[${quoted}]`;
}

/** `03:00` of `3:00`, `3h`, `3` and `03:00:00`; midnight may be written as 24:00. */
function toTime(value: unknown): string | undefined {
  const [, hour, minute = "00"] = /^(\d{1,2})(?:[:h.]([0-5]\d)?)?(?::\d\d)?$/i.exec(textOf(value)) ?? [];
  if (hour === undefined || Number(hour) > 24) return undefined;
  return `${String(Number(hour) % 24).padStart(2, "0")}:${minute}`;
}

/** `[nov, dec, jan]` of `nov-jan` and of `novembre à janvier`. */
function toWords(value: unknown, words: readonly string[]): string | undefined {
  const [from, to, ...more] = bothOf(value).map((word) => words.indexOf(nearest(word, words) ?? ""));
  if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0) return undefined;
  const range = to < from ? [...words.slice(from), ...words.slice(0, to + 1)] : words.slice(from, to + 1);
  return `[${range.join(", ")}]`;
}

/** Both ends of `22h-6h` and of `22h à 6h`. */
function bothOf(value: unknown): string[] {
  return textOf(value).split(/\s*(?:[-–/]|\bto\b|à)\s*/);
}

/** `22:00-06:00` of `22h-6h`; the whole day, if it is one that may be written, of `0h-24h`. */
function toWindow(value: unknown, expected: string): string | undefined {
  const isWholeDay = bothOf(value).map(toTime).join("-") === "00:00-00:00";
  if (isWholeDay) return expected.includes(WHOLE_DAY) ? WHOLE_DAY : undefined;
  return toTimes(value)?.join("-");
}

const WHOLE_DAY = "00:00-24:00";

/** One window without its brackets; no window at all. */
function toWindows(value: unknown): string | undefined {
  const window = toWindow(value, WHOLE_DAY);
  if (window !== undefined) return toList([window]);
  return nearest(textOf(value), ["none"]) && "[]";
}

/** Of a list of two times, and of `22h-6h`. */
function toTimes(value: unknown): string[] | undefined {
  const given: unknown[] = Array.isArray(value) ? value : bothOf(value);
  const [from, to, ...more] = given.map(toTime);
  if (from === undefined || to === undefined || from === to || more.length > 0) return undefined;
  return [from, to];
}

/** `5m` of `5 min` and of `00:05:00`; `90m` of `1h30` and of `1,5h`; `24h` of `1d`. Not one that is out of bounds. */
function toDuration(value: unknown, expected = ""): string | undefined {
  const text = textOf(value).replace(",", ".");
  const [, hours, minutes, seconds = "0"] =
    /^(\d{1,2}):(\d\d):(\d\d)$/.exec(text) ??
    /^(\d{1,2}) ?h(?:ours?|eures?)? ?(\d{1,2}) ?(?:m|mn|min)?$/i.exec(text) ??
    [];
  const [, count, unit = ""] = DURATION.exec(text) ?? [];
  const length =
    hours === undefined
      ? Number(count) * (LENGTHS[unit.charAt(0).toLowerCase()] ?? Number.NaN)
      : milliseconds(`${hours}h`) + milliseconds(`${minutes}m`) + milliseconds(`${seconds}s`);
  return Number.isInteger(length / 1000) && isWithin(length, expected) ? writeLength(length) : undefined;
}

function isWithin(length: number, expected: string): boolean {
  const [, least, most] = BOUNDS.exec(expected) ?? [];
  if (least === undefined || most === undefined) return true;
  return length >= milliseconds(least) && length <= milliseconds(most);
}

const BOUNDS = / from (\d+[smh]) to (\d+[smh]) /;

/** `30s or 30m` of `30`, as far as the bounds allow: only its owner knows which. */
function withUnits(value: unknown, expected: string): string | undefined {
  const text = textOf(value);
  if (!/^[1-9]\d{0,8}$/.test(text)) return undefined;
  const allowed = ["s", "m", "h"]
    .map((unit) => text + unit)
    .filter((one) => isWithin(milliseconds(one), expected));
  return allowed.length === 0 ? undefined : allowed.join(" or ");
}

const DURATION =
  /^(\d{1,9}(?:\.\d{1,3})?) *(s|secs?|seconds?|secondes?|mn?|mins?|minutes?|h|hrs?|hours?|heures?|d|days?|j|jours?)$/i;
const DAY = 86_400_000;
const LENGTHS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY, j: DAY };

/** `2026-08-01` of `1/8/2026`, the day before the month. */
function toDate(value: unknown): string | undefined {
  const [, day, month, year] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(textOf(value)) ?? [];
  return day && month && `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** `80` of `0.8`, `"80"` and `80 %`; `100` of `1.0`. */
function toPercent(value: unknown): string | undefined {
  const number = toNumber(withoutPercent(value));
  if (number === undefined || number > 100) return undefined;
  return String(number > 0 && number <= 1 ? Math.round(number * 100) : Math.round(number));
}

/** `0.3` of `"0,30"` and of `30` (cents). */
function toPrice(value: unknown): string | undefined {
  const number = toNumber(value);
  if (number === undefined || number > 500) return undefined;
  return String(number > 5 ? number / 100 : number);
}

function withoutPercent(value: unknown): string {
  return textOf(value).replace(/\s*%$/, "");
}

function toNumber(value: unknown): number | undefined {
  const text = textOf(value).replace(",", ".");
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function toBounds(value: unknown): string | undefined {
  const number = toNumber(value);
  return number === undefined ? undefined : `{ above: ${number} } or { below: ${number} }`;
}

/** `boiler/set` of `/boiler/set/`. */
function toTopic(value: unknown): string | undefined {
  const text = textOf(value);
  const inner = text.replace(/^\/+|\/+$/g, "");
  return inner === "" || inner === text || /[+#]|\/\//.test(inner) ? undefined : inner;
}

/** `battery.0` of `$.battery[0]` and of `{{ value_json.battery[0] | float }}`. */
function toPath(value: unknown): string | undefined {
  const text = textOf(value);
  const [inner = "", filter] = text.split("|");
  // Home Assistant's filters change nothing in the place. Elsewhere a | may mean anything.
  if (filter !== undefined && !text.includes("value_json")) return undefined;
  const keys = inner.replace(/^[{\s]*(\$|value_json\b)?/, "").match(/[^.[\]{}'"\s]+/g);
  return keys?.join(".");
}

/** `now_slot` of `sensor.vigie_now_slot`, the entity. */
function toKey(value: unknown): string | undefined {
  return toId(textOf(value).replace(/^[a-z_]+\.(vigie_)?/, ""));
}

/** `rouge_peak` of `Rouge-Peak`; `"1"` of `1`, which is no text. */
function toId(value: unknown): string | undefined {
  const words = textOf(value)
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .match(/[a-z0-9]+/g);
  const id = words?.join("_");
  if (id === undefined || id.length > LONGEST_ID) return undefined;
  return typeof value === "string" ? id : inQuotes(id);
}

function toServiceAddress(value: unknown): string | undefined {
  const text = textOf(value);
  const near = nearest(text, ["simulator", "none"]);
  const [, domain, port] = /^[\w-]+(\.[\w-]+)*(:\d+)?(\/[\w./-]*)?$/.exec(text) ?? [];
  if (near !== undefined || (domain ?? port) === undefined) return near;
  // A port is written where a service runs in the home, seldom with a certificate.
  const address = `${port === undefined ? "https" : "http"}://${text}`;
  return URL.canParse(address) ? address : undefined;
}

/** `mqtt://broker` of `broker` and of `tcp://broker`. */
function toBrokerAddress(value: unknown): string | undefined {
  const text = textOf(value);
  const [, scheme = "tcp", host] = /^(?:(tcp|ssl|tls):\/\/)?([\w-]+(?:\.[\w-]+)*(?::\d+)?)$/.exec(text) ?? [];
  const address = `${scheme === "tcp" ? "mqtt" : "mqtts"}://${host}`;
  const isHost = host !== undefined && URL.canParse(address);
  return nearest(text, ["embedded"]) ?? (isHost ? address : undefined);
}

/** `vigie.example.org` of `http://vigie.example.org:8427/`. */
function toHost(value: unknown): [string] | undefined {
  const [, host = ""] = /^(?:https?:\/\/)?([^/:]*)(?::\d*)?\/?$/.exec(textOf(value)) ?? [];
  return HOST_NAME.test(host) ? [host] : undefined;
}

/** `8427` of `*:8427` and of `:8427`; `127.0.0.1:8427` of `http://127.0.0.1:8427/` and of `127.0.0.1`. */
function toListen(value: unknown): string | undefined {
  const text = textOf(value);
  const parts = /^(?:https?:\/\/)?(\*|localhost|[\w-]+(?:\.[\w-]+)+|)(?::(\d{1,5}))?\/?$/.exec(text);
  const [, host = "", port = "8427"] = parts ?? [];
  if (text === "" || parts === null || Number(port) === 0 || Number(port) > 65_535) return undefined;
  const written = host === "" || host === "*" ? port : `${host}:${port}`;
  return written === text ? undefined : written;
}
